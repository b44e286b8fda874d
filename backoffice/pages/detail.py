"""The page about one object: the answer, the acts, the facts, the timeline, the notes."""

from typing import TYPE_CHECKING, Any

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from backoffice.models import Note
from backoffice.roles import Right
from backoffice.staff import Staff, staff_of
from core.clock import request_now

if TYPE_CHECKING:
    from backoffice.admin.office import OfficeAdmin

NOTES_SHOWN = 50


def detail_page(admin: "OfficeAdmin", request: HttpRequest, row: Any) -> HttpResponse:
    """Show an object."""
    instant, staff = request_now(), staff_of(request)
    meta = admin.model._meta
    context = {
        **admin.admin_site.each_context(request),
        "opts": meta,
        "title": admin.heading(row),
        "list_title": admin.list_title,
        "list_url": reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist"),
        "row": row,
        "answer": admin.answer(row, instant),
        "acts": offered_acts(admin, staff, row, instant),
        "sections": admin.sections(row),
        "tables": [
            table for table in admin.tables(row) if table.right is None or staff.may(table.right)
        ],
        "timeline": admin.timeline(row),
        "now": instant,
        "livemode": getattr(row, "livemode", None),
        **_notes(admin, staff, row),
    }
    if staff.may(Right.VIEW_AUDIT) and admin.audited:
        context["audit_url"] = (
            f"{reverse('admin:backoffice_auditentry_changelist')}?subject={row.pk}"
        )
    return TemplateResponse(request, "admin/backoffice/detail.html", context)


def offered_acts(
    admin: "OfficeAdmin", staff: Staff, row: Any, instant: Any
) -> list[dict[str, Any]]:
    """Return what this member of staff can do to the object as it is now: what harms comes last."""
    meta = admin.model._meta
    name = f"admin:{meta.app_label}_{meta.model_name}_act"
    return [
        {"act": act, "url": reverse(name, args=[row.pk, act.name])}
        for act in sorted(admin.acts, key=lambda act: act.danger)
        if staff.may(act.right) and act.offered(row, instant) and act.for_whom(row, staff)
    ]


def _notes(admin: "OfficeAdmin", staff: Staff, row: Any) -> dict[str, Any]:
    if not admin.notes:
        return {}
    notes = Note.objects.filter(subject_id=row.pk).select_related("author").order_by("-pk")
    meta = admin.model._meta
    url = reverse(f"admin:{meta.app_label}_{meta.model_name}_act", args=[row.pk, "note"])
    return {
        "notes": list(notes[:NOTES_SHOWN]),
        "note_url": url if staff.may(Right.NOTE) else "",
        "show_notes": True,
    }
