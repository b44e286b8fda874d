"""API keys: what may be shown of them, and how they are rolled and revoked."""

from datetime import timedelta

from django import forms
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from backoffice.actions import Action, ActionContext
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.submission import key_result, submit
from backoffice.forms import ActionForm, TextInputField
from backoffice.models import Instruction
from backoffice.resource.filters import ModeFilter
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.shown import Badge, Code, Field, Instant
from backoffice.resource.usual_fields import CREATED, MERCHANT, MODE
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.merchants import end_key, replace_test_key, right_to_keys
from core.clock import request_now
from merchants.access import EVERYTHING
from merchants.models import ApiKey
from merchants.services import IssuedKey


class RollForm(ActionForm):
    overlap_hours = forms.IntegerField(
        min_value=0,
        max_value=24 * 7,
        initial=24,
        widget=UnfoldAdminIntegerFieldWidget(),
        help_text="How long the old key keeps working alongside the new one.",
    )
    reason = TextInputField(max_length=500)


def _roll(context: ActionContext) -> IssuedKey | Instruction:
    """Roll a test key; request a live one, which takes a second person."""
    key: ApiKey = context.row
    hours: int = context.data["overlap_hours"]
    if key.livemode:
        arguments = {"overlap_hours": hours}
        return submit(context, instruction_kinds.ROLL_LIVE_KEY, arguments=arguments)
    return replace_test_key(
        staff=context.staff,
        key_id=key.pk,
        overlap=timedelta(hours=hours),
        reason=context.data["reason"],
        now=context.now,
    )


ROLL = Action(
    title="Roll",
    right=Right.KEYS,
    form=RollForm,
    service=_roll,
    message=key_result("The key has been replaced.", "The new key"),
    about="Replaces the key with a new one. The merchant is notified by e-mail. A live key takes"
    " another Administrator's approval first.",
    icon="autorenew",
    available=lambda key, now: key.can_be_rolled(now),
    shown_to=lambda key, staff: staff.may(right_to_keys(key.livemode)),
)
REVOKE = Action(
    title="Revoke",
    right=Right.KEYS,
    service=end_key,
    message="The key has been revoked.",
    audited_as="revoke key",
    watches=("id", "hint", "expires_at", "revoked_at"),
    about="Requests that use it are refused at once.",
    icon="key_off",
    danger=True,
    available=lambda key, now: key.is_active(now),
)
HINT, NAME = Code("Key", "hint"), Field("Name", "name")
KEY_STATE = Badge("State", lambda key: _state(key))
LAST_USED = Instant("Last used", "last_used_at", empty="—")


def _state(key: ApiKey) -> str:
    if key.is_active(request_now()):
        return "active"
    return "revoked" if key.revoked_at else "ended"


class ApiKeyAdmin(OfficeAdmin):
    model = ApiKey
    heading_format = "API key {row.hint}"
    list_select_related = ("merchant",)
    list_display = (HINT, NAME, MERCHANT, KEY_STATE, CREATED, LAST_USED, MODE)
    summary = (HINT, MODE, NAME, MERCHANT, KEY_STATE, CREATED, LAST_USED)
    list_filter = (ModeFilter, MerchantFilter)
    row_actions = (ROLL, REVOKE)
    details = (
        Code("May do", lambda key: "everything" if key.scopes == EVERYTHING else key.scopes),
        Instant("Ends", "expires_at"),
        Instant("Revoked", "revoked_at"),
    )
