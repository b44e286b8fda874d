"""How lists of payouts can be narrowed, and the page of movements of one."""

from collections.abc import Mapping

from core.errors import InvalidRequest
from core.pagination import MAX_LIMIT
from core.queries import AMOUNTS, CREATED, UPDATED, one_of
from payouts.statuses import PayoutStatus

CSV_LINES = 10_000

FILTERS = {
    "status": one_of(PayoutStatus.values),
    **AMOUNTS,
    **CREATED,
    **UPDATED,
}
MOVEMENT_PAGE = {
    "limit": f"How many to return, 20 unless told; above {MAX_LIMIT} is taken as {MAX_LIMIT}.",
    "offset": "How many to leave out, newest first.",
}

STATEMENT_FILTERS = {"currency": AMOUNTS["currency"], **CREATED}
STATEMENT_LINES = {
    "format": "`csv` for a file; `Accept: text/csv` means the same.",
    "limit": f"How many to return: JSON 20 unless told, {MAX_LIMIT} at most; CSV {CSV_LINES:,}.",
    "offset": "How many to leave out, oldest first.",
}


def is_csv(query: Mapping[str, str], accept: str) -> bool:
    """Return whether a file is asked for. Raises InvalidRequest for another format than ours."""
    if query.get("format", "csv") not in ("csv", "json"):
        raise InvalidRequest(format="must be csv or json")
    return query.get("format", "csv" if "text/csv" in accept else "json") == "csv"
