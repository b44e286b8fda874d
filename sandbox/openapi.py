"""The words of what tests ask for in the reference."""

from core.wording import Wording
from payments.openapi import STATUSES

OUTCOMES = """
The outcome to simulate.

- `paid`: a customer pays.
- `paid_slowly`: it stays in `processing` for [[slow]] before it is completed.
- `paid_refunds_fail`: a customer pays, and its refunds fail.
- `insufficient_balance`, `declined`: it fails, with the matching `error_code`.
- `canceled`: the customer cancels it.
- `expired`: no one pays in time.
""".strip()

WORDING = Wording(
    objects={
        "SimulationRequest": "The outcome to simulate for a test payment.",
        "SimulatedPayment": "A test payment after the simulation.",
        "ExpiredLink": "A test payment link that no longer accepts payments.",
        "TimeStepRequest": "How far to advance the clock.",
        "MovedDeadlines": "How many deadlines moved closer; none of them moves into the past.",
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
        "moved_to": ("The simulated time.", "2026-11-22T14:00:00.000Z"),
        "payments": ("Payments that can expire.", 1),
        "processing_payments": ("Payments in `processing`.", 0),
        "payment_links": ("Payment links that can expire.", 0),
        "emails": ("E-mails waiting to be sent.", 0),
        "deliveries": ("Deliveries waiting for an attempt.", 0),
        "payouts": ("Payouts that are scheduled or in transit.", 0),
    },
    shown={"SimulatedPayment": ("transaction_id",), "TimeStepRequest": ("days",)},
)
