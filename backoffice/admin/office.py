"""The base of every ModelAdmin: what a resource declares, and the pages that show it."""

from collections.abc import Sequence
from typing import Any

from django.contrib.admin import ModelAdmin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR
from django.core.exceptions import PermissionDenied, ValidationError
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path
from unfold.views import ChangeList

from backoffice.actions import Action
from backoffice.page_parts import TimelineEntry
from backoffice.pages.action import action_page, require_right
from backoffice.pages.detail import detail_page
from backoffice.pages.export import export_page
from backoffice.pages.listing import list_context
from backoffice.queues import QueueFilter, queues_in
from backoffice.resource.filters import OfficeFilter
from backoffice.resource.page_urls import address_of, page_of, with_filters
from backoffice.resource.resource import AdminResource
from backoffice.resource.shown import with_currency_above
from backoffice.timeline import timeline_of_row


class OfficeList(ChangeList):  # type: ignore[misc]  # unfold has no types
    """A list whose links keep its filters, and ids unescaped: Django would write `_` as `_5F`."""

    def get_results(self, request: HttpRequest) -> None:
        try:
            super().get_results(request)
        except IncorrectLookupParameters:  # the page that one comes back to is gone
            self.page_num = 1
            super().get_results(request)
        if not self.multi_page:
            self.page_num = 1
        if not self.show_all:
            self.result_list = self.paginator.rows_of(self.page_num)
        self.list_display: list[Any] = with_currency_above(self.list_display, self.result_list)

    def url_for_result(self, result: Any) -> str:
        place = {PAGE_VAR: self.page_num} if self.page_num > 1 else {}
        return with_filters(page_of(result), self.get_query_string(place)[1:])


ADMINS: dict[type[Model], type["OfficeAdmin"]] = {}


class OfficeAdmin(AdminResource):
    """A resource with its pages: the list, its export, an object, and the forms of actions."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        ADMINS[cls.model] = cls

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[OfficeList]:
        return OfficeList

    def filters(self) -> Sequence[type[OfficeFilter]]:
        waiting = [QueueFilter] if queues_in(self.model) else []
        return [*waiting, *super().filters()]

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.model._meta.app_label}_{self.model._meta.model_name}"
        guard = self.admin_site.admin_view
        own = [
            path("acts/<slug:name>/", guard(self.action_view), name=f"{name}_list_act"),
            path("export/<slug:form>/", guard(self.export_view), name=f"{name}_export"),
            path("<path:object_id>/acts/<slug:name>/", guard(self.action_view), name=f"{name}_act"),
        ]
        if self.file_route:
            file = path(
                f"<path:object_id>/{self.file_route}", guard(self.file_view), name=f"{name}_file"
            )
            own.append(file)
        left_out = {None, f"{name}_add", f"{name}_delete", f"{name}_history"}
        known: list[URLPattern] = ModelAdmin.get_urls(self)
        return own + [item for item in known if item.name not in left_out]

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if request.method != "GET":
            raise PermissionDenied
        context = {**list_context(self, request), **(extra_context or {})}
        response: HttpResponse = super().changelist_view(request, context)
        return response

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        if request.method != "GET":
            raise PermissionDenied
        return detail_page(self, request, self.row_of(request, object_id))

    def action_view(self, request: HttpRequest, name: str, object_id: str = "") -> HttpResponse:
        """Show the form of an action on an object, or on the list, or carry it out."""
        action = _named(self.row_actions if object_id else self.list_actions, name)
        require_right(self, request, action, object_id)
        row = self.row_of(request, object_id) if object_id else None
        return action_page(self, request, action, row)

    def export_view(self, request: HttpRequest, form: str) -> HttpResponseBase:
        """Respond with the rows of the list as a file; from another site, lead to the list."""
        if _is_from_elsewhere(request):
            return HttpResponseRedirect(address_of(self.model, "changelist", query=request.GET))
        return export_page(self, request, form)

    def file_view(self, request: HttpRequest, object_id: str, form: str = "") -> HttpResponseBase:
        """Respond with the file of an object; from another site, lead to the object's page."""
        row = self.row_of(request, object_id)
        if _is_from_elsewhere(request):
            return HttpResponseRedirect(page_of(row))
        return self.file_response(request, row, form)

    def file_response(self, request: HttpRequest, row: Any, form: str) -> HttpResponseBase:
        """Return the file of an object at its `file_route`, if there is one."""
        raise Http404

    def timeline(self, row: Any) -> list[TimelineEntry]:
        """Return what messages, staff and the service itself did about an object."""
        return timeline_of_row(row) if self.entry.prefix else []

    def row_of(self, request: HttpRequest, object_id: str) -> Any:
        """Return the object of a page. Raises PermissionDenied before Http404."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        rows = self.get_queryset(request).select_related(*(self.list_select_related or ()))
        try:
            return get_object_or_404(rows, pk=object_id)
        except (ValueError, ValidationError):
            raise Http404 from None


def _named(actions: Sequence[Action], name: str) -> Action:
    for action in actions:
        if action.name == name:
            return action
    raise Http404


def _is_from_elsewhere(request: HttpRequest) -> bool:
    """Return whether another site's page has led here.

    The session cookie comes along, and a GET records an audit entry for a file, or starts its
    preparation. Browsers without the header, or without TLS, do not tell.
    """
    return request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none")
