"""The page of an act: its form, what the service says to it, and what came of it."""

from typing import TYPE_CHECKING, Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from backoffice.acts import Act, Done, Work
from backoffice.audit import Deed, write_forbidden
from backoffice.errors import AlreadySent, Forbidden
from backoffice.forms import ActForm
from backoffice.staff import staff_of
from core.clock import request_now
from core.errors import ApiError

if TYPE_CHECKING:
    from backoffice.admin.office import OfficeAdmin

SENT_KEY = "staff_sent"
FORMS_KEPT = 50
SUBJECT_CHARACTERS = 64  # what an entry of the audit trail has room for


def require_right(
    admin: "OfficeAdmin", request: HttpRequest, act: Act, subject_id: str = ""
) -> None:
    """Raise PermissionDenied without the right to an act; write down whoever tried all the same."""
    staff = staff_of(request)
    if admin.has_view_permission(request) and staff.may(act.right):
        return
    if request.method == "POST":
        write_forbidden(staff=staff, deed=_deed(admin, act, subject_id), now=request_now())
    raise PermissionDenied


def act_page(admin: "OfficeAdmin", request: HttpRequest, act: Act, row: Any) -> HttpResponse:
    """Show the form of an act, or carry it out, for someone who has its right."""
    staff, instant = staff_of(request), request_now()
    if row is not None and not act.offered(row, instant):
        messages.warning(request, f"“{act.title}” is not possible any more: look again.")
        return HttpResponseRedirect(_back(admin, row))
    query = request.GET.urlencode()
    sent = (request.POST or None, request.FILES or None)
    form = act.form(*sent, row=row, staff=staff, now=instant, query=query)
    if request.method == "POST" and form.is_valid() and not _was_sent(request, form):
        done = _carry_out(act, Work(staff, row, form.cleaned_data, instant), form)
        if done is not None:
            _note_sent(request, form)
            return _finish(admin, request, act, row, done)
    return _form(admin, request, act, row, form)


def _was_sent(request: HttpRequest, form: ActForm) -> bool:
    """Say so on the form, if it was carried out before: a page with a new key was loaded again.

    For people at one browser; where money moves, the database has the last word.
    """
    if form.cleaned_data["form_key"] not in request.session.get(SENT_KEY, []):
        return False
    form.add_error(None, AlreadySent.message)
    return True


def _note_sent(request: HttpRequest, form: ActForm) -> None:
    sent = [*request.session.get(SENT_KEY, []), form.cleaned_data["form_key"]]
    request.session[SENT_KEY] = sent[-FORMS_KEPT:]


def _carry_out(act: Act, work: Work, form: ActForm) -> Done | None:
    """Let the service do it. None: it refused, and the form says why."""
    try:
        return act.carry_out(work)
    except Forbidden:
        raise PermissionDenied from None
    except ApiError as error:
        form.add_error(None, f"{error.message} {error.details}".strip())
        form.renew()
    return None


def _finish(
    admin: "OfficeAdmin", request: HttpRequest, act: Act, row: Any, done: Done
) -> HttpResponse:
    url = done.url or _back(admin, row)
    if not done.secret:
        messages.success(request, done.message)
        return HttpResponseRedirect(url)
    context = {**_context(admin, request, act, row), "done": done, "url": url}
    return TemplateResponse(request, "admin/backoffice/secret.html", context)


def _form(
    admin: "OfficeAdmin", request: HttpRequest, act: Act, row: Any, form: Any
) -> HttpResponse:
    context = {**_context(admin, request, act, row), "form": form, "back": _back(admin, row)}
    status = 422 if form.errors else 200
    return TemplateResponse(request, "admin/backoffice/act.html", context, status=status)


def _context(admin: "OfficeAdmin", request: HttpRequest, act: Act, row: Any) -> dict[str, Any]:
    return {
        **admin.admin_site.each_context(request),
        "opts": admin.model._meta,
        "title": act.title,
        "act": act,
        "row": row,
        "heading": admin.heading(row) if row is not None else "",
    }


def _back(admin: "OfficeAdmin", row: Any) -> str:
    meta = admin.model._meta
    if row is None:
        return reverse(f"admin:{meta.app_label}_{meta.model_name}_changelist")
    return reverse(f"admin:{meta.app_label}_{meta.model_name}_change", args=[row.pk])


def _deed(admin: "OfficeAdmin", act: Act, subject_id: str) -> Deed:
    return Deed(
        act=act.name.replace("-", " "),
        right=act.right,
        subject_type=str(admin.model._meta.model_name),
        subject_id=subject_id[:SUBJECT_CHARACTERS],
    )
