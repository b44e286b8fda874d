"""What stands above a list: its filters as menus, its saved views, its exports and its acts."""

from typing import TYPE_CHECKING, Any

from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse

from backoffice.models import SavedView
from backoffice.roles import Right
from backoffice.staff import staff_of

if TYPE_CHECKING:
    from backoffice.admin.office import OfficeAdmin

VIEWS_SHOWN = 20


def list_context(admin: "OfficeAdmin", request: HttpRequest) -> dict[str, Any]:
    """Return what the template of a list needs beside Django's own."""
    staff, meta = staff_of(request), admin.model._meta
    name = f"admin:{meta.app_label}_{meta.model_name}"
    own_or_shared = Q(owner_id=staff.user_id) | Q(shared=True)
    views = SavedView.objects.filter(own_or_shared, path=request.path).select_related("owner")
    query = request.GET.urlencode()
    exports = (("CSV", "csv"), ("Excel", "xlsx")) if admin.exported else ()
    return {
        "title": admin.list_title,
        "saved_views": list(views.order_by("name")[:VIEWS_SHOWN]),
        "save_url": f"{reverse('admin:save_view')}?{_saving(request)}",
        "list_acts": [
            {"act": act, "url": f"{reverse(f'{name}_list_act', args=[act.name])}?{query}"}
            for act in admin.list_acts
            if staff.may(act.right)
        ],
        "exports": [
            (words, f"{reverse(f'{name}_export', args=[form])}?{query}") for words, form in exports
        ]
        if staff.may(Right.EXPORT)
        else [],
    }


def _saving(request: HttpRequest) -> str:
    wanted = request.GET.copy()
    wanted.clear()
    wanted["path"], wanted["query"] = request.path, request.GET.urlencode()
    return wanted.urlencode()
