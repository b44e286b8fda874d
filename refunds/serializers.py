"""The input and output serializers of refunds and inquiries."""

from typing import Any

from core.fields import (
    AmountField,
    CurrencyField,
    InstantField,
    OneOfField,
    StrictBooleanField,
    TextField,
)
from core.limits import MAX_TEXT
from core.serializers import Input, Output
from merchants.strict_inputs import StrictInput
from refunds.inquiry_statuses import InquiryReason, InquiryStatus
from refunds.services import RefundDraft
from refunds.statuses import RefundStatus


class NewRefund(StrictInput):
    never_null = ("amount", "refund_amount_available")

    amount = AmountField(
        required=False, help_text="In cents; the whole remaining amount if omitted."
    )
    reason = TextField(max_length=MAX_TEXT, min_length=0, lines=True, required=False)
    refund_amount_available = AmountField(
        min_value=0,
        required=False,
        help_text="The amount you expect to be refundable, in cents; refused if it is not.",
    )

    @classmethod
    def refuses_unread(cls, values: dict[str, Any]) -> bool:
        """Refuse `total`, which may have been meant as the amount, only where there is none."""
        return "amount" not in values


class RefundOutput(Output):
    id = TextField(max_length=40)
    payment_id = TextField(max_length=40)
    amount = AmountField()
    reason = TextField(max_length=MAX_TEXT, required=False)
    status = OneOfField(allowed=tuple(RefundStatus.values))
    currency = CurrencyField()
    merchant_id = TextField(max_length=40)
    transaction_id = TextField(max_length=40, required=False)
    fee_returned = AmountField(min_value=0)
    failure_reason = TextField(max_length=255, required=False)
    livemode = StrictBooleanField()
    created_at = InstantField()
    updated_at = InstantField()
    succeeded_at = InstantField(required=False)
    failed_at = InstantField(required=False)


class InquiryEntryOutput(Output):
    author = OneOfField(allowed=("customer", "visitor", "merchant", "service"))
    status = OneOfField(allowed=tuple(InquiryStatus.values))
    text = TextField(max_length=MAX_TEXT, required=False)
    at = InstantField()


class InquirySummary(Output):
    id = TextField(max_length=40)
    payment_id = TextField(max_length=40)
    merchant_id = TextField(max_length=40)
    reason = OneOfField(allowed=tuple(InquiryReason.values))
    status = OneOfField(allowed=tuple(InquiryStatus.values))
    livemode = StrictBooleanField()
    created_at = InstantField()
    updated_at = InstantField()
    open_since = InstantField(required=False)


class InquiryOutput(InquirySummary):
    entries = InquiryEntryOutput(many=True)


class InquiryAnswer(Input):
    text = TextField(
        max_length=MAX_TEXT,
        lines=True,
        pattern=r"[\s\S]*\S[\s\S]*",
        pattern_rule="must not be blank",
    )


def draft_of(values: dict[str, Any]) -> RefundDraft:
    """Build a draft from parsed inputs."""
    return RefundDraft(
        amount=values.get("amount"),
        reason=values.get("reason", ""),
        expected_available=values.get("refund_amount_available"),
    )
