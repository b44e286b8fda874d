"""What every ModelAdmin here is: a list that only reads, a page per object, and named acts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar

from django.contrib.admin import ModelAdmin, ShowFacets
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path, reverse
from unfold.admin import ModelAdmin as UnfoldAdmin
from unfold.views import ChangeList

from backoffice.acts import Act
from backoffice.admin.paginator import CappedPaginator
from backoffice.page_parts import Answer, Moment, Section, Table
from backoffice.pages.action import act_page, require_right
from backoffice.pages.detail import detail_page
from backoffice.pages.export import export_page
from backoffice.pages.listing import list_context
from backoffice.roles import Right
from backoffice.staff import staff_of


class OfficeList(ChangeList):  # type: ignore[misc]  # unfold has no types
    """A list whose links are the ids as they are: Django would write `_` as `_5F`."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        if not self.show_all:
            self.result_list = self.paginator.rows_of(self.page_num)

    def url_for_result(self, result: Any) -> str:
        meta = self.model._meta
        return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[result.pk])


class OfficeAdmin(UnfoldAdmin):  # type: ignore[misc]  # unfold has no types
    """Nothing is added, edited or deleted through Django's forms: `acts` are all there is."""

    view_right: ClassVar[Right]
    plural: ClassVar[str] = ""
    counted: ClassVar[tuple[str, str]] = ("", "")
    acts: ClassVar[Sequence[Act]] = ()
    list_acts: ClassVar[Sequence[Act]] = ()
    quick_filters: ClassVar[Sequence[tuple[str, str]]] = ()
    notes: ClassVar[bool] = False
    exported: ClassVar[bool] = True
    audited: ClassVar[bool] = True

    actions = None
    ordering = ("-pk",)
    sortable_by = ()
    list_per_page = 50
    show_full_result_count = False
    show_facets = ShowFacets.NEVER
    paginator = CappedPaginator
    list_fullwidth = True
    change_list_template = "admin/backoffice/change_list.html"

    @property
    def list_title(self) -> str:
        """What the list is called."""
        return self.plural or str(self.model._meta.verbose_name_plural).capitalize()

    @property
    def counted_as(self) -> tuple[str, str]:
        """What one row is called, and what several are."""
        meta = self.model._meta
        one, several = self.counted
        return one or str(meta.verbose_name), several or str(meta.verbose_name_plural)

    # What a page about one object says; each resource fills in what it has.

    def heading(self, row: Any) -> str:
        """Return the name of an object, as a person would say it."""
        return f"{self.model._meta.verbose_name} {row}".capitalize()

    def answer(self, row: Any, now: datetime) -> Answer | None:
        """Return what to tell the caller."""
        return None

    def sections(self, row: Any) -> list[Section]:
        """Return the facts of an object. No secret and no hash is one."""
        return []

    def tables(self, row: Any) -> list[Table]:
        """Return the rows that belong to an object, bounded."""
        return []

    def timeline(self, row: Any) -> list[Moment]:
        """Return what happened to an object, newest first."""
        return []

    def related(self, request: HttpRequest) -> tuple[str, ...]:
        """Return what a page about one object reads together with it."""
        return tuple(self.list_select_related or ())

    # Who may see it.

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return staff_of(request).may(self.view_right)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """Allow the filters of this list, and no question about any other field."""
        known = {item.parameter_name for item in self.list_filter}
        return lookup in known or lookup.removesuffix("_from").removesuffix("_to") in known

    # Its pages.

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[OfficeList]:
        return OfficeList

    def get_urls(self) -> list[URLPattern]:
        name = f"{self.model._meta.app_label}_{self.model._meta.model_name}"
        guard = self.admin_site.admin_view
        own = [
            path("acts/<slug:act_name>/", guard(self.list_act_view), name=f"{name}_list_act"),
            path("export/<slug:form>/", guard(self.export_view), name=f"{name}_export"),
            path(
                "<path:object_id>/acts/<slug:act_name>/", guard(self.act_view), name=f"{name}_act"
            ),
        ]
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

    def act_view(self, request: HttpRequest, object_id: str, act_name: str) -> HttpResponse:
        """Show the form of an act on an object, or carry it out."""
        act = _named(self.acts, act_name)
        require_right(self, request, act, object_id)
        return act_page(self, request, act, self.row_of(request, object_id))

    def list_act_view(self, request: HttpRequest, act_name: str) -> HttpResponse:
        """Show the form of an act on the list, or carry it out."""
        act = _named(self.list_acts, act_name)
        require_right(self, request, act)
        return act_page(self, request, act, None)

    def export_view(self, request: HttpRequest, form: str) -> HttpResponse:
        """Answer with the rows of the list as a file."""
        return export_page(self, request, form)

    def row_of(self, request: HttpRequest, object_id: str) -> Any:
        """Return the object of a page. Raises PermissionDenied before it says whether it exists."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        rows = self.get_queryset(request).select_related(*self.related(request))
        try:
            row = rows.filter(pk=object_id).first()
        except ValueError:
            row = None
        if row is None:
            raise Http404
        return row


def _named(acts: Sequence[Act], name: str) -> Act:
    for act in acts:
        if act.name == name:
            return act
    raise Http404
