"""The words of what tests ask for in the reference."""

from core.wording import Wording
from payments.openapi import STATUSES

OUTCOMES = """
How it is to end.

- `paid`: a customer pays.
- `paid_slowly`: it stays in `processing` for [[slow]], and is completed then.
- `paid_refunds_fail`: a customer pays, and its refunds fail.
- `insufficient_balance`, `declined`: it fails, with that `error_code`.
- `canceled`: its customer calls it off.
- `expired`: no one pays in time.
""".strip()

WORDING = Wording(
    objects={
        "SimulationRequest": "How a test payment is to end.",
        "SimulatedPayment": "What has become of a test payment.",
        "ExpiredLink": "A test payment link that takes no more payments.",
        "TimeStepRequest": "How far time is to go.",
        "MovedDeadlines": "How many deadlines came nearer; none lies in the past by that.",
    },
    fields={
        "outcome": (OUTCOMES, "paid"),
        "SimulationRequest.amount": ("In cents.", 1250),
        "SimulatedPayment.status": (STATUSES, "completed"),
        "ExpiredLink.id": ("Its id.", "link_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "ExpiredLink.status": ("`expired`.", "expired"),
        "days": ("Days to add.", 1),
        "hours": ("Hours to add.", 0),
        "minutes": ("Minutes to add.", 0),
        "moved_to": ("The time that is played.", "2026-11-22T14:00:00.000Z"),
        "payments": ("Payments that can expire.", 1),
        "processing_payments": ("Payments in `processing`.", 0),
        "payment_links": ("Payment links that can expire.", 0),
        "emails": ("E-mails that wait to be sent.", 0),
        "deliveries": ("Deliveries that wait for an attempt.", 0),
        "payouts": ("Payouts on their way.", 0),
    },
    shown={"SimulatedPayment": ("transaction_id",), "TimeStepRequest": ("days",)},
)
