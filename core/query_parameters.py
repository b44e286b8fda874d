"""The query parameters of lists, as the OpenAPI document describes them."""

from drf_spectacular.utils import OpenApiParameter

from core.pagination import DEFAULT_LIMIT, MAX_LIMIT, MAX_OFFSET
from core.queries import Filter

PAGE_PARAMETERS = (
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "default": DEFAULT_LIMIT},
        description=f"How many to return; above {MAX_LIMIT} is taken as {MAX_LIMIT}.",
    ),
    OpenApiParameter(
        "offset",
        {"type": "integer", "minimum": 0, "maximum": MAX_OFFSET, "default": 0},
        description="How many to leave out, newest first.",
    ),
    OpenApiParameter(
        "starting_after", str, description="The id after which to go on; costs nothing at depth."
    ),
)

FILE_LIMIT = OpenApiParameter(
    "limit",
    {"type": "integer", "minimum": 1},
    description=f"How many to return: JSON {DEFAULT_LIMIT} unless told, {MAX_LIMIT} at most; "
    "CSV [[csv_lines]].",
)


def parameter_of(name: str, one: str | Filter) -> OpenApiParameter:
    """Describe a query parameter: a string unless its filter differs; an object for `name[key]`."""
    if isinstance(one, str):
        return OpenApiParameter(name, str, description=one)
    by_key = one.schema["type"] == "object"
    return OpenApiParameter(
        name.partition("[")[0],
        dict(one.schema),
        description=one.meaning,
        style="deepObject" if by_key else None,
        explode=True if by_key else None,
    )
