"""The query parameters of lists, as the OpenAPI document describes them."""

from drf_spectacular.utils import OpenApiParameter

from core.pagination import DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET
from core.queries import Filter

PAGE_SIZE = {"type": "integer", "minimum": 1, "default": DEFAULT_LIMIT}
FILE_SIZE = {"type": "integer", "minimum": 1}
SKIPPED = {"type": "integer", "minimum": 0, "maximum": MAX_OFFSET, "default": 0}

PAGE_PARAMETERS = (
    OpenApiParameter(
        "limit",
        PAGE_SIZE,
        description=f"How many to return; anything above {MAX_LIMIT} means {MAX_LIMIT}.",
    ),
    OpenApiParameter(
        "offset",
        SKIPPED,
        description="How many to skip, newest first; with `starting_after`, from there.",
    ),
    OpenApiParameter(
        "starting_after",
        str,
        description="Return what follows the object with this id; equally fast on every page.",
    ),
)

FILE_LIMIT = OpenApiParameter(
    "limit",
    FILE_SIZE,
    description=f"How many to return: JSON {DEFAULT_LIMIT} by default, {MAX_LIMIT} at most; "
    "CSV [[csv_lines]].",
)


def parameter_of(name: str, one: Filter) -> OpenApiParameter:
    """Describe a query parameter as its filter does; an object for `name[key]`."""
    by_key = one.schema["type"] == "object"
    return OpenApiParameter(
        name.partition("[")[0],
        dict(one.schema),
        description=one.meaning,
        style="deepObject" if by_key else None,
        explode=True if by_key else None,
    )
