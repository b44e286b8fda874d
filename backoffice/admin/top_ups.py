"""Top-ups: money that customers add to their wallets, including cash taken by staff."""

from datetime import datetime
from typing import Any

from backoffice import formats
from backoffice.actions import Action
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.submission import instruction_action
from backoffice.forms import ActionForm, MoneyField, NotedForm, TextInputField
from backoffice.page_parts import SupportAnswer
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter, choice_filter, link_filter, status_filter
from backoffice.resource.resource import Related
from backoffice.resource.shown import Actor, Amount, Code, Field, Id, Instant, Reference
from backoffice.resource.usual_fields import AMOUNT, CREATED, CUSTOMER, MODE, STATUS_NOW
from backoffice.roles import Right
from backoffice.services import instruction_kinds
from backoffice.services.support import confirm_cash, text_cash_code
from core.creditor_references import grouped
from funding.models import FundingWay, TopUp
from funding.statuses import CREDITABLE, TRANSITIONS, TopUpStatus
from payouts.models import BankEntry, BankEntryKind

WAY = Field("Way", "get_way_display")
REFERENCE = Code("Reference", lambda row: grouped(row.reference))
CAME = Amount("Came", "amount_received")


class CountedCashForm(ActionForm):
    def lines(self) -> list[str]:
        amount = formats.money(self.row.amount, self.row.currency)
        return [f"Count the cash first: {amount}, in front of the customer."]


class CustomersCodeForm(ActionForm):
    code = TextInputField(max_length=20, help_text="The six digits that the customer reads out.")

    def lines(self) -> list[str]:
        amount = formats.money(self.row.amount, self.row.currency)
        return [f"{amount} goes into the wallet of {self.row.customer.masked_phone} at once."]


CASH_ACTIONS = (
    Action(
        name="cash-code",
        title="Take cash",
        right=Right.TAKE_CASH,
        form=CountedCashForm,
        service=text_cash_code,
        message="The customer has been sent a code. Enter it under “Enter the code”.",
        about="The customer confirms the amount by a code on their phone.",
        icon="payments",
        main=True,
        available=TopUp.takes_cash,
    ),
    Action(
        name="cash",
        title="Enter the code",
        right=Right.TAKE_CASH,
        form=CustomersCodeForm,
        service=confirm_cash,
        message="The money is in the wallet.",
        icon="pin",
        available=lambda top_up, now: top_up.takes_cash(now) and bool(top_up.code_handle),
    ),
)


class ReversalForm(NotedForm):
    """The amount to reverse: all of it, or what the wallet still holds."""

    amount = MoneyField()
    reason = TextInputField(max_length=255, help_text="For example: the bank has taken it back.")

    def prepare(self) -> None:
        self.set_currency(self.row.currency)
        self.fields["amount"].initial = self.row.amount_received


REVERSE = instruction_action(
    instruction_kinds.REVERSE_TOP_UP,
    title="Reverse",
    form=ReversalForm,
    done_message="Taken back. The customer is notified.",
    about="Takes the money back out of the wallet; a colleague has to approve.",
    icon="undo",
    danger=True,
    available=lambda top_up, now: TopUpStatus.REVERSED in TRANSITIONS[top_up.status_at(now)],
)


def _perhaps_this(top_up: TopUp) -> Any:
    """Return unmatched incoming money in the amount of a transfer that is still expected."""
    entries = BankEntry.objects.unmatched().order_by("-pk")
    if top_up.way != FundingWay.BANK_TRANSFER or top_up.status not in CREDITABLE:
        return entries.none()
    same = {"livemode": top_up.livemode, "amount": top_up.amount, "currency": top_up.currency}
    return entries.filter(kind=BankEntryKind.CREDIT, **same)


def _unclaimed(top_up: TopUp, now: datetime) -> list[str]:
    """Say that incoming money may be this: a customer has forgotten the reference."""
    newest = _perhaps_this(top_up).first()
    if newest is None:
        return []
    amount = formats.money(newest.amount, newest.currency)
    read = formats.clock(newest.created_at, now)
    return [
        f"{amount} received at the bank (read {read}) has not been assigned yet: it may be this."
        " Finance credits it from there."
    ]


def _expected_by(top_up: TopUp) -> datetime | None:
    """Return when the money is or was due; empty once it has come or was given up."""
    is_awaited = top_up.status in (TopUpStatus.PENDING, TopUpStatus.EXPIRED)
    return top_up.expires_at if is_awaited else None


class TopUpAdmin(OfficeAdmin):
    model = TopUp
    heading_format = "Top-up of {amount}"
    summed = "amount"
    list_select_related = ("customer", "payment")
    list_display = (CREATED, AMOUNT, WAY, STATUS_NOW, CUSTOMER, REFERENCE, MODE, Id("Top-up"))
    summary = (CREATED, AMOUNT, WAY, STATUS_NOW, CUSTOMER, Id("Top-up"))
    list_filter = (
        DayFilter,
        status_filter(TopUpStatus),
        choice_filter("way", "way", FundingWay.choices),
        ModeFilter,
        link_filter("customer", "customer", "customer_id"),
    )
    row_actions = (*CASH_ACTIONS, REVERSE)
    hides_empty = True
    details = (
        CAME,
        Amount("Taken back", "amount_reversed"),
        Reference("For payment", "payment_id"),
        Instant("Came at", "succeeded_at"),
        Code("Transaction", "transaction_id"),
        Instant("Expected by", _expected_by),
        Actor("Taken by", "taken_by"),
    )
    export_fields = (*list_display, *details)
    related = (
        Related(BankEntry, "credited_to"),
        Related(BankEntry, title="Of this amount, not assigned yet", rows=_perhaps_this),
    )

    def answer(self, row: TopUp, now: datetime) -> SupportAnswer:
        status = row.status_at(now)
        if status == TopUpStatus.SUCCEEDED and row.succeeded_at:
            amount = formats.money(row.amount_received or 0, row.currency)
            words = [f"{amount} came {formats.clock(row.succeeded_at, now)}."]
            if row.amount_received != row.amount:
                words.append(f"{formats.money(row.amount, row.currency)} was asked for.")
            return SupportAnswer(words, "good")
        if status == TopUpStatus.REVERSED and row.reversed_at:
            amount = formats.money(row.amount_reversed or 0, row.currency)
            when = formats.clock(row.reversed_at, now)
            return SupportAnswer([f"{amount} was taken back {when}."], "bad")
        if status == TopUpStatus.PENDING:
            until = formats.clock(row.expires_at, now)
            words = [f"The money has not come yet; it is due by {until}.", *_unclaimed(row, now)]
            return SupportAnswer(words, "wait")
        words = [f"{status.label}: the money is no longer expected."]
        if row.way == FundingWay.BANK_TRANSFER and status in CREDITABLE:
            words.append("If the money still arrives with its reference, it is credited.")
            words.extend(_unclaimed(row, now))
        return SupportAnswer(words)
