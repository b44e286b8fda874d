"""One payload of every type, as an endpoint would get it: for test events and the reference.

The ids name nothing, and the metadata says that this is a sample.
"""

from typing import Any

from webhooks.event_types import EventType

MERCHANT_ID = "mer_0W1f8KqZ3kTt9mVbXw2RcYdNs5LhGp"
PAYMENT_ID = "pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"
CUSTOMER_ID = "cus_0W1f8PmN5tRk2YcWx9QzVb7LdJs3Fh"
TRANSACTION_ID = "txn_0W1f9BcDw3KzQn8RtM5vXj7YpLs2Hf"
REFUND_ID = "ref_0W1fABcD6mTkZq2WvN9xRj4YpLs7Hg"
PAYOUT_ID = "po_0W1fBCdE8nVkXr3QwM7zTj5YpLs9Hf"
LINK_ID = "link_0W1fCDeF4pWkYt6RxN2vQj8ZmLs5Hg"
METADATA = {"sample": True, "order": "1001"}

_MONEY = {"amount": 1250, "currency": "BSD"}
_PAYMENT = {"payment_id": PAYMENT_ID, "merchant_id": MERCHANT_ID}
_REFUND = {"refund_id": REFUND_ID, "payment_id": PAYMENT_ID}
_LINK = {"payment_link_id": LINK_ID, "merchant_id": MERCHANT_ID}
_PAYOUT = {"payout_id": PAYOUT_ID, "merchant_id": MERCHANT_ID}

_T = EventType
SAMPLES: dict[EventType, dict[str, Any]] = {
    _T.PAYMENT_CREATED: {
        **_PAYMENT,
        **_MONEY,
        "status": "created",
        "payment_mode": "DYNAMIC_PAY",
        "metadata": METADATA,
        "created_at": "2026-11-21T14:00:00.000Z",
        "expires_at": "2026-11-22T14:00:00.000Z",
    },
    _T.PAYMENT_COMPLETED: {
        **_PAYMENT,
        **_MONEY,
        "status": "completed",
        "customer_id": CUSTOMER_ID,
        "transaction_id": TRANSACTION_ID,
        "metadata": METADATA,
        "completed_at": "2026-11-21T14:02:00.000Z",
    },
    _T.PAYMENT_FAILED: {
        **_PAYMENT,
        "amount": 1250,
        "status": "failed",
        "error_code": "INSUFFICIENT_BALANCE",
        "error_message": "The customer has insufficient funds.",
        "metadata": METADATA,
        "failed_at": "2026-11-21T14:02:00.000Z",
    },
    _T.PAYMENT_EXPIRED: {"payment_id": PAYMENT_ID},
    _T.PAYMENT_CANCELED: {
        **_PAYMENT,
        **_MONEY,
        "status": "canceled",
        "metadata": METADATA,
        "canceled_at": "2026-11-21T14:02:00.000Z",
    },
    _T.PAYMENT_REFUNDED: {
        **_PAYMENT,
        **_MONEY,
        "status": "completed",
        "refund_id": REFUND_ID,
        "amount_refunded": 500,
        "refund_status": "partial",
        "metadata": METADATA,
    },
    _T.REFUND_CREATED: {
        **_REFUND,
        "merchant_id": MERCHANT_ID,
        "amount": 500,
        "currency": "BSD",
        "reason": "One item was sold out",
        "status": "succeeded",
        "created_at": "2026-11-21T15:00:00.000Z",
    },
    _T.REFUND_COMPLETED: {**_REFUND, "amount": 500, "reason": "One item was sold out"},
    _T.REFUND_FAILED: {
        **_REFUND,
        "merchant_id": MERCHANT_ID,
        "amount": 500,
        "currency": "BSD",
        "reason": "One item was sold out",
        "status": "failed",
        "failure_reason": "The merchant's balance did not cover the refund for 30 days.",
        "failed_at": "2026-12-21T15:00:00.000Z",
    },
    _T.PAYOUT_CREATED: {
        **_PAYOUT,
        "amount": 98_000,
        "currency": "BSD",
        "status": "scheduled",
        "arrival_date": "2026-11-24",
        "created_at": "2026-11-21T16:00:00.000Z",
    },
    _T.PAYOUT_PAID: {"payout_id": PAYOUT_ID, "amount": 98_000, "arrival_date": "2026-11-24"},
    _T.PAYOUT_FAILED: {
        **_PAYOUT,
        "amount": 98_000,
        "currency": "BSD",
        "status": "failed",
        "error_code": "account_closed",
        "error_message": "The bank account is closed.",
        "failed_at": "2026-11-24T09:00:00.000Z",
    },
    _T.PAYMENT_LINK_CREATED: {
        **_LINK,
        **_MONEY,
        "description": "Harbour tour",
        "url": f"https://pay.example.com/pay/harbour-tours/{LINK_ID}",
        "status": "active",
        "max_uses": 10,
        "metadata": METADATA,
        "created_at": "2026-11-21T13:00:00.000Z",
        "expires_at": "2026-12-21T13:00:00.000Z",
    },
    _T.PAYMENT_LINK_PAYMENT_COMPLETED: {
        "payment_link_id": LINK_ID,
        **_PAYMENT,
        **_MONEY,
        "status": "active",
        "uses_count": 3,
        "max_uses": 10,
        "metadata": METADATA,
    },
    _T.PAYMENT_LINK_DEACTIVATED: {
        **_LINK,
        "status": "deactivated",
        "deactivated_at": "2026-11-21T18:00:00.000Z",
    },
    _T.PAYMENT_LINK_EXPIRED: {
        **_LINK,
        "status": "expired",
        "expired_at": "2026-12-21T13:00:00.000Z",
    },
}
