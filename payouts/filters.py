"""How lists of payouts can be narrowed, and the page of movements of one."""

from collections.abc import Mapping

from core.errors import InvalidRequest
from core.money import is_currency
from core.pagination import MAX_LIMIT
from core.queries import CREATED, Filter, Lookups, one_of
from payouts.statuses import PayoutStatus


def _currency(name: str, text: str) -> Lookups:
    if not is_currency(text):
        raise InvalidRequest(f"{name}: must be an ISO 4217 currency code such as BSD")
    return {name: text}


FILTERS = {
    "status": one_of(PayoutStatus.values),
    "currency": Filter("An ISO 4217 code.", _currency),
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
