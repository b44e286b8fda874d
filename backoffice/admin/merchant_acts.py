"""What staff can do to a merchant."""

import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from unfold.widgets import UnfoldAdminIntegerFieldWidget

from backoffice import formats
from backoffice.acts import Act, Done, Work
from backoffice.admin.instructing import told
from backoffice.admin.link_acts import SEND_LINK
from backoffice.admin.merchant_changes import CHANGE_ACTS
from backoffice.admin.noting import note_act
from backoffice.forms import ActForm, Choice, CurrencyForm, Line, Lines, ReasonForm
from backoffice.models import NoteSubject
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.instructions import Wish, instruct
from backoffice.services.merchants import add_key, change_fee, change_status, right_to_keys
from backoffice.services.money import TAKE
from ledger.models import Purpose
from ledger.services import balances
from merchants.models import MAX_FEE_BASIS_POINTS, Merchant
from merchants.statuses import TRANSITIONS, MerchantStatus

MODES = (("live", "live"), ("test", "test"))
GIVE = "give"


def _status_act(status: MerchantStatus, title: str, right: Right, **more: Any) -> Act:
    def carry_out(work: Work) -> Done:
        change_status(
            staff=work.staff,
            merchant_id=work.row.pk,
            status=status,
            reason=work.data["reason"],
            now=work.now,
        )
        return Done(f"{work.row.name} is {status} now.")

    return Act(
        name=title.split()[0].lower(),
        title=title,
        right=right,
        form=ReasonForm,
        carry_out=carry_out,
        offered=_can_become(status),
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


class FeeForm(ActForm):
    fee_basis_points = forms.IntegerField(
        min_value=0,
        max_value=MAX_FEE_BASIS_POINTS,
        widget=UnfoldAdminIntegerFieldWidget(),
        label="Fee in hundredths of a percent",
        help_text="250 is 2.50 %. It holds for payments to come.",
    )
    reason = Line(max_length=500)

    def prepare(self) -> None:
        self.fields["fee_basis_points"].initial = self.row.fee_basis_points


def _fee(work: Work) -> Done:
    change_fee(
        staff=work.staff,
        merchant_id=work.row.pk,
        fee_basis_points=work.data["fee_basis_points"],
        reason=work.data["reason"],
        now=work.now,
    )
    return Done("The fee is set.")


class KeyForm(ActForm):
    mode = Choice(MODES)
    name = Line(max_length=100)
    reason = Line(max_length=500)

    def prepare(self) -> None:
        may = [option for option in MODES if self.staff.may(right_to_keys(option[0] == "live"))]
        self.fields["mode"] = Choice(may)


def _issue(work: Work) -> Done:
    issued = add_key(
        staff=work.staff,
        merchant_id=work.row.pk,
        livemode=work.data["mode"] == "live",
        name=work.data["name"],
        reason=work.data["reason"],
        now=work.now,
    )
    return Done(
        "The key is made, and the merchant was told by e-mail.",
        secret=issued.secret,
        secret_name="The key",  # noqa: S106  # a name of one
    )


class MerchantMoneyForm(CurrencyForm):
    """An amount of one mode, beside the balances of both."""

    mode = Choice(MODES)
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
    direction = Choice(((GIVE, "Put money into the balance"), (TAKE, "Take money out of it")))
    field_order = ("form_key", "direction", "mode", "currency", "amount", "reason", "note")


def _wish(work: Work, task: str, **arguments: Any) -> Wish:
    return Wish(
        task=task,
        subject_id=work.row.pk,
        merchant_id=work.row.pk,
        livemode=work.data["mode"] == "live",
        amount=work.data.get("amount", 0),
        currency=work.data["currency"],
        reason=work.data["reason"],
        note=work.data["note"],
        form_key=work.data["form_key"],
        arguments=arguments,
        note_on=NoteSubject.MERCHANT,
    )


def _adjust(work: Work) -> Done:
    wish = _wish(work, instruction_kinds.ADJUST_MERCHANT, direction=work.data["direction"])
    return told(instruct(staff=work.staff, wish=wish, now=work.now), "The balance is adjusted.")


def _pay_out(work: Work) -> Done:
    wish = _wish(work, instruction_kinds.PAY_OUT)
    return told(instruct(staff=work.staff, wish=wish, now=work.now), "The payout is scheduled.")


class BankAccountForm(ActForm):
    """A new account; the one before is closed when this one is approved."""

    mode = Choice(MODES)
    currency = Line(max_length=3)
    holder_name = Line(max_length=140)
    bank_name = Line(max_length=140)
    number = Line(max_length=34, label="Account number or IBAN")
    bic = Line(max_length=11, required=False, label="BIC")
    clearing_code = Line(max_length=35, required=False)
    reason = Line(max_length=500, help_text="How the merchant proved that it is theirs.")
    note = Lines(max_length=2_000)

    def prepare(self) -> None:
        self.fields["currency"].initial = settings.DEFAULT_CURRENCY


def _bank_account(work: Work) -> Done:
    names = ("currency", "holder_name", "bank_name", "number", "bic", "clearing_code")
    details = {name: work.data[name] for name in names}
    wish = Wish(
        task=instruction_kinds.BANK_ACCOUNT,
        subject_id=work.row.pk,
        merchant_id=work.row.pk,
        livemode=work.data["mode"] == "live",
        amount=0,
        currency=details["currency"],
        reason=work.data["reason"],
        note=work.data["note"],
        form_key=work.data["form_key"],
        arguments={
            "holder_name": details["holder_name"],
            "bank_name": details["bank_name"],
            "last_four": details["number"][-4:],
        },
        secret=json.dumps(details),
        note_on=NoteSubject.MERCHANT,
    )
    return told(instruct(staff=work.staff, wish=wish, now=work.now), "The account is set.")


MERCHANT_ACTS: tuple[Act, ...] = (
    VERIFY,
    SUSPEND,
    *CHANGE_ACTS,
    SEND_LINK,
    Act(
        name="fee",
        title="Set fee",
        right=Right.FEE,
        form=FeeForm,
        carry_out=_fee,
        icon="percent",
    ),
    Act(
        name="issue-key",
        title="Issue key",
        right=Right.KEYS,
        form=KeyForm,
        carry_out=_issue,
        about="The merchant is told by e-mail. The key is shown to you once.",
        icon="key",
    ),
    Act(
        name="pay-out",
        title="Pay out",
        right=Right.PAY_OUT,
        form=MerchantMoneyForm,
        carry_out=_pay_out,
        about="To the merchant's bank account on file.",
        icon="send_money",
    ),
    Act(
        name="adjust",
        title="Adjust balance",
        right=Right.ADJUST,
        form=AdjustForm,
        carry_out=_adjust,
        about="A correction is a transfer of its own, between the house and the merchant.",
        icon="balance",
    ),
    Act(
        name="bank-account",
        title="Set bank account",
        right=Right.BANK_ACCOUNT,
        form=BankAccountForm,
        carry_out=_bank_account,
        about="Someone else always has to approve this.",
        icon="account_balance",
    ),
    note_act(NoteSubject.MERCHANT),
)
