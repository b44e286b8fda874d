"""How the list of payment links can be narrowed."""

from core.queries import AMOUNTS, CREATED, METADATA, UPDATED, one_of, words_in
from links.statuses import LinkStatus

FILTERS = {
    "status": one_of(LinkStatus.values),
    **CREATED,
    **UPDATED,
    **AMOUNTS,
    **METADATA,
    "q": words_in("the description"),
}
