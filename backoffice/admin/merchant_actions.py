"""What staff can do to a merchant."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from backoffice import formats
from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.instruction_result import result_of
from backoffice.admin.link_actions import SEND_LINK
from backoffice.admin.note_action import note_action
from backoffice.forms import (
    ActionForm,
    CurrencyForm,
    ReasonForm,
    SelectField,
    TextAreaField,
    TextField,
)
from backoffice.models import NoteSubject
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.instructions import InstructionRequest, instruct
from backoffice.services.merchants import add_key, change_fee, change_status, right_to_keys
from backoffice.services.money import TAKE
from ledger.models import Purpose
from ledger.services import balances
from merchants.models import MAX_FEE_BASIS_POINTS, Merchant
from merchants.statuses import TRANSITIONS, MerchantStatus

MODES = (("live", "live"), ("test", "test"))
GIVE = "give"


def _status_act(status: MerchantStatus, title: str, right: Right, **more: Any) -> Action:
    def carry_out(context: ActionContext) -> ActionResult:
        change_status(
            staff=context.staff,
            merchant_id=context.row.pk,
            status=status,
            reason=context.data["reason"],
            now=context.now,
        )
        return ActionResult(f"{context.row.name} is {status} now.")

    return Action(
        name=title.split()[0].lower(),
        title=title,
        right=right,
        form=ReasonForm,
        carry_out=carry_out,
        available=_can_become(status),
        **more,
    )


def _can_become(status: MerchantStatus) -> Callable[[Merchant, datetime], bool]:
    return lambda merchant, now: status in TRANSITIONS[MerchantStatus(merchant.status)]


VERIFY = _status_act(
    MerchantStatus.VERIFIED,
    "Verify",
    Right.VERIFY_MERCHANT,
    icon="verified",
    main=True,
    about="The merchant can take live payments.",
)
SUSPEND = _status_act(
    MerchantStatus.SUSPENDED,
    "Suspend",
    Right.SUSPEND_MERCHANT,
    icon="block",
    danger=True,
    about="Its keys are refused at once, nobody can pay it, and nothing is paid out.",
)


class FeeForm(ActionForm):
    fee_basis_points = forms.IntegerField(
        min_value=0,
        max_value=MAX_FEE_BASIS_POINTS,
        widget=UnfoldAdminIntegerFieldWidget(),
        label="Fee in hundredths of a percent",
        help_text="250 is 2.50 %. It holds for payments to come.",
    )
    reason = TextField(max_length=500)

    def prepare(self) -> None:
        self.fields["fee_basis_points"].initial = self.row.fee_basis_points


def _fee(context: ActionContext) -> ActionResult:
    change_fee(
        staff=context.staff,
        merchant_id=context.row.pk,
        fee_basis_points=context.data["fee_basis_points"],
        reason=context.data["reason"],
        now=context.now,
    )
    return ActionResult("The fee is set.")


class KeyForm(ActionForm):
    mode = SelectField(MODES)
    name = TextField(max_length=100)
    reason = TextField(max_length=500)

    def prepare(self) -> None:
        may = [option for option in MODES if self.staff.may(right_to_keys(option[0] == "live"))]
        self.fields["mode"] = SelectField(may)


def _issue(context: ActionContext) -> ActionResult:
    issued = add_key(
        staff=context.staff,
        merchant_id=context.row.pk,
        livemode=context.data["mode"] == "live",
        name=context.data["name"],
        reason=context.data["reason"],
        now=context.now,
    )
    return ActionResult(
        "The key is made, and the merchant was told by e-mail.",
        secret=issued.secret,
        secret_name="The key",  # noqa: S106  # a name of one
    )


class MerchantMoneyForm(CurrencyForm):
    """An amount of one mode, beside the balances of both."""

    mode = SelectField(MODES)
    field_order: tuple[str, ...] = ("form_key", "mode", "currency", "amount", "reason", "note")

    def lines(self) -> list[str]:
        return [
            f"Balance, {'live' if livemode else 'test'}: {formats.money(amount, currency)}"
            for livemode in (True, False)
            for currency, amount in balances(
                owner=self.row.pk, purpose=Purpose.MERCHANT, livemode=livemode
            ).items()
        ]


class AdjustForm(MerchantMoneyForm):
    direction = SelectField(((GIVE, "Put money into the balance"), (TAKE, "Take money out of it")))
    field_order = ("form_key", "direction", "mode", "currency", "amount", "reason", "note")


def _request(context: ActionContext, task: str, **arguments: Any) -> InstructionRequest:
    return InstructionRequest(
        task=task,
        subject_id=context.row.pk,
        merchant_id=context.row.pk,
        livemode=context.data["mode"] == "live",
        amount=context.data.get("amount", 0),
        currency=context.data["currency"],
        reason=context.data["reason"],
        note=context.data["note"],
        form_key=context.data["form_key"],
        arguments=arguments,
        note_on=NoteSubject.MERCHANT,
    )


def _adjust(context: ActionContext) -> ActionResult:
    request = _request(
        context, instruction_kinds.ADJUST_MERCHANT, direction=context.data["direction"]
    )
    return result_of(
        instruct(staff=context.staff, request=request, now=context.now), "The balance is adjusted."
    )


def _pay_out(context: ActionContext) -> ActionResult:
    request = _request(context, instruction_kinds.PAY_OUT)
    return result_of(
        instruct(staff=context.staff, request=request, now=context.now), "The payout is scheduled."
    )


class BankAccountForm(ActionForm):
    """A new account; the one before is closed when this one is approved."""

    mode = SelectField(MODES)
    currency = TextField(max_length=3)
    holder_name = TextField(max_length=140)
    bank_name = TextField(max_length=140)
    number = TextField(max_length=34, label="Account number or IBAN")
    bic = TextField(max_length=11, required=False, label="BIC")
    clearing_code = TextField(max_length=35, required=False)
    reason = TextField(max_length=500, help_text="How the merchant proved that it is theirs.")
    note = TextAreaField(max_length=2_000)

    def prepare(self) -> None:
        self.fields["currency"].initial = settings.DEFAULT_CURRENCY


def _bank_account(context: ActionContext) -> ActionResult:
    names = ("currency", "holder_name", "bank_name", "number", "bic", "clearing_code")
    details = {name: context.data[name] for name in names}
    request = InstructionRequest(
        task=instruction_kinds.BANK_ACCOUNT,
        subject_id=context.row.pk,
        merchant_id=context.row.pk,
        livemode=context.data["mode"] == "live",
        amount=0,
        currency=details["currency"],
        reason=context.data["reason"],
        note=context.data["note"],
        form_key=context.data["form_key"],
        arguments={
            "holder_name": details["holder_name"],
            "bank_name": details["bank_name"],
            "last_four": details["number"][-4:],
        },
        secret=json.dumps(details),
        note_on=NoteSubject.MERCHANT,
    )
    return result_of(
        instruct(staff=context.staff, request=request, now=context.now), "The account is set."
    )


MERCHANT_ACTIONS: tuple[Action, ...] = (
    VERIFY,
    SUSPEND,
    SEND_LINK,
    Action(
        name="fee",
        title="Set fee",
        right=Right.FEE,
        form=FeeForm,
        carry_out=_fee,
        icon="percent",
    ),
    Action(
        name="issue-key",
        title="Issue key",
        right=Right.KEYS,
        form=KeyForm,
        carry_out=_issue,
        about="The merchant is told by e-mail. The key is shown to you once.",
        icon="key",
    ),
    Action(
        name="pay-out",
        title="Pay out",
        right=Right.PAY_OUT,
        form=MerchantMoneyForm,
        carry_out=_pay_out,
        about="To the merchant's bank account on file.",
        icon="send_money",
    ),
    Action(
        name="adjust",
        title="Adjust balance",
        right=Right.ADJUST,
        form=AdjustForm,
        carry_out=_adjust,
        about="A correction is a transfer of its own, between the house and the merchant.",
        icon="balance",
    ),
    Action(
        name="bank-account",
        title="Set bank account",
        right=Right.BANK_ACCOUNT,
        form=BankAccountForm,
        carry_out=_bank_account,
        about="Someone else always has to approve this.",
        icon="account_balance",
    ),
    note_action(NoteSubject.MERCHANT),
)
