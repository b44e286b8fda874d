"""How lists of payouts can be narrowed, and which movements of one are asked for."""

from collections.abc import Mapping

from core.errors import InvalidRequest
from core.pagination import MAX_LIMIT
from core.queries import CREATED, exactly, one_of
from payouts.statuses import PayoutStatus

FILTERS = {
    "status": one_of(PayoutStatus.values),
    "currency": exactly("An ISO 4217 code."),
    **CREATED,
}
MOVEMENT_PAGE = {
    "limit": f"How many to return, 20 unless told; above {MAX_LIMIT} is taken as {MAX_LIMIT}.",
    "offset": "How many to leave out, newest first.",
}


def refuse_anchor(query: Mapping[str, str]) -> None:
    """Raise InvalidRequest for `starting_after`: a movement has no id of its own."""
    if "starting_after" in query:
        raise InvalidRequest(starting_after="is not taken here: use limit and offset")
