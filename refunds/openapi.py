"""The words of refunds in the reference."""

from core.wording import Wording

_INQUIRY = "inq_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"

STATUSES = """
The status of the refund.

- `pending`: your balance does not cover it yet; it is retried as money comes in.
- `succeeded`: the customer has the money back.
- `failed`: it will not be retried; `failure_reason` says why, and the amount can be refunded again.
""".strip()

INQUIRY_STATUSES = """
The status of the inquiry.

- `open`: the customer is waiting for an answer.
- `answered`: you or the service answered, and the customer was notified.
- `refunded`: the payment was refunded, in full or in part, after the inquiry was opened.
- `closed`: the service closed it without a refund and told the customer why.

If the customer writes again, it is reopened.
""".strip()

AUTHORS = """
Who wrote it.

- `customer`: the customer who paid, signed in.
- `visitor`: someone with the receipt, usually the customer without being signed in.
- `merchant`: you.
- `service`: staff of the service.
""".strip()

REASONS = """
The reason the customer chose.

- `not_received`: the goods or services were not received.
- `not_as_described`: they are not as described.
- `wrong_amount`: the amount is wrong.
- `duplicate`: the customer paid twice.
- `unrecognized`: the customer does not recognize this payment.
- `other`: something else; see the text.
""".strip()

WORDING = Wording(
    objects={
        "RefundOutput": "A full or partial refund of a payment to its customer.",
        "RefundList": "A page of refunds, newest first.",
        "NewRefundRequest": "What to refund; an empty object refunds the whole remaining amount.",
        "InquiryOutput": "A problem that a customer reported about a payment.",
        "InquirySummary": "An inquiry in a list: everything but its `entries`.",
        "InquirySummaryList": "A page of inquiries, newest first.",
        "InquiryEntryOutput": "A message, and the status that it led to.",
        "InquiryAnswerRequest": "Your answer to the customer.",
    },
    fields={
        "id": ("Its id.", "ref_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "amount": ("In cents.", 500),
        "reason": ("Why, in your own words; shown to the customer.", "One item was sold out"),
        "refund_amount_available": ("The amount you expect to be refundable, in cents.", 1250),
        "status": (STATUSES, "succeeded"),
        "fee_returned": ("The part of the service's fee returned to you, in cents.", 10),
        "failure_reason": (
            "Why it failed, as a sentence for people.",
            "The balance did not cover it in time.",
        ),
        "succeeded_at": ("When the customer got the money back.", "2026-11-21T15:00:00.000Z"),
        "amount_refunded": ("How much of the payment has been refunded so far, in cents.", 500),
        "refunds": ("The refunds on this page.", []),
        **dict.fromkeys(("InquiryOutput.id", "InquirySummary.id"), ("Its id.", _INQUIRY)),
        **dict.fromkeys(
            ("InquiryOutput.status", "InquirySummary.status", "InquiryEntryOutput.status"),
            (INQUIRY_STATUSES, "open"),
        ),
        **dict.fromkeys(
            ("InquiryOutput.reason", "InquirySummary.reason"), (REASONS, "not_received")
        ),
        "open_since": (
            "Since when the customer has been waiting for an answer.",
            "2026-11-21T15:00:00.000Z",
        ),
        "entries": ("The messages, oldest first.", []),
        "author": (AUTHORS, "customer"),
        "text": ("The message, as plain text.", "The tickets have not arrived."),
        "InquiryAnswerRequest.text": (
            "Your answer, as plain text; it is sent to the customer.",
            "They are on their way: please check your mailbox.",
        ),
        "at": ("When it was written.", "2026-11-21T15:00:00.000Z"),
        "inquiries": ("The inquiries on this page.", []),
    },
    shown={
        "RefundOutput": ("reason", "transaction_id", "succeeded_at"),
        "NewRefundRequest": ("amount", "reason"),
        "InquirySummary": ("open_since",),
        "InquiryOutput": ("open_since",),
        "InquiryEntryOutput": ("text",),
    },
)
