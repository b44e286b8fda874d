"""What staff can do to a merchant."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django import forms

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.fees import SET_FEE
from backoffice.admin.links import SEND_LINK
from backoffice.admin.statements import STATEMENT
from backoffice.admin.submission import instruction_action, key_result, note_action, submit
from backoffice.forms import (
    MODES,
    ActionForm,
    CurrencyCodeField,
    CurrencyForm,
    ModeField,
    ReasonForm,
    SelectField,
    TextAreaField,
    TextInputField,
    default_mode,
)
from backoffice.models import Instruction, NoteSubject
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.independence import warnings_of_key
from backoffice.services.lookalikes import verified_lookalikes
from backoffice.services.merchant_changes import decide_change
from backoffice.services.merchants import (
    VERIFIED,
    add_test_key,
    changed_since_verified,
    details_of,
    digest_of_details,
    right_to_keys,
    verify_merchant,
)
from backoffice.services.money import TAKE
from merchants.models import Merchant, MerchantChange
from merchants.services import IssuedKey, set_status
from merchants.statuses import TRANSITIONS, MerchantStatus
from payouts.account_numbers import compact
from payouts.balances import MerchantBalances, balances_of


def change_lines(change: MerchantChange) -> list[str]:
    """Return the old and the new value of each field."""
    return [
        f"{name.replace('_', ' ')}: “{change.before[name]}” becomes “{value}”"
        for name, value in change.after.items()
    ]


def lookalike_lines(merchant: Merchant, name: str) -> list[str]:
    """Name the verified merchants that customers could take this one for, by a new name if any."""
    return [
        f"Customers could take it for another verified merchant: {other.name} ({other.pk})"
        for other in (verified_lookalikes(merchant, name) if name else ())
    ]


class ChangeForm(ReasonForm):
    """A decision on exactly the change displayed, not on one made in the meantime."""

    seen = forms.CharField(max_length=64, widget=forms.HiddenInput())

    def prepare(self) -> None:
        change = self._pending()
        self.fields["seen"].initial = change.pk if change else ""

    def lines(self) -> list[str]:
        change = self._pending()
        if change is None:
            return []
        lines = change_lines(change) + warnings_of_key(change.actor, now=self.now)
        return lines + lookalike_lines(self.row, change.after.get("name", ""))

    def _pending(self) -> MerchantChange | None:
        return MerchantChange.objects.pending().filter(merchant=self.row).first()


def _action(name: str, title: str, *, approve: bool, **more: Any) -> Action:
    return Action(
        name=name,
        title=title,
        right=Right.VERIFY_MERCHANT,
        form=ChangeForm,
        service=decide_change,
        given={"approve": approve},
        message="The change is in force." if approve else "The change is declined.",
        icon="published_with_changes",
        available=lambda merchant, now: merchant.pending_changes is not None,
        **more,
    )


CHANGE_ACTIONS = (
    _action(
        "approve-change",
        "Approve change",
        approve=True,
        about="Customers see the new values at once. The old e-mail address is notified.",
    ),
    _action(
        "decline-change", "Decline change", approve=False, about="The old values stay.", danger=True
    ),
)


GIVE = "give"
SUSPENDED = "suspend merchant"  # in the audit trail


class VerifyForm(ReasonForm):
    """What customers will see of a merchant, which is verified as displayed.

    What has changed since the last verification is marked: do not identify a caller by it.
    """

    seen = forms.CharField(max_length=64, widget=forms.HiddenInput())

    def prepare(self) -> None:
        self.fields["seen"].initial = digest_of_details(self.row)

    def renew(self) -> None:
        self.data = dict(self.data.items()) | {"seen": digest_of_details(self.row)}

    def lines(self) -> list[str]:
        changed = changed_since_verified(self.row)
        details = [
            f"{name.replace('_', ' ')}: {value}"
            + (f" (changed {formats.moment(changed[name])})" if name in changed else "")
            for name, value in details_of(self.row).items()
            if value or name in changed
        ]
        return details + lookalike_lines(self.row, self.row.name)


def _can_become(status: MerchantStatus) -> Callable[[Merchant, datetime], bool]:
    return lambda merchant, now: status in TRANSITIONS[MerchantStatus(merchant.status)]


VERIFY = Action(
    title="Verify",
    right=Right.VERIFY_MERCHANT,
    form=VerifyForm,
    service=verify_merchant,
    message=lambda merchant: ActionResult(f"{merchant.name} is verified now."),
    audited_as=VERIFIED,
    watches=("status",),
    about="The merchant can accept live payments under these details.",
    icon="verified",
    main=True,
    available=_can_become(MerchantStatus.VERIFIED),
)
SUSPEND = Action(
    title="Suspend",
    right=Right.SUSPEND_MERCHANT,
    service=set_status,
    given={"status": MerchantStatus.SUSPENDED},
    message=lambda merchant: ActionResult(f"{merchant.name} is suspended now."),
    audited_as=SUSPENDED,
    watches=("status",),
    about="Its keys stop working at once, it cannot be paid, and nothing is paid out.",
    icon="block",
    danger=True,
    available=_can_become(MerchantStatus.SUSPENDED),
)


class ApiKeyForm(ActionForm):
    mode = ModeField()
    name = TextInputField(max_length=100)
    reason = TextInputField(max_length=500)

    def prepare(self) -> None:
        may = [option for option in MODES if self.staff.may(right_to_keys(option[0] == "live"))]
        self.fields["mode"] = SelectField(may, initial=default_mode)


def _issue_key(context: ActionContext) -> IssuedKey | Instruction:
    """Issue a test key; request a live one, which takes a second person."""
    name, reason = context.data["name"], context.data["reason"]
    if context.data["mode"] == "live":
        return submit(context, instruction_kinds.ISSUE_LIVE_KEY, arguments={"name": name})
    return add_test_key(
        staff=context.staff, merchant_id=context.row.pk, name=name, reason=reason, now=context.now
    )


def balance_facts(held: MerchantBalances) -> list[tuple[str, str]]:
    """Return the balances that the merchant reads, each with its title."""
    mode = "live" if held.livemode else "test"
    return [
        (f"{words}, {mode}", formats.money(each.amount, each.currency))
        for words, amounts in (
            ("Available", held.available),
            ("Kept for waiting refunds", held.reserved),
            ("Scheduled", held.pending),
            ("In transit", held.in_transit),
        )
        for each in amounts
        if each.amount or amounts is held.available
    ]


class MerchantMoneyForm(CurrencyForm):
    """An amount of one mode, with the balances of both."""

    mode = ModeField()
    field_order: tuple[str, ...] = ("form_key", "mode", "currency", "amount", "reason", "note")

    def lines(self) -> list[str]:
        held = (balances_of(merchant_id=self.row.pk, livemode=mode) for mode in (True, False))
        return [f"{title}: {amount}" for each in held for title, amount in balance_facts(each)]


class AdjustForm(MerchantMoneyForm):
    direction = SelectField(((GIVE, "Put money into the balance"), (TAKE, "Take money out of it")))
    field_order = ("form_key", "direction", "mode", "currency", "amount", "reason", "note")


class BankAccountForm(ActionForm):
    """A new account; the previous one is closed when this one is approved."""

    mode = ModeField()
    currency = CurrencyCodeField()
    holder_name = TextInputField(max_length=140)
    bank_name = TextInputField(max_length=140)
    number = TextInputField(max_length=34, label="Account number or IBAN")
    bic = TextInputField(max_length=11, required=False, label="BIC")
    clearing_code = TextInputField(max_length=35, required=False)
    reason = TextInputField(max_length=500, help_text="How the merchant proved ownership.")
    note = TextAreaField(max_length=2_000)


def _bank_account(context: ActionContext) -> dict[str, Any]:
    names = ("currency", "holder_name", "bank_name", "number", "bic", "clearing_code")
    details = {name: context.data[name] for name in names}
    shown = {name: details[name] for name in ("currency", "holder_name", "bank_name")}
    codes = {name: compact(details[name]) for name in ("bic", "clearing_code")}
    return {
        "arguments": shown | codes | {"last_four": compact(details["number"])[-4:]},
        "secret": json.dumps(details),
    }


MERCHANT_ACTIONS: tuple[Action, ...] = (
    VERIFY,
    SUSPEND,
    *CHANGE_ACTIONS,
    SEND_LINK,
    SET_FEE,
    Action(
        title="Issue key",
        right=Right.KEYS,
        form=ApiKeyForm,
        service=_issue_key,
        message=key_result("The key has been issued.", "The key"),
        about="The merchant is notified by e-mail. The key is shown to you once; a live key takes"
        " another Administrator's approval first.",
        icon="key",
    ),
    instruction_action(
        instruction_kinds.PAY_OUT,
        title="Pay out",
        form=MerchantMoneyForm,
        done_message="The payout has been scheduled.",
        about="To the merchant's bank account on file.",
        icon="send_money",
        available=lambda merchant, now: merchant.status != MerchantStatus.SUSPENDED,
    ),
    instruction_action(
        instruction_kinds.ADJUST_MERCHANT,
        name="adjust",
        title="Adjust balance",
        form=AdjustForm,
        form_arguments=("direction",),
        done_message="The balance has been adjusted.",
        about="Recorded as a separate transfer between the house and the merchant.",
        icon="balance",
    ),
    instruction_action(
        instruction_kinds.BANK_ACCOUNT,
        name="bank-account",
        title="Set bank account",
        form=BankAccountForm,
        overrides=_bank_account,
        done_message="The bank account has been set.",
        about="A colleague must always approve this. For a live account, the merchant is notified.",
        icon="account_balance",
    ),
    STATEMENT,
    note_action(NoteSubject.MERCHANT),
)
