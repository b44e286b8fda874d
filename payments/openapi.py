"""The words of payments in the reference."""

from core.wording import Wording
from payments.payment_file import COLUMNS

STATUSES = """
What has become of it.

- `created`: no one has begun to pay.
- `pending`: a customer has opened it and signed in.
- `requires_action`: the customer has to enter a PIN or use a passkey.
- `processing`: the money is on its way; it can no longer be canceled.
- `completed`: paid. Deliver now.
- `failed`: it was refused for good; `error_code` says why.
- `expired`: not paid in time.
- `canceled`: called off by you, or on its page.

The last four are final.
""".strip()

MODES = """
How it is paid.

- `DYNAMIC_PAY`: once, within [[life]]; the default.
- `STATIC_PAY`: a counter. One QR code, a payment of its own for each customer, no end.
- `ORDER_PAY`: once, with the items of an order on the receipt.
- `INVOICE_PAY`: once, until a due date; the customer is e-mailed and reminded.
- `REFERENCE_PAY`: once, with a reference of yours.
""".strip()

REFUND_STATUSES = """
How much of it was refunded: `none`, `partial` or `full`.
""".strip()

_ITEMS = [{"name": "Day ticket", "quantity": 2, "price": 625}]

WORDING = Wording(
    objects={
        "PaymentOutput": "A payment, whole.",
        "PaymentSummary": "A payment in a list: everything but `qr_payload`.",
        "PaymentSummaryList": "A page of payments, newest first.",
        "NewPaymentRequest": "What is to be paid. A field of another mode is ignored.",
        "PatchedChangedPaymentRequest": "What is to change; any other field is refused.",
        "ConfirmationRequest": "Who pays a test payment.",
        "ConfirmedPayment": "A test payment that was paid.",
        "CanceledPayment": "A payment that was called off.",
        "PayRequestRequest": "Whom to send it to: a `phone` or an `email`, not both.",
        "SentPayRequest": "What was handed on to be sent.",
        "LineItemRequest": "An item of an order.",
        "LineItemOutput": "An item of an order.",
        "TillOutput": "What your counters offer.",
        "TillProductOutput": "A product to pick at the counter screen.",
        "TillProductRequest": "A product to pick at the counter screen.",
        "PatchedChangedTillRequest": "What is to change; any other field is refused.",
    },
    fields={
        "phone": ("A mobile number, with its country code.", "+12425550123"),
        "email": ("An e-mail address.", "ana@example.com"),
        "channel": ("How it is sent: by `email`, or by `sms`.", "sms"),
        "sent_to": ("Whom it is sent to.", "+12425550123"),
        "SentPayRequest.url": (
            "The address that is sent.",
            "https://pay.example.com/checkout/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "status": (STATUSES, "created"),
        "payment_mode": (MODES, "DYNAMIC_PAY"),
        "amount": (
            "In the smallest unit of the currency (cents). Absent at a counter where the customer"
            " enters it.",
            1250,
        ),
        "tax": ("The tax in this line, in cents, included in its price.", 57),
        "tip": ("The part of the amount that is a tip, in cents, where there is one.", 125),
        "products": (
            "What the counter screen offers to pick, at most nine.",
            [{"name": "Day ticket", "price": 625, "currency": "BSD"}],
        ),
        "tips_allowed": ("Whether customers at a counter may add a tip.", True),
        "hosted_url": (
            "The path of its checkout page.",
            "/checkout/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "checkout_url": (
            "The whole address of its checkout page: send the customer there.",
            "https://pay.example.com/checkout/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "qr_code_url": (
            "An image of its QR code.",
            "https://pay.example.com/checkout/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg/qr.png",
        ),
        "qr_payload": (
            "What a QR code of it says: a link into the app, or an image as a data URL; see"
            " `qr_format`.",
            "payapp://pay/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "qr_format": (
            "The form of `qr_payload`: `deep_link` into the app, or a `png` image.",
            "deep_link",
        ),
        "expires_in": ("Seconds until it expires.", 1800),
        "order_id": ("Of `ORDER_PAY`: your number of the order.", "1001"),
        "line_items": ("Of `ORDER_PAY`: what was ordered.", _ITEMS),
        "total": ("Of `ORDER_PAY`: the amount of the order, in cents.", 1250),
        "invoice_number": ("Of `INVOICE_PAY`: your number of the invoice.", "2026-117"),
        "customer_email": ("Of `INVOICE_PAY`: who gets the invoice.", "ana@example.com"),
        "due_date": ("Of `INVOICE_PAY`: the last day on which it can be paid.", "2026-12-21"),
        "terms": ("Of `INVOICE_PAY`: its terms of payment.", "Net 30 days"),
        "reference": ("Of `REFERENCE_PAY`: your reference.", "LEASE-204-11"),
        "requested_at": (
            "When the customer asked for a new payment.",
            "2026-11-21T15:00:00.000Z",
        ),
        "replaces": (
            "A payment that failed, expired or was canceled, in whose place this one is made: its"
            " page then leads here.",
            "pay_0W1f8ZzCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "static_payment_id": (
            "The counter at which it was paid.",
            "pay_0W1f8ZzCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "payment_link_id": (
            "The payment link by which it was paid.",
            "link_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "fee": ("The part of the amount that the service keeps, in cents, once completed.", 25),
        "net": ("What is added to your balance, in cents, once completed.", 1225),
        "amount_refunded": ("How much was refunded so far, in cents.", 0),
        "amount_refundable": ("How much can still be refunded, in cents.", 0),
        "refund_status": (REFUND_STATUSES, "none"),
        "customer_phone": (
            "The phone of the test customer, who is created where there is none; a phone of the"
            " list above decides how the payment ends.",
            "+12425550100",
        ),
        "name": ("What it is.", "Day ticket"),
        "quantity": ("How many of it.", 2),
        "price": ("The price of one, in cents.", 625),
        "payments": ("The payments of this page.", []),
        "PaymentSummaryList.total": ("How many payments there are on all pages together.", 1),
        "CanceledPayment.status": ("`canceled`.", "canceled"),
        "ConfirmedPayment.status": (
            "`completed`, or `processing` where the phone makes it take a while.",
            "completed",
        ),
        "ConfirmationRequest.amount": ("In cents.", 1250),
    },
    shown={
        "PayRequestRequest": ("phone",),
        "PaymentOutput": ("amount", "description", "success_url", "cancel_url", "expires_at"),
        "PaymentSummary": ("amount", "description", "success_url", "cancel_url", "expires_at"),
        "NewPaymentRequest": ("amount", "currency", "description", "success_url", "metadata"),
        "PatchedChangedPaymentRequest": ("description", "metadata"),
        "ConfirmationRequest": ("customer_phone",),
        "PatchedChangedTillRequest": ("products", "tips_allowed"),
        "ConfirmedPayment": ("transaction_id", "completed_at"),
    },
    columns={"PaymentSummaryList": COLUMNS},
)
