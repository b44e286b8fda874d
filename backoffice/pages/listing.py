"""What stands above a list: filter menus, exports, actions, and its views saved under a name."""

from typing import Any
from urllib.parse import parse_qsl, urlencode

from django import forms
from django.contrib.admin import AdminSite
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from backoffice.forms import CheckboxField, TextInputField
from backoffice.models import SavedView
from backoffice.resource.catalog import CATALOG
from backoffice.resource.page_urls import address_of
from backoffice.resource.resource import AdminResource
from backoffice.roles import Right
from backoffice.staff import staff_of
from core.clock import request_now

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


MOST_CHARACTERS = 1_000  # of the filters, as they are stored


class ViewForm(forms.Form):
    """A name for the list on the screen; `path` and `query` are the list and its filters."""

    name = TextInputField(max_length=60)
    shared = CheckboxField(required=False, label="Share with all staff")
    path = forms.CharField(max_length=100, widget=forms.HiddenInput())
    query = forms.CharField(max_length=MOST_CHARACTERS, required=False, widget=forms.HiddenInput())

    def __init__(self, *sent: Any, site: AdminSite, **more: Any) -> None:
        super().__init__(*sent, **more)
        self.site = site

    def clean(self) -> dict[str, Any]:
        """Refuse anything but a list, and keep only the parameters that filter it."""
        values = self.cleaned_data
        resource = _list_at(self.site, values.get("path", ""))
        if resource is None:
            raise forms.ValidationError("This is not a list of the back office.")
        sent = parse_qsl(values.get("query", ""))  # refused already if it is missing
        query = urlencode([pair for pair in sent if resource.lookup_allowed(*pair)])
        if len(query) > MOST_CHARACTERS:  # encoded, other letters than ASCII take more space
            raise forms.ValidationError("These filters are too long to be saved.")
        return values | {"query": query}


def _list_at(site: AdminSite, path: str) -> Any:
    """Return the resource whose list has this path; None if no list has."""
    for model in CATALOG:
        if address_of(model, "changelist") == path:
            return site.get_model_admin(model)
    return None


def own_views(site: AdminSite, request: HttpRequest) -> list[SavedView]:
    """Return the reader's views, without those of lists that their role no longer sees."""
    views = SavedView.objects.filter(owner_id=staff_of(request).user_id).order_by("name")
    found = [(view, _list_at(site, view.path)) for view in views]
    return [view for view, shown in found if shown and shown.has_view_permission(request)]


def save_view_page(site: AdminSite, request: HttpRequest) -> HttpResponse:
    """Ask for a name, and save the view under it, replacing one's own of the same name."""
    initial = {"path": request.GET.get("path", ""), "query": request.GET.get("query", "")}
    form = ViewForm(request.POST or None, initial=initial, site=site)
    if request.method == "POST" and form.is_valid():
        values, staff = form.cleaned_data, staff_of(request)
        shown = {name: values[name] for name in ("path", "query", "shared")}
        SavedView.objects.update_or_create(
            owner_id=staff.user_id,
            name=values["name"],
            defaults=shown,
            create_defaults=shown | {"created_at": request_now()},
        )
        return HttpResponseRedirect(f"{values['path']}?{values['query']}")
    title, own = "Save this view", own_views(site, request)
    context = {**site.each_context(request), "title": title, "form": form, "views": own}
    return TemplateResponse(request, "admin/backoffice/save_view.html", context)


def forget_view_page(site: AdminSite, request: HttpRequest, view_id: int) -> HttpResponse:
    if request.method == "POST":
        SavedView.objects.filter(pk=view_id, owner_id=staff_of(request).user_id).delete()
    return redirect("admin:save_view")
