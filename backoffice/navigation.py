"""The side bar, ordered and named as its users expect."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from backoffice.models import Instruction
from backoffice.queues import COUNTED, queues_in
from backoffice.resource.catalog import GROUPS
from backoffice.resource.page_urls import list_of
from backoffice.staff import staff_of
from core.clock import request_now


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the groups of the side bar, with what this visitor may see of them."""
    top = [
        _item("Dashboard", "space_dashboard", reverse("admin:index")),
        _item("Search", "search", reverse("admin:search")),
    ]
    groups = [{"title": "", "items": top}]
    waiting, staff = _waiting(request), staff_of(request)
    for title, entries in GROUPS.items():
        items = [
            _item(
                entry.title,
                entry.icon,
                list_of(entry.model),
                waiting if entry.model is Instruction else "",
            )
            for entry in entries
            if entry.icon and staff.may(entry.right)
        ]
        if items:
            groups.append({"title": title, "items": items})
    return groups


def _waiting(request: HttpRequest) -> str:
    """Count the waiting requests as the dashboard does, in both modes as their list does."""
    [queue] = queues_in(Instruction)
    staff, now = staff_of(request), request_now()
    live, test = (queue.rows_seen(staff, livemode=mode, now=now) for mode in (True, False))
    count = (live | test)[:COUNTED].count()
    return str(count) if count else ""


def _item(title: str, icon: str, address: str, badge: str = "") -> dict[str, Any]:
    item = {"title": title, "icon": icon, "link": address}
    return item | ({"badge": badge} if badge else {})
