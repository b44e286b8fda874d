"""The input and output serializers of payments."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.conf import settings
from rest_framework import serializers

from core.clock import iso
from core.errors import ValidationFailed
from core.fields import (
    AmountField,
    CurrencyField,
    DateField,
    EmailTextField,
    InstantField,
    ListOf,
    MetadataField,
    OneOfField,
    StrictBooleanField,
    StrictIntegerField,
    TextField,
    WebUrlField,
    as_it_is,
    refuse_http,
)
from core.limits import MAX_NAME, MAX_TEXT, MAX_URL
from core.money import MAX_AMOUNT
from core.serializers import Change, Input, Output
from customers.phones import PHONE_RULE, read_phone
from merchants.callers import Caller
from merchants.models import Merchant
from payments.counters import screen_url
from payments.drafts import PaymentDraft
from payments.models import Payment
from payments.modes import MODE_OF_FIELD, PaymentMode
from payments.qr_payload import QRFormat
from payments.statuses import PaymentStatus

SHORTEST_LIFE_SECONDS, LONGEST_LIFE_SECONDS = 60, 2_592_000
MAX_ITEMS, MAX_ID = 200, 64


class QuantityField(AmountField):
    """The quantity of an item. A bad one falsifies the amount, so it is INVALID_AMOUNT too."""

    @property
    def rule(self) -> str:
        return f"must be an integer from {self.min_value} to {self.max_value}"


class LineItem(Input):
    name = TextField(max_length=MAX_NAME)
    quantity = QuantityField()
    price = AmountField(
        min_value=-MAX_AMOUNT, help_text="In cents; 0 for a gift, negative for a discount."
    )
    tax = AmountField(
        min_value=0, required=False, help_text="Tax on the line, in cents; included in its price."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if attrs.get("tax", 0) > abs(attrs["quantity"] * attrs["price"]):
            raise serializers.ValidationError({"tax": "must be at most the price of the line"})
        return attrs


class NewPayment(Input):
    merchant_id = TextField(max_length=64, required=False, help_text="Development mode only.")
    amount = AmountField(required=False, help_text="In cents. Optional for STATIC_PAY.")
    currency = CurrencyField(required=False)
    payment_mode = OneOfField(allowed=tuple(PaymentMode.values), required=False)
    description = TextField(max_length=MAX_TEXT, min_length=0, lines=True, required=False)
    success_url = WebUrlField(or_empty=True, required=False)
    cancel_url = WebUrlField(or_empty=True, required=False)
    metadata = MetadataField(required=False)
    expires_in = StrictIntegerField(
        min_value=SHORTEST_LIFE_SECONDS,
        max_value=LONGEST_LIFE_SECONDS,
        required=False,
        help_text="Seconds until the payment expires. Not for STATIC_PAY.",
    )
    expires_at = InstantField(
        required=False, help_text="The exact time, within the same bounds; not with `expires_in`."
    )
    order_id = TextField(max_length=MAX_NAME, required=False, help_text="ORDER_PAY.")
    line_items = ListOf(
        child=LineItem(),
        max_length=MAX_ITEMS,
        required=False,
        help_text="ORDER_PAY. A difference from the amount is a separate row on the receipt.",
    )
    total = AmountField(
        required=False, help_text="ORDER_PAY: the amount, if `amount` is not given."
    )
    invoice_number = TextField(max_length=MAX_NAME, required=False, help_text="INVOICE_PAY.")
    customer_email = EmailTextField(
        required=False, help_text="INVOICE_PAY: who gets the invoice, reminders and the receipt."
    )
    due_date = DateField(
        required=False, help_text="INVOICE_PAY; [[invoice_term]] from now if not given."
    )
    terms = TextField(max_length=MAX_TEXT, lines=True, required=False, help_text="INVOICE_PAY.")
    reference = TextField(max_length=MAX_NAME, required=False, help_text="REFERENCE_PAY.")
    replaces = TextField(
        max_length=MAX_ID,
        required=False,
        help_text="A payment that ended unpaid; its page then leads to this one.",
    )
    qr_format = OneOfField(allowed=tuple(QRFormat.values), required=False)

    @classmethod
    def unread_in(cls, data: Mapping[str, Any]) -> dict[str, str]:
        """Return the ignored fields with reasons, including those of another payment mode."""
        mode = data.get("payment_mode") or PaymentMode.DYNAMIC_PAY
        foreign = {
            name: f"is for {owner}"
            for name, owner in MODE_OF_FIELD.items()
            if owner != mode and data.get(name) is not None
        }
        return super().unread_in(data) | foreign


class ChangedPayment(Change):
    actions: ClassVar[Mapping[str, str]] = {
        "status": "POST /v1/payments/:id/cancel, and for a paid one POST /v1/payments/:id/refund"
    }

    description = TextField(
        max_length=MAX_TEXT, min_length=0, lines=True, required=False, allow_null=True
    )
    metadata = MetadataField(required=False, allow_null=True)


class Confirmation(Input):
    customer_phone = TextField(max_length=32, required=False)
    amount = AmountField(required=False, help_text="Required at a counter without an amount.")

    def validate_customer_phone(self, phone: str) -> str:
        number = read_phone(phone, livemode=False)
        if number is None:
            raise serializers.ValidationError(PHONE_RULE)
        return number


class LineItemOutput(Output):
    name = TextField(max_length=MAX_NAME)
    quantity = AmountField()
    price = AmountField(min_value=-MAX_AMOUNT)
    tax = AmountField(min_value=0, required=False)

    def to_representation(self, instance: dict[str, Any]) -> dict[str, Any]:
        return super().to_representation({"tax": None, **instance})


class CounterUrlField(TextField):
    """The URL of a counter's screen, which allows charging; for callers who may write payments."""

    def in_context(self, output: Output, payment: Payment) -> str:
        caller: Caller = output.context["caller"]
        if not payment.is_counter or not caller.may_write("payments"):
            return ""
        merchants = output.context.setdefault("merchants", {})
        if payment.merchant_id not in merchants:
            # The one read with the key is up to a second old: the screens may be renewed since.
            merchants[payment.merchant_id] = Merchant.objects.get(pk=payment.merchant_id)
        payment.merchant = merchants[payment.merchant_id]
        return screen_url(payment)


class CheckoutUrlField(serializers.CharField):
    """The address of a payment's checkout page."""

    def __init__(self) -> None:
        super().__init__(source="url", read_only=True)

    to_representation = as_it_is


class QrCodeUrlField(CheckoutUrlField):
    """The address of a payment's QR code, below that of its checkout page."""

    def to_representation(self, value: str) -> str:
        return f"{value}/qr.png"


class PaymentSummary(Output):
    """A payment in a list: everything but the QR payload."""

    id = TextField(max_length=40)
    merchant_id = TextField(max_length=40)
    amount = AmountField(required=False)
    tip = AmountField(required=False)
    currency = CurrencyField()
    status = serializers.SerializerMethodField()
    payment_mode = OneOfField(allowed=tuple(PaymentMode.values))
    description = TextField(max_length=MAX_TEXT, min_length=0, required=False)
    customer_id = TextField(max_length=40, required=False)
    transaction_id = TextField(max_length=40, required=False)
    hosted_url = TextField(max_length=255)
    checkout_url = CheckoutUrlField()
    qr_code_url = QrCodeUrlField()
    counter_url = CounterUrlField(
        source="*",
        max_length=MAX_URL,
        required=False,
        help_text="A counter's till screen. Keep it secret. Omitted for keys that can only read.",
    )
    success_url = WebUrlField(required=False)
    cancel_url = WebUrlField(required=False)
    metadata = MetadataField()
    order_id = TextField(max_length=MAX_NAME, required=False)
    line_items = LineItemOutput(many=True, required=False)
    total = AmountField(required=False)
    invoice_number = TextField(max_length=MAX_NAME, required=False)
    customer_email = EmailTextField(required=False)
    due_date = DateField(required=False)
    terms = TextField(max_length=MAX_TEXT, required=False)
    reference = TextField(max_length=MAX_NAME, required=False)
    static_payment_id = TextField(max_length=40, required=False)
    payment_link_id = TextField(max_length=40, required=False, source="link_id")
    livemode = StrictBooleanField()
    fee = AmountField(min_value=0, required=False)
    net = AmountField(min_value=0, required=False)
    amount_refunded = AmountField(min_value=0)
    amount_refundable = AmountField(min_value=0)
    refund_status = OneOfField(allowed=("none", "partial", "full"))
    error_code = TextField(max_length=40, required=False)
    error_message = TextField(max_length=255, required=False)
    created_at = InstantField()
    updated_at = InstantField()
    expires_at = InstantField(required=False)
    completed_at = InstantField(required=False)
    failed_at = InstantField(required=False)
    canceled_at = InstantField(required=False)

    def get_status(self, payment: Payment) -> PaymentStatus:
        return payment.status_at(self.context["now"])


class PaymentOutput(PaymentSummary):
    """A whole payment. `qr_payload` comes from the context, drawn before any transaction."""

    qr_payload = serializers.SerializerMethodField()

    def get_qr_payload(self, payment: Payment) -> str:
        return str(self.context["qr_payload"])


class CanceledPayment(Output):
    id = TextField(max_length=40)
    status = OneOfField(allowed=(PaymentStatus.CANCELED.value,))
    canceled_at = InstantField()


class ConfirmedPayment(Output):
    id = TextField(max_length=40)
    status = OneOfField(allowed=(PaymentStatus.COMPLETED.value, PaymentStatus.PROCESSING.value))
    customer_id = TextField(max_length=40)
    transaction_id = TextField(max_length=40, required=False)
    completed_at = InstantField(required=False)


def draft_of(values: dict[str, Any], *, livemode: bool, now: datetime) -> PaymentDraft:
    """Build a draft from parsed inputs.

    Raises ValidationFailed for an http URL in live mode, and for an expiry out of bounds.
    """
    refuse_http(values, "success_url", "cancel_url", livemode=livemode)
    if "expires_at" in values:
        _check_expiry(values, now)
    known = {name: value for name, value in values.items() if name in PaymentDraft.__annotations__}
    known.setdefault("currency", settings.DEFAULT_CURRENCY)
    if "payment_mode" in known:
        known["payment_mode"] = PaymentMode(known["payment_mode"])
    return PaymentDraft(**known)


def _check_expiry(values: dict[str, Any], now: datetime) -> None:
    if "expires_in" in values:
        raise ValidationFailed(expires_at="must not be given beside expires_in")
    if values.get("payment_mode") == PaymentMode.STATIC_PAY:
        raise ValidationFailed(expires_at="cannot be set: a STATIC_PAY payment never expires")
    first, last = (
        now + timedelta(seconds=life) for life in (SHORTEST_LIFE_SECONDS, LONGEST_LIFE_SECONDS)
    )
    if not first <= values["expires_at"] <= last:
        raise ValidationFailed(expires_at=f"must be from {iso(first)} to {iso(last)}")
