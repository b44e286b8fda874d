"""The filters of lists of payouts and statements, and the paging of their lines."""

from core.pagination import DEFAULT_LIMIT, MAX_LIMIT
from core.queries import AMOUNTS, CREATED, CSV_OR_JSON, UPDATED, one_of, read_elsewhere
from core.query_parameters import FILE_SIZE, PAGE_SIZE, SKIPPED
from core.spreadsheets import CSV_LINES
from payouts.statuses import PayoutStatus

FILTERS = {
    "status": one_of(PayoutStatus.values),
    **AMOUNTS,
    **CREATED,
    **UPDATED,
}
MOVEMENT_PAGE = {
    "limit": read_elsewhere(
        f"How many to return; anything above {MAX_LIMIT} means {MAX_LIMIT}.", PAGE_SIZE
    ),
    "offset": read_elsewhere("How many to skip, newest first.", SKIPPED),
}

STATEMENT_FILTERS = {"currency": AMOUNTS["currency"], **CREATED}
STATEMENT_LINES = {
    "format": CSV_OR_JSON,
    "limit": read_elsewhere(
        f"How many to return: JSON {DEFAULT_LIMIT} by default, {MAX_LIMIT} at most;"
        f" CSV {CSV_LINES:,}.",
        FILE_SIZE,
    ),
    "offset": read_elsewhere("How many to skip, oldest first.", SKIPPED),
}
