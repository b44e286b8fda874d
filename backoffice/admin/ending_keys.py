"""Revoke an API key, and end what was made with it.

Each thing is ended by the action of its own page, with its audit entry, events and notices. Those
are transactions of their own, as an entry is the last thing that its transaction locks: what a
later one refuses does not undo the earlier ones, and the key has ended first.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.db.models import Model
from django.utils import timezone
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from backoffice.actions import Action, ActionContext, ActionResult, as_returned, run
from backoffice.admin.made_with_keys import (
    KINDS,
    MOST_AT_ONCE,
    counts,
    keys_made_with,
    made_since,
    still_working,
)
from backoffice.errors import Forbidden
from backoffice.figures import day_start
from backoffice.formats import counted
from backoffice.forms import CheckboxField, DateInputField, ReasonForm
from backoffice.roles import Right
from backoffice.services.merchants import end_key
from backoffice.staff import Staff
from core.clock import request_now
from core.errors import ApiError
from merchants.models import ApiKey

REVOKE_ALONE = Action(
    title="Revoke",
    right=Right.KEYS,
    service=end_key,
    message="The key has been revoked.",
    audited_as="revoke key",
    watches=("id", "hint", "expires_at", "revoked_at"),
)


class EndMadeForm(ReasonForm):
    """From which day on, and which of the keys made with this one."""

    since = DateInputField(
        label="Made since", help_text="From the start of this day. Earlier ones go on."
    )
    keys = forms.MultipleChoiceField(
        required=False,
        label="Keys to revoke as well",
        widget=UnfoldAdminCheckboxSelectMultipleWidget(),
        help_text="A replacement, and what was made with it, may be the merchant's own: ask.",
    )
    field_order = ("form_key", "also", "since", "keys", "reason")

    def prepare(self) -> None:
        made = [each for each in keys_made_with(self.row) if each.key.is_active(self.now)]
        self.fields["since"].initial = timezone.localtime(self.row.created_at).date()
        self.fields["keys"].choices = [(each.key.pk, each.words) for each in made]  # type: ignore[attr-defined]  # a field of choices
        self.fields["keys"].initial = [each.key.pk for each in made if not each.may_be_owners]
        if not made:
            del self.fields["keys"]

    def lines(self) -> list[str]:
        still = still_working(self.row, self.now, self.staff.may)
        return [f"Made with it and still active: {still}."] if still else []


class RevokeForm(EndMadeForm):
    """A reason; and, if something was made with the key, whether to end that too."""

    also = CheckboxField(required=False, label="Also end what was made with it")

    def prepare(self) -> None:
        super().prepare()
        self.fields["since"].required = False
        if "keys" not in self.fields and not self.lines():
            del self.fields["also"], self.fields["since"]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if values.get("also") and not values.get("since") and "since" not in self.errors:
            self.add_error("since", "Enter a day.")
        return values


def _revoke(context: ActionContext) -> ActionResult:
    """Revoke the key; then, if that was ticked, end what was made with it."""
    revoked = run(REVOKE_ALONE, context)
    if not context.data.get("also"):
        return revoked
    ended = _end_made(context)
    return replace(ended, message=f"{revoked.message} {ended.message}")


def _end_made(context: ActionContext) -> ActionResult:
    """End what was made with the key, and with the keys that end with it."""
    keys = _keys_that_end(context)
    number = _end_each(REVOKE_ALONE, context, [key for key in keys if key.is_active(context.now)])
    done = [counted(number, "key")] if number else []
    since = made_since([context.row, *keys], day_start(context.data["since"]), context.now)
    for kind in KINDS:
        rows = list(kind.rows(since)[:MOST_AT_ONCE]) if context.staff.may(kind.end.right) else []
        if ended := _end_each(kind.end, context, rows):
            done.append(counted(ended, kind.name))
    left = counts(since, context.staff.may)
    words = f"Made with it and ended: {', '.join(done) or 'nothing'}."
    return ActionResult(f"{words} Still active: {left}." if left else words, is_warning=bool(left))


def _keys_that_end(context: ActionContext) -> list[ApiKey]:
    """Return the chosen keys, and those made with these or the key itself that ended before.

    Not those in place of any other key, unless they were chosen: they may be the owner's.
    """
    ending = {context.row.actor: context.row}
    replaced: set[str | None] = {None}  # by keys that end with these; None: no key was
    for made in keys_made_with(context.row):
        key = made.key
        is_of_these = key.created_by in ending and key.replaces_id in replaced
        has_ended = is_of_these and not key.is_active(context.now)
        if has_ended or key.pk in context.data.get("keys", []):
            ending[key.actor] = key
            replaced.add(key.pk)
    return list(ending.values())[1:]


def _end_each(action: Action, context: ActionContext, rows: Sequence[Model]) -> int:
    """End each by its own action; return how many. A refusal is in the audit trail by then."""
    number = 0
    for row in rows:
        try:
            run(action, ActionContext(context.staff, row, context.data, context.now))
        except Forbidden:
            raise
        except ApiError:
            continue
        number += 1
    return number


def _goes_on(key: ApiKey, staff: Staff) -> bool:
    return bool(still_working(key, request_now(), staff.may))


REVOKE = Action(
    title="Revoke",
    right=Right.KEYS,
    form=RevokeForm,
    service=_revoke,
    message=as_returned,
    about="Requests that use it are refused at once.",
    icon="key_off",
    danger=True,
    available=lambda key, now: key.is_active(now),
)
END_MADE = Action(
    title="End what it made",
    right=Right.KEYS,
    form=EndMadeForm,
    service=_end_made,
    message=as_returned,
    about="The key itself has ended. Endpoints are switched off, and payment links can no"
    " longer be paid.",
    icon="link_off",
    danger=True,
    available=lambda key, now: not key.is_active(now),
    shown_to=_goes_on,
)
