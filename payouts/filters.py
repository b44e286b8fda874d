"""The filters of lists of payouts and statements, and the paging of their lines."""

from core.pagination import MAX_LIMIT
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
    "limit": f"How many to return, 20 by default; anything above {MAX_LIMIT} means {MAX_LIMIT}.",
    "offset": "How many to skip, newest first.",
}

STATEMENT_FILTERS = {"currency": AMOUNTS["currency"], **CREATED}
STATEMENT_LINES: dict[str, str | Filter] = {
    "format": CSV_OR_JSON,
    "limit": f"How many to return: JSON 20 by default, {MAX_LIMIT} at most; CSV {CSV_LINES:,}.",
    "offset": "How many to skip, oldest first.",
}
