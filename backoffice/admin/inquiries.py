"""Problems that customers report on receipts: answered, refunded, or closed with a reason."""

from dataclasses import replace
from datetime import datetime

from django import forms

from backoffice import formats
from backoffice.actions import Action
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.payment_actions import REFUND, RefundForm
from backoffice.forms import ActionForm, TextAreaField
from backoffice.page_parts import SupportAnswer
from backoffice.payment_answer import inquiry_words
from backoffice.resource.days import DayFilter
from backoffice.resource.filters import ModeFilter, choice_filter, link_filter
from backoffice.resource.list_filters import MerchantFilter
from backoffice.resource.shown import Amount, Field, Id, Reference, RowLink
from backoffice.resource.usual_fields import CREATED, MERCHANT, MODE, STATUS
from backoffice.roles import Right
from core.clock import request_now
from core.limits import MAX_TEXT
from messages.models import Channel
from refunds.emails import channel_to_payer
from refunds.inquiries import answer_inquiry, close_inquiry
from refunds.inquiry_models import Inquiry
from refunds.inquiry_statuses import INQUIRY_TRANSITIONS, InquiryReason, InquiryStatus

_TOLD = {
    Channel.EMAIL: "The customer is told by e-mail, and on the receipt.",
    Channel.SMS: "The customer is told by text message, and on the receipt.",
    None: "The customer reads it on the receipt only: there is nowhere to send a message.",
}


class AnswerForm(ActionForm):
    """The answer to the customer, as of the last text that the page displayed."""

    guard = "seen_at"
    seen_at = forms.DateTimeField(widget=forms.HiddenInput())
    text = TextAreaField(
        label="Answer",
        max_length=MAX_TEXT,
        help_text="The customer and the merchant read this, as you write it.",
    )

    def shown(self) -> str:
        return str(self.row.updated_at.isoformat())

    def renew(self) -> None:
        self.row.refresh_from_db(fields=["updated_at"])
        super().renew()

    def lines(self) -> list[str]:
        return [_TOLD[channel_to_payer(self.row.payment)]]


class InquiryRefundForm(RefundForm):
    def prepare(self) -> None:
        self.row = self.row.payment
        super().prepare()


def _can_become(status: InquiryStatus, inquiry: Inquiry) -> bool:
    return status in INQUIRY_TRANSITIONS[InquiryStatus(inquiry.status)]


ANSWER = Action(
    title="Answer",
    right=Right.ANSWER,
    form=AnswerForm,
    service=answer_inquiry,
    message="The inquiry is answered. If the customer writes again, it is reopened.",
    audited_as="answer inquiry",
    limited=True,
    watches=("status",),
    icon="reply",
    main=True,
    available=lambda inquiry, now: _can_become(InquiryStatus.ANSWERED, inquiry),
)
REFUND_INQUIRY = replace(
    REFUND,
    main=False,
    form=InquiryRefundForm,
    service=lambda context: REFUND.service(replace(context, row=context.row.payment)),
    about="A refund settles the inquiry.",
    available=lambda inquiry, now: REFUND.available(inquiry.payment, now),
)
CLOSE = replace(
    ANSWER,
    name="close",
    title="Close without refund",
    service=close_inquiry,
    message="The inquiry is closed.",
    audited_as="close inquiry",
    icon="block",
    main=False,
    danger=True,
    available=lambda inquiry, now: _can_become(InquiryStatus.CLOSED, inquiry),
)
REASON = Field("Reported", lambda inquiry: InquiryReason(inquiry.reason).label.lower())
PAID = Amount("Payment of", "payment.amount", currency="payment.currency")
WAITS = Field(
    "Waits for",
    lambda inquiry: formats.age(inquiry.open_since, request_now()) if inquiry.open_since else "",
)
CUSTOMER = RowLink("Customer", "payment.customer.masked_phone", to="payment.customer")


class InquiryAdmin(OfficeAdmin):
    model = Inquiry
    when_empty = "What customers report on a receipt comes here."
    list_select_related = ("merchant", "payment__customer")
    list_display = (CREATED, REASON, STATUS, WAITS, PAID, MERCHANT, CUSTOMER, MODE, Id("Inquiry"))
    list_filter = (
        DayFilter,
        choice_filter("status", "status", InquiryStatus.choices),
        choice_filter("reason", "reason", InquiryReason.choices),
        ModeFilter,
        MerchantFilter,
        link_filter("payment", "payment", "payment_id"),
    )
    indexed = frozenset({"merchant"})
    row_actions = (ANSWER, REFUND_INQUIRY, CLOSE)
    requested_as = "payment_id"
    details = (Reference("Payment", "payment_id"),)

    def heading(self, row: Inquiry) -> str:
        amount = formats.money(row.payment.amount, row.payment.currency)
        return f"{InquiryReason(row.reason).label.capitalize()}: payment of {amount}"

    def answer(self, row: Inquiry, now: datetime) -> SupportAnswer:
        tone = formats.tone(row.status) if row.open_since is None else "wait"
        return SupportAnswer([inquiry_words(row, now)], tone)
