"""The words of refunds in the reference."""

from core.wording import Wording

STATUSES = """
What has become of it.

- `pending`: your balance does not cover it yet; it is tried again as money comes in.
- `succeeded`: the customer has the money back.
- `failed`: it was given up; `failure_reason` says why, and the amount may be refunded again.
""".strip()

WORDING = Wording(
    objects={
        "RefundOutput": "Money of a payment that goes back to its customer.",
        "RefundList": "A page of refunds, newest first.",
        "NewRefundRequest": "What is to be refunded; an empty object refunds all that is left.",
    },
    fields={
        "id": ("Its id.", "ref_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "amount": ("In cents.", 500),
        "reason": ("Why, in your own words; the customer is told.", "One item was sold out"),
        "refund_amount_available": ("What you believe is left to refund, in cents.", 1250),
        "status": (STATUSES, "succeeded"),
        "fee_returned": ("The part of the service's fee that you get back, in cents.", 10),
        "failure_reason": (
            "Why it failed, for people.",
            "The balance did not cover it in time.",
        ),
        "succeeded_at": ("When the customer had the money back.", "2026-11-21T15:00:00.000Z"),
        "amount_refunded": ("How much of the payment was refunded so far, in cents.", 500),
        "refunds": ("The refunds of this page.", []),
    },
    shown={
        "RefundOutput": ("reason", "transaction_id", "succeeded_at"),
        "NewRefundRequest": ("amount", "reason"),
    },
)
