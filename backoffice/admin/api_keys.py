"""API keys: what may be shown of them, and how they are rolled and revoked."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from backoffice import formats
from backoffice.actions import Action, ActionContext
from backoffice.admin.ending_keys import END_MADE, REVOKE, REVOKE_ALONE
from backoffice.admin.made_with_keys import MADE, still_working
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.submission import key_result, submit
from backoffice.audit import last_done
from backoffice.forms import ReasonForm
from backoffice.models import Instruction
from backoffice.page_parts import SupportAnswer, TimelineEntry
from backoffice.request_answer import done_words
from backoffice.resource.filters import ModeFilter
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.page_urls import page_of
from backoffice.resource.shown import (
    Badge,
    Code,
    Field,
    Instant,
    RowLink,
    actor_words,
    linked_actor,
    with_link,
)
from backoffice.resource.usual_fields import CREATED, MERCHANT, MODE
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.merchants import replace_test_key, right_to_keys
from core.clock import request_now
from merchants.access import EVERYTHING
from merchants.models import ApiKey
from merchants.services import IssuedKey
from merchants.standing import may_act
from merchants.statuses import MerchantStatus


class RollForm(ReasonForm):
    overlap_hours = forms.IntegerField(
        min_value=0,
        max_value=24 * 7,
        initial=24,
        widget=UnfoldAdminIntegerFieldWidget(),
        help_text="How long the old key keeps working alongside the new one.",
    )


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
    asked_once=instruction_kinds.ROLL_LIVE_KEY,
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
HINT, NAME = Code("Key", "hint"), Field("Name", "name")
KEY_STATE = Badge("State", lambda key: _state(key))
LAST_USED = Instant("Last used", "last_used_at", empty="—")
NOT_RECORDED = "not recorded"


def _state(key: ApiKey) -> str:
    if key.is_active(request_now()):
        return "active"
    return "revoked" if key.revoked_at else "ended"


def _created_by(key: ApiKey) -> Any:
    if key.created_by:
        return linked_actor(key.created_by)
    return "registration" if key.created_at == key.merchant.created_at else NOT_RECORDED


class ApiKeyAdmin(OfficeAdmin):
    model = ApiKey
    heading_format = "API key {row.hint}"
    list_select_related = ("merchant", "replaces")
    list_display = (HINT, NAME, MERCHANT, KEY_STATE, CREATED, LAST_USED, MODE)
    summary = (HINT, MODE, NAME, MERCHANT, KEY_STATE, CREATED, LAST_USED)
    list_filter = (ModeFilter, MerchantFilter)
    row_actions = (ROLL, REVOKE, END_MADE)
    details = (
        Code("May do", lambda key: "everything" if key.scopes == EVERYTHING else key.scopes),
        Field("Created by", _created_by),
        RowLink("Replaced", "replaces.hint", to="replaces"),
        Instant("Ends", "expires_at"),
        Instant("Revoked", "revoked_at"),
    )
    related = MADE

    def answer(self, row: ApiKey, now: datetime) -> SupportAnswer:
        """Say that requests with the key are accepted, or why not, and what it made goes on."""
        if row.is_active(now):
            return _answer_of_active(row, now)
        words = _ended_words(row, now)
        if still := still_working(row, now, lambda right: right != Right.VIEW_PAYOUTS):
            words.append(f"What was made with it goes on: {still}.")
        accounts = still_working(row, now, lambda right: right == Right.VIEW_PAYOUTS)
        of_payouts = [f"Payouts go to {accounts} requested with it."] if accounts else []
        return SupportAnswer(words, "bad", of_payouts=of_payouts)

    def timeline(self, row: ApiKey) -> list[TimelineEntry]:
        """Add what became of the key by API: of that, the audit trail of staff has no entry."""
        entries = super().timeline(row)
        known = {entry.at for entry in entries}
        own = [entry for entry in _became(row) if entry.at not in known]
        return sorted([*own, *entries], key=attrgetter("at"), reverse=True)


def _answer_of_active(row: ApiKey, now: datetime) -> SupportAnswer:
    if row.merchant.status == MerchantStatus.SUSPENDED:
        return SupportAnswer(["Its requests are refused: the merchant is suspended."], "bad")
    words = ["Its requests are accepted."]
    if row.expires_at:
        until = formats.clock(row.expires_at, now)
        words = [_replaced(f"Its requests are accepted until {until}", row, now)]
    if not may_act(row.merchant, livemode=row.livemode):
        words.append("No live payments yet: the merchant is not verified.")
    return SupportAnswer(words, "good")


def _became(row: ApiKey) -> Iterator[TimelineEntry]:
    if row.revoked_at:
        yield TimelineEntry(row.revoked_at, "block", "Revoked", "the shop, by API", tone="bad")
    if not row.expires_at:
        return
    if row.expires_at <= request_now() and not row.revoked_at:
        yield TimelineEntry(row.expires_at, "flag", "Ended")
    if new := _successor(row):
        words = formats.link(f"Replaced by {new.hint}", page_of(new))
        yield TimelineEntry(new.created_at, "autorenew", words, actor_words(new.created_by or ""))


def _successor(row: ApiKey) -> ApiKey | None:
    """Return the key that a roll of this one has made."""
    successors = ApiKey.objects.filter(merchant=row.merchant_id, replaces=row)
    return successors.order_by("-created_at", "-pk").first()


def _replaced(words: str, row: ApiKey, now: datetime) -> str:
    """Add to a sentence which key has replaced this one, when, and who rolled it."""
    new = _successor(row)
    if new is None:
        return f"{words}: another key has replaced it."
    by = f" by {actor_words(new.created_by)}" if new.created_by else ""
    at = formats.clock(new.created_at, now)
    return with_link(f"{words}: {new.hint} has replaced it, rolled {at}{by}.", new)


def _ended_words(row: ApiKey, now: datetime) -> list[str]:
    if not row.revoked_at:
        return [_replaced(f"It ended {formats.clock(row.expires_at, now)}", row, now)]
    last = last_done(REVOKE_ALONE.audited_as, row.pk)
    by = done_words(last, now) if last else f"{formats.clock(row.revoked_at, now)}, by API"
    return [f"Revoked {by}.", "Its requests are refused."]
