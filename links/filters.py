"""How a list of payment links can be narrowed."""

from collections.abc import Mapping

from core.queries import created_before, created_from, one_of
from links.statuses import LinkStatus

READERS = {"start_date": created_from, "end_date": created_before}
FILTERS = {
    "status": f"One of {', '.join(LinkStatus.values)}.",
    "start_date": "Created from this date or instant on.",
    "end_date": "Created before this instant, or until the end of this date.",
}


def status_of(query: Mapping[str, str]) -> str | None:
    """Read the status filter. Raises InvalidRequest naming what is allowed."""
    given = query.get("status")
    return None if given is None else one_of(LinkStatus.values)("status", given)["status"]
