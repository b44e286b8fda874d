"""What staff can do to a merchant."""

import json
from decimal import Decimal
from functools import cached_property
from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminTextInputWidget

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.links import SEND_LINK
from backoffice.admin.merchant_review import CHANGE_ACTIONS, VERIFY, can_become
from backoffice.admin.statements import STATEMENT
from backoffice.admin.submission import NOTE, instruction_action, key_result, submit
from backoffice.forms import (
    MODES,
    CurrencyCodeField,
    CurrencyForm,
    ModeField,
    NotedForm,
    ReasonForm,
    SelectField,
    TextInputField,
    default_mode,
)
from backoffice.models import Instruction
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.merchants import add_test_key, right_to_keys
from backoffice.services.money import TAKE
from merchants.models import MAX_FEE_BASIS_POINTS
from merchants.services import IssuedKey, set_status
from merchants.statuses import MerchantStatus
from payouts.account_numbers import compact
from payouts.balances import MerchantBalances, balances_of

GIVE = "give"
SUSPENDED = "suspend merchant"  # in the audit trail

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
    available=can_become(MerchantStatus.SUSPENDED),
)


class FeeForm(ReasonForm):
    percent = forms.DecimalField(
        min_value=0,
        max_value=MAX_FEE_BASIS_POINTS // 100,
        decimal_places=2,
        widget=UnfoldAdminTextInputWidget(attrs={"inputmode": "decimal"}),
        label="Fee in percent",
        help_text="2.5 means 2.50 of every 100.00. It applies to future payments.",
    )

    def prepare(self) -> None:
        self.fields["percent"].initial = Decimal(self.row.fee_basis_points) / 100


def _fee(context: ActionContext) -> dict[str, Any]:
    arguments = {
        "fee_basis_points": int(context.data["percent"] * 100),
        "present_fee_basis_points": context.row.fee_basis_points,
    }
    return {"arguments": arguments, "livemode": True}  # payments of tests have it, too


class ApiKeyForm(ReasonForm):
    mode = ModeField()
    name = TextInputField(max_length=100)

    def prepare(self) -> None:
        may = [option for option in MODES if self.staff.may(right_to_keys(option[0] == "live"))]
        self.fields["mode"] = SelectField(may, initial=default_mode)


def _issue_key(context: ActionContext) -> IssuedKey | Instruction:
    """Issue a test key; request a live one, which takes a second person."""
    name, reason = context.data["name"], context.data["reason"]
    if context.livemode:
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
            ("Missing for waiting refunds", held.missing),
            ("Scheduled", held.pending),
            ("In transit", held.in_transit),
        )
        for each in amounts
        if each.amount or amounts is held.available
    ]


class MerchantMoneyForm(CurrencyForm):
    mode = ModeField()
    field_order: tuple[str, ...] = ("form_key", "mode", "currency", "amount", "reason", "note")

    def lines(self) -> list[str]:
        return [f"{title}: {amount}" for each in self.held for title, amount in balance_facts(each)]

    @cached_property
    def held(self) -> list[MerchantBalances]:
        """The balances in live mode, and those in test mode."""
        return [balances_of(merchant_id=self.row.pk, livemode=mode) for mode in (True, False)]


class PayOutForm(MerchantMoneyForm):
    """It begins in live mode if only there is money, also where other forms begin in test mode."""

    def prepare(self) -> None:
        super().prepare()
        if self.is_bound:
            return
        live, test = (any(money.amount for money in each.available) for each in self.held)
        if live and not test:
            self.fields["mode"].initial = "live"


class AdjustForm(MerchantMoneyForm):
    direction = SelectField(((GIVE, "Put money into the balance"), (TAKE, "Take money out of it")))
    field_order = ("form_key", "direction", "mode", "currency", "amount", "reason", "note")


class BankAccountForm(NotedForm):
    """A new account; the previous one is closed when this one is approved."""

    mode = ModeField()
    currency = CurrencyCodeField()
    holder_name = TextInputField(max_length=140)
    bank_name = TextInputField(max_length=140)
    number = TextInputField(max_length=34, label="Account number or IBAN")
    bic = TextInputField(max_length=11, required=False, label="BIC")
    clearing_code = TextInputField(max_length=35, required=False)
    reason = TextInputField(max_length=500, help_text="How the merchant proved ownership.")


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
    instruction_action(
        instruction_kinds.SET_FEE,
        name="fee",
        title="Set fee",
        is_repeated=True,
        form=FeeForm,
        overrides=_fee,
        done_message="The fee has been set.",
        about="A colleague must always approve this. The merchant is notified.",
        icon="percent",
    ),
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
        is_repeated=True,
        form=PayOutForm,
        done_message="The payout has been scheduled.",
        about="To the merchant's bank account on file.",
        icon="send_money",
        available=lambda merchant, now: merchant.status != MerchantStatus.SUSPENDED,
    ),
    instruction_action(
        instruction_kinds.ADJUST_MERCHANT,
        name="adjust",
        title="Adjust balance",
        is_repeated=True,
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
        is_repeated=True,
        form=BankAccountForm,
        overrides=_bank_account,
        done_message="The bank account has been set.",
        about="A colleague must always approve this. For a live account, the merchant is notified.",
        icon="account_balance",
    ),
    STATEMENT,
    NOTE,
)
