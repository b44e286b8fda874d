"""The filters of lists of payouts and statements, and the paging of their lines."""

from core.pagination import DEFAULT_LIMIT, MAX_LIMIT
from core.queries import AMOUNTS, CREATED, CSV_OR_JSON, UPDATED, Filter, one_of
from core.spreadsheets import CSV_LINES
from payouts.statuses import PayoutStatus

FILTERS = {
    "status": one_of(PayoutStatus.values),
    **AMOUNTS,
    **CREATED,
    **UPDATED,
}
MOVEMENT_PAGE = {
    "limit": f"How many to return, {DEFAULT_LIMIT} by default; anything above {MAX_LIMIT} means"
    f" {MAX_LIMIT}.",
    "offset": "How many to skip, newest first.",
}

STATEMENT_FILTERS = {"currency": AMOUNTS["currency"], **CREATED}
STATEMENT_LINES: dict[str, str | Filter] = {
    "format": CSV_OR_JSON,
    "limit": f"How many to return: JSON {DEFAULT_LIMIT} by default, {MAX_LIMIT} at most;"
    f" CSV {CSV_LINES:,}.",
    "offset": "How many to skip, oldest first.",
}
