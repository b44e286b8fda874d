"""The words of refunds in the reference."""

from core.wording import Wording

_INQUIRY = "inq_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"

STATUSES = """
What has become of it.

- `pending`: your balance does not cover it yet; it is tried again as money comes in.
- `succeeded`: the customer has the money back.
- `failed`: it was given up; `failure_reason` says why, and the amount may be refunded again.
""".strip()

INQUIRY_STATUSES = """
Where it stands.

- `open`: the customer waits for an answer.
- `answered`: by you or by the service; the customer was told.
- `refunded`: money of the payment went back since.
- `closed`: by the service, without a refund; the customer was told why.

If the customer writes again, it is `open` again.
""".strip()

AUTHORS = """
Who wrote it.

- `customer`: who paid, signed in.
- `visitor`: someone who has the receipt: most often the customer, not signed in.
- `merchant`: you.
- `service`: the people of the service.
""".strip()

REASONS = """
What the customer has chosen.

- `not_received`: what was bought did not come.
- `not_as_described`: it is not what was promised.
- `wrong_amount`: the sum is wrong.
- `duplicate`: it was paid twice.
- `unrecognized`: the customer does not know this payment.
- `other`: something else; see the text.
""".strip()

WORDING = Wording(
    objects={
        "RefundOutput": "Money of a payment that goes back to its customer.",
        "RefundList": "A page of refunds, newest first.",
        "NewRefundRequest": "What is to be refunded; an empty object refunds all that is left.",
        "InquiryOutput": "What a customer has reported about a payment, whole.",
        "InquirySummary": "An inquiry in a list: everything but its `entries`.",
        "InquirySummaryList": "A page of inquiries, newest first.",
        "InquiryEntryOutput": "What was written, and the status that it led to.",
        "InquiryAnswerRequest": "What the customer is told.",
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
        **dict.fromkeys(("InquiryOutput.id", "InquirySummary.id"), ("Its id.", _INQUIRY)),
        **dict.fromkeys(
            ("InquiryOutput.status", "InquirySummary.status", "InquiryEntryOutput.status"),
            (INQUIRY_STATUSES, "open"),
        ),
        **dict.fromkeys(
            ("InquiryOutput.reason", "InquirySummary.reason"), (REASONS, "not_received")
        ),
        "open_since": ("Since when the customer waits.", "2026-11-21T15:00:00.000Z"),
        "entries": ("What was written, oldest first.", []),
        "author": (AUTHORS, "customer"),
        "text": ("What was written, as plain text.", "The tickets have not come."),
        "InquiryAnswerRequest.text": (
            "Your answer, as plain text; the customer is sent it.",
            "They are on their way: look into your mailbox.",
        ),
        "at": ("When.", "2026-11-21T15:00:00.000Z"),
        "inquiries": ("The inquiries of this page.", []),
    },
    shown={
        "RefundOutput": ("reason", "transaction_id", "succeeded_at"),
        "NewRefundRequest": ("amount", "reason"),
        "InquirySummary": ("open_since",),
        "InquiryOutput": ("open_since",),
        "InquiryEntryOutput": ("text",),
    },
)
