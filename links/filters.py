"""How the list of payment links can be narrowed."""

from core.queries import CREATED, one_of
from links.statuses import LinkStatus

FILTERS = {"status": one_of(LinkStatus.values), **CREATED}
