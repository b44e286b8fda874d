"""How lists of payouts can be narrowed, and which movements of one are asked for."""

from collections.abc import Mapping

from core.errors import InvalidRequest
from core.pagination import MAX_LIMIT
from core.queries import created_before, created_from, exactly, one_of
from payouts.statuses import PayoutStatus

READERS = {
    "status": one_of(PayoutStatus.values),
    "currency": exactly,
    "start_date": created_from,
    "end_date": created_before,
}
FILTERS = {
    "status": f"One of {', '.join(PayoutStatus.values)}.",
    "currency": "An ISO 4217 code.",
    "start_date": "Created from this date or instant on.",
    "end_date": "Created before this instant, or until the end of this date.",
}
MOVEMENT_PAGE = {
    "limit": f"How many to return, 20 unless told; above {MAX_LIMIT} is taken as {MAX_LIMIT}.",
    "offset": "How many to leave out, newest first.",
}


def refuse_anchor(query: Mapping[str, str]) -> None:
    """Raise InvalidRequest for `starting_after`: a movement has no id of its own."""
    if "starting_after" in query:
        raise InvalidRequest(starting_after="is not taken here: use limit and offset")
