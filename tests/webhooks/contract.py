"""What the contract says each event carries, and from which attribute of which object it comes.

The first five are the contract's own tables, field by field; of the others, the id and main fields.
"""

from typing import Any

from links import events as links
from payments import events as payments
from payouts import events as payouts
from refunds import events as refunds
from webhooks import merchant_events as merchants
from webhooks.event_types import EventType

_T = EventType

TABLES: dict[EventType, tuple[str, ...]] = {
    _T.PAYMENT_COMPLETED: (
        "payment_id", "merchant_id", "amount", "currency", "status", "customer_id",
        "transaction_id", "metadata", "completed_at",
    ),
    _T.PAYMENT_FAILED: (
        "payment_id", "merchant_id", "amount", "status", "error_code", "error_message",
        "metadata", "failed_at",
    ),
    _T.PAYMENT_EXPIRED: ("payment_id",),
    _T.REFUND_COMPLETED: ("refund_id", "payment_id", "amount", "reason"),
    _T.PAYOUT_PAID: ("payout_id", "amount", "arrival_date"),
}  # fmt: skip

IDS = {
    "payment": "payment_id",
    "refund": "refund_id",
    "inquiry": "inquiry_id",
    "payout": "payout_id",
    "payment_link": "payment_link_id",
    "merchant": "merchant_id",
}


class Filled:
    """An object of which every attribute has a value that says where it comes from."""

    def __init__(self, name: str) -> None:
        self._name = name

    tip = None  # what is given on top stands only in events of payments that have one

    def __getattr__(self, attribute: str) -> Any:
        return Filled(f"{self._name}.{attribute}")

    def isoformat(self) -> "Filled":
        return self

    def __str__(self) -> str:
        return self._name


_payment, _refund, _inquiry, _payout, _link, _merchant = map(Filled, IDS)

# Built from objects of which everything is filled in.
BUILT: dict[EventType, dict[str, Any]] = {
    event_type: {name: str(value) for name, value in data.items()}
    for event_type, data in {
        _T.PAYMENT_CREATED: payments.payment_created(_payment),  # type: ignore[arg-type]
        _T.PAYMENT_COMPLETED: payments.payment_completed(_payment),  # type: ignore[arg-type]
        _T.PAYMENT_FAILED: payments.payment_failed(_payment),  # type: ignore[arg-type]
        _T.PAYMENT_EXPIRED: payments.payment_expired(_payment),  # type: ignore[arg-type]
        _T.PAYMENT_CANCELED: payments.payment_canceled(_payment),  # type: ignore[arg-type]
        _T.PAYMENT_REFUNDED: refunds.payment_refunded(_payment, _refund),  # type: ignore[arg-type]
        _T.PAYMENT_REPLACEMENT_REQUESTED: payments.payment_replacement_requested(
            _payment,  # type: ignore[arg-type]
            requested_at="payment.requested_at",  # type: ignore[arg-type]
        ),
        _T.REFUND_CREATED: refunds.refund_created(_refund),  # type: ignore[arg-type]
        _T.REFUND_COMPLETED: refunds.refund_completed(_refund),  # type: ignore[arg-type]
        _T.REFUND_FAILED: refunds.refund_failed(_refund),  # type: ignore[arg-type]
        _T.INQUIRY_CREATED: refunds.inquiry_changed(_inquiry),  # type: ignore[arg-type]
        _T.INQUIRY_UPDATED: refunds.inquiry_changed(_inquiry),  # type: ignore[arg-type]
        _T.PAYOUT_CREATED: payouts.payout_created(_payout),  # type: ignore[arg-type]
        _T.PAYOUT_PAID: payouts.payout_paid(_payout),  # type: ignore[arg-type]
        _T.PAYOUT_FAILED: payouts.payout_failed(_payout),  # type: ignore[arg-type]
        _T.PAYOUT_CANCELED: payouts.payout_canceled(_payout),  # type: ignore[arg-type]
        _T.PAYMENT_LINK_CREATED: links.payment_link_created(_link),  # type: ignore[arg-type]
        _T.PAYMENT_LINK_PAYMENT_COMPLETED: links.payment_link_payment_completed(
            _link,  # type: ignore[arg-type]
            payment_id="payment.id",
            amount="payment.amount",  # type: ignore[arg-type]
        ),
        _T.PAYMENT_LINK_DEACTIVATED: links.payment_link_deactivated(_link),  # type: ignore[arg-type]
        _T.PAYMENT_LINK_EXPIRED: links.payment_link_expired(_link),  # type: ignore[arg-type]
        _T.MERCHANT_UPDATED: merchants.merchant_updated(
            _merchant,  # type: ignore[arg-type]
            changed="merchant.changed",
        ),
    }.items()
}
