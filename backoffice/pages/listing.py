"""What stands above a list: filter menus, saved views, exports and actions."""

from typing import Any

from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse

from backoffice.models import SavedView
from backoffice.resource.page_urls import address_of
from backoffice.resource.resource import AdminResource
from backoffice.roles import Right
from backoffice.staff import staff_of

VIEWS_SHOWN = 20


def list_context(resource: AdminResource, request: HttpRequest) -> dict[str, Any]:
    """Return what the template of a list needs in addition to Django's own context."""
    staff, model = staff_of(request), resource.model
    own_or_shared = Q(owner_id=staff.user_id) | Q(shared=True)
    views = SavedView.objects.filter(own_or_shared, path=request.path).select_related("owner")
    shown = {"path": request.path, "query": request.GET.urlencode()}
    may_export = resource.exported and staff.may(Right.EXPORT)
    exports = (("CSV", "csv"), ("Excel", "xlsx")) if may_export else ()
    return {
        "title": resource.entry.title,
        "saved_views": list(views.order_by("name")[:VIEWS_SHOWN]),
        "save_url": reverse("admin:save_view", query=shown),
        "list_actions": [
            {
                "action": action,
                "url": address_of(model, "list_act", action.name, query=request.GET),
            }
            for action in resource.list_actions
            if staff.may(action.right)
        ],
        "exports": [
            (words, address_of(model, "export", form, query=request.GET)) for words, form in exports
        ],
    }
