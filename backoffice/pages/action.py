"""The page of an action: its form, the refusal or the result of the service."""

from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse

from backoffice.actions import Action, ActionContext, ActionResult, run
from backoffice.audit import AuditAction, append_forbidden
from backoffice.errors import Forbidden, FormAlreadySubmitted, advice_on
from backoffice.forms import ActionForm
from backoffice.pages.detail import answer_about, is_seen, report_altered
from backoffice.resource.page_urls import LIST_FILTERS, list_of, page_of, with_filters
from backoffice.resource.resource import AdminResource
from backoffice.staff import Staff, staff_of
from core.clock import request_now
from core.errors import ApiError

SENT_KEY = "staff_sent"
FORMS_KEPT = 50
EVENTS_SHOWN = 3  # of what happened meanwhile
SUBJECT_CHARACTERS = 64  # what an entry of the audit trail has room for


def require_right(
    resource: AdminResource, request: HttpRequest, action: Action, subject_id: str
) -> None:
    """Raise PermissionDenied without the right to an action, and record the attempt."""
    staff = staff_of(request)
    if resource.has_view_permission(request) and staff.may(action.right):
        return
    if request.method == "POST":
        append_forbidden(
            staff=staff, action=_attempt(resource, action, subject_id), now=request_now()
        )
    raise PermissionDenied


def action_page(
    resource: AdminResource, request: HttpRequest, action: Action, row: Any
) -> HttpResponse:
    """Show the form of an action or carry the action out. The right must have been checked."""
    staff, instant = staff_of(request), request_now()
    filters = request.GET.get(LIST_FILTERS, "")
    listed = list_of(resource.model, **request.GET.dict())
    back = with_filters(page_of(row), filters) if row else listed
    is_late = row is not None and not action.available(row, instant)
    if is_late and request.method != "POST":
        messages.warning(request, f"“{action.title}” is no longer possible: check its status.")
        return HttpResponseRedirect(back)
    query = request.GET.urlencode()
    sent = (request.POST, request.FILES) if request.method == "POST" else (None, None)
    form = action.form(*sent, row=row, staff=staff, now=instant, query=query)
    draw = partial(_draw, resource, request, action, row, altered=report_altered(row))
    if is_late:
        _refuse_late(request, action, form)
        return draw("action", 409, form=form, back=back, **_what_happened(resource, row, staff))
    if request.method == "POST" and form.is_valid() and not _was_sent(request, form):
        done = _carry_out(action, ActionContext(staff, row, form.cleaned_data, instant), form)
        if done is not None and done.table:
            return draw("action", form=form, back=back, table=done.table)
        if done is not None:
            _note_sent(request, form)
            url = done.url or back
            return (
                draw("secret", done=done, url=url) if done.secret else _finish(request, done, url)
            )
    form.take_focus()
    return draw("action", 422 if form.errors else 200, form=form, back=back)


def _refuse_late(request: HttpRequest, action: Action, form: ActionForm) -> None:
    """Replace the errors of a form by why it comes too late: it was sent, or something else was."""
    was_sent = form.is_valid() and _was_sent(request, form)
    form.errors.clear()
    words = f"“{action.title}” is no longer possible, and nothing was done."
    form.add_error(None, FormAlreadySubmitted.message if was_sent else words)


def _what_happened(resource: AdminResource, row: Any, staff: Staff) -> dict[str, Any]:
    """Return what the page of a form that comes too late says of its object as it is now."""
    answer = answer_about(resource, row, request_now())
    timeline = [each for each in resource.timeline(row) if is_seen(each, staff)]
    return {
        "is_late": True,
        "state": answer.words if answer else [],
        "timeline": timeline[:EVENTS_SHOWN],
    }


def _was_sent(request: HttpRequest, form: ActionForm) -> bool:
    """Return whether this form was submitted before, and add the error to the form.

    This is for people who press twice in one browser; where money moves, the database has the last
    word.
    """
    if form.cleaned_data["form_key"] not in request.session.get(SENT_KEY, []):
        return False
    form.add_error(None, FormAlreadySubmitted.message)
    return True


def _note_sent(request: HttpRequest, form: ActionForm) -> None:
    sent = [*request.session.get(SENT_KEY, []), form.cleaned_data["form_key"]]
    request.session[SENT_KEY] = sent[-FORMS_KEPT:]


def _carry_out(action: Action, context: ActionContext, form: ActionForm) -> ActionResult | None:
    """Call the service. None if it refused, in which case the form shows why."""
    try:
        return run(action, context)
    except Forbidden:
        raise PermissionDenied from None
    except ApiError as error:
        form.add_error(None, f"{error.message} {advice_on(error)}".strip())
        form.renew()
    return None


def _finish(request: HttpRequest, done: ActionResult, url: str) -> HttpResponse:
    if done.file:
        response = HttpResponse(done.file, content_type="application/octet-stream")
        response["Content-Disposition"] = f'attachment; filename="{done.file_name}"'
        return response
    level = messages.WARNING if done.is_warning else messages.SUCCESS
    messages.add_message(request, level, done.message)
    return HttpResponseRedirect(url)


def _draw(
    resource: AdminResource,
    request: HttpRequest,
    action: Action,
    row: Any,
    name: str,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    context = {
        **resource.admin_site.each_context(request),
        "opts": resource.model._meta,
        "title": action.title,
        "action": action,
        "row": row,
        "heading": resource.heading(row) if row is not None else "",
        **more,
    }
    return TemplateResponse(request, f"admin/backoffice/{name}.html", context, status=status)


def _attempt(resource: AdminResource, action: Action, subject_id: str) -> AuditAction:
    act = action.audited_as or f"{action.title[0].lower()}{action.title[1:]}"
    kind = str(resource.model._meta.model_name)
    return AuditAction(act, action.right, kind, subject_id[:SUBJECT_CHARACTERS])
