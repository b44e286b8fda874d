"""The page about one object: the answer, the actions, the facts, the timeline, the notes."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import structlog
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template.response import TemplateResponse

from backoffice.audit_verification import is_entry_altered
from backoffice.models import AuditEntry, Instruction, NoteSubject
from backoffice.page_parts import NOTE, Section, SupportAnswer, Table, TimelineEntry
from backoffice.request_answer import request_words, requests_about
from backoffice.resource.page_urls import LIST_FILTERS, address_of, list_of, with_filters
from backoffice.resource.resource import AdminResource
from backoffice.roles import Right
from backoffice.staff import Staff, staff_of, tasks_hidden_from
from backoffice.statuses import InstructionStatus
from core.clock import request_now
from core.signatures import is_altered

MOST_ASKED = 40

logger = structlog.get_logger(__name__)


def detail_page(resource: AdminResource, request: HttpRequest, row: Any) -> HttpResponse:
    instant, staff = request_now(), staff_of(request)
    filters = request.GET.get(LIST_FILTERS, "")
    question = request.GET.get("ask", "").strip()[:MOST_ASKED] if resource.asks else ""
    timeline = [each for each in resource.timeline(row) if is_seen(each, staff)]
    sections = [each for each in resource.sections(row) if each.facts and is_seen(each, staff)]
    asked = resource.asked(row, question) if question else []
    requests = _requests(resource, staff, row, instant)
    answer = _answer(resource, staff, row, requests, instant)
    asked_for = {each.task for each in requests if each.status == InstructionStatus.WAITING}
    is_advising = not (asked_for or (answer and (answer.next_step or answer.is_warning)))
    tables = [
        each
        for each in (*asked, *resource.tables(row))
        if is_seen(each, staff) and (each.rows or not resource.hides_empty)
    ]
    context = {
        **resource.admin_site.each_context(request),
        "opts": resource.model._meta,
        "title": resource.heading(row),
        "list_title": resource.entry.title,
        "list_url": list_of(resource.model, **QueryDict(filters).dict()),
        "asks": resource.asks,
        "question": question,
        "answer": answer,
        "files": resource.files(row) if staff.may(resource.file_right) else [],
        "row_actions": available_actions(
            resource, staff, row, instant, filters, asked_for, is_advising=is_advising
        ),
        "filters": {LIST_FILTERS: filters} if filters else {},
        "sections": sections,
        "tables": tables,
        "timeline": timeline,
        "notes": [moment for moment in timeline if moment.kind == NOTE],
        "note_url": with_filters(address_of(resource.model, "act", row.pk, "note"), filters)
        if staff.may(Right.NOTE)
        else "",
        "show_notes": resource.model._meta.model_name in NoteSubject.values,
        "is_changing": resource.is_changing(row),
        "livemode": getattr(row, "livemode", None),
    }
    if staff.may(Right.VIEW_AUDIT) and resource.audited:
        context["audit_url"] = list_of(AuditEntry, subject=row.pk)
    return TemplateResponse(request, "admin/backoffice/detail.html", context)


def is_seen(part: Section | Table | TimelineEntry, staff: Staff) -> bool:
    """Return whether a member of staff may see a part of a page."""
    return part.right is None or staff.may(part.right)


def _requests(
    resource: AdminResource, staff: Staff, row: Any, instant: datetime
) -> list[Instruction]:
    if not resource.entry.prefix and resource.requested_as == "pk":
        return []
    hidden = tasks_hidden_from(staff)
    return requests_about(str(getattr(row, resource.requested_as)), instant, hidden)


def _answer(
    resource: AdminResource,
    staff: Staff,
    row: Any,
    requests: Sequence[Instruction],
    instant: datetime,
) -> SupportAnswer | None:
    """Return what to tell the caller, and what has been requested for the object."""
    answer = answer_about(resource, row, instant)
    if answer and staff.may(Right.VIEW_PAYOUTS):
        answer = replace(answer, words=[*answer.words, *answer.of_payouts])
    if not requests:
        return answer
    answer, name = answer or SupportAnswer([], "wait"), str(getattr(row, resource.requested_as))
    words = [request_words(request, name, instant) for request in requests]
    return replace(answer, words=[*answer.words, *words])


def available_actions(
    resource: AdminResource,
    staff: Staff,
    row: Any,
    instant: datetime,
    filters: str,
    asked_for: set[str],
    *,
    is_advising: bool,
) -> list[dict[str, Any]]:
    """Return what this member of staff can do to the object now, dangerous actions last.

    What has been asked for, and waits, is not offered again if once is enough.

    The first one that is `main` is the page's advice, unless something else comes first: a
    colleague's decision, so that nothing is requested twice, or a step on another page.
    """
    actions = [
        action
        for action in sorted(resource.row_actions, key=lambda action: action.danger)
        if staff.may(action.right)
        and action.asked_once not in asked_for
        and action.available(row, instant)
        and action.shown_to(row, staff)
    ]
    advised = next((action for action in actions if action.main), None) if is_advising else None
    return [
        {
            "action": action,
            "url": with_filters(address_of(resource.model, "act", row.pk, action.name), filters),
            "is_advised": action is advised,
        }
        for action in actions
    ]


def report_altered(row: Any) -> str:
    """Return what to say of a row that is not as the service wrote it, and log an error; else "".

    Requests are left out: their own page says more. Without a row there is nothing to say.
    """
    if row is None:
        return ""
    is_entry = isinstance(row, AuditEntry)
    if isinstance(row, Instruction) or not (is_entry_altered(row) if is_entry else is_altered(row)):
        return ""
    name = str(row._meta.verbose_name)
    logger.error("row_altered", row=f"{name} {row.pk}")
    which = "audit entry, or the one before it," if is_entry else name
    return (
        f"This {which} was changed in the database by something other than this service: do not"
        " rely on what this page says, do nothing about it, and tell the operators of the service"
        " at once."
    )


def answer_about(resource: AdminResource, row: Any, now: datetime) -> SupportAnswer | None:
    """Return what to tell the caller about a row at this moment; of an altered one, only that."""
    if altered := report_altered(row):
        return SupportAnswer([altered], "bad", is_warning=True)
    return resource.answer(row, now)
