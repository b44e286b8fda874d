"""The words of payments in the reference."""

from core.wording import Wording
from payments.payment_file import COLUMNS

STATUSES = """
The status of the payment.

- `created`: no one has started to pay.
- `pending`: a customer has opened it and signed in.
- `requires_action`: the customer has to enter a PIN or use a passkey, and alone can cancel it.
- `processing`: the money is being moved; the payment can no longer be canceled.
- `completed`: paid. Deliver now.
- `failed`: it was refused for good; `error_code` says why.
- `expired`: not paid in time.
- `canceled`: canceled by you, or on its checkout page.

The last four are final.
""".strip()

MODES = """
How it is paid.

- `DYNAMIC_PAY`: once, within [[life]]; the default.
- `STATIC_PAY`: a counter. One QR code, a separate payment for each customer, no expiry.
- `ORDER_PAY`: once, with the order's line items on the receipt.
- `INVOICE_PAY`: once, until a due date; the customer is e-mailed the invoice and reminders.
- `REFERENCE_PAY`: once, with your own reference.
""".strip()

REFUND_STATUSES = """
How much of it has been refunded: `none`, `partial` or `full`.
""".strip()

_ITEMS = [{"name": "Day ticket", "quantity": 2, "price": 625}]

WORDING = Wording(
    objects={
        "PaymentOutput": "A payment, with every field.",
        "PaymentSummary": "A payment in a list: everything but `qr_payload`.",
        "PaymentSummaryList": "A page of payments, newest first.",
        "NewPaymentRequest": "What is to be paid. A field of a different mode is ignored.",
        "PatchedChangedPaymentRequest": "The fields to change; any other field is refused.",
        "ConfirmationRequest": "Who pays a test payment.",
        "ConfirmedPayment": "A test payment that was paid.",
        "CanceledPayment": "A payment that was canceled.",
        "PayRequestRequest": "The recipient: a `phone` or an `email`, not both.",
        "SentPayRequest": "A message that was queued for sending.",
        "LineItemRequest": "An item of an order.",
        "LineItemOutput": "An item of an order.",
        "TillOutput": "What your counters offer.",
        "TillProductOutput": "A product to pick at the counter screen.",
        "TillProductRequest": "A product to pick at the counter screen.",
        "PatchedChangedTillRequest": "The fields to change; any other field is refused.",
    },
    fields={
        "phone": ("A mobile number, with country code.", "+12425550123"),
        "email": ("An e-mail address.", "ana@example.com"),
        "channel": ("How it is sent: by `email`, or by `sms`.", "sms"),
        "sent_to": ("The phone number or e-mail address it is sent to.", "+12425550123"),
        "SentPayRequest.url": (
            "The URL that is sent.",
            "https://pay.example.com/checkout/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "status": (STATUSES, "created"),
        "payment_mode": (MODES, "DYNAMIC_PAY"),
        "amount": (
            "In the smallest unit of the currency (cents). Absent at a counter where the customer"
            " enters it.",
            1250,
        ),
        "tax": ("The tax on this line, in cents, included in its price.", 57),
        "tip": ("The part of the amount that is a tip, in cents, if there is one.", 125),
        "products": (
            "The products on the counter screen, at most nine.",
            [{"name": "Day ticket", "price": 625, "currency": "BSD"}],
        ),
        "tips_allowed": ("Whether customers at a counter may add a tip.", True),
        "hosted_url": (
            "The path of its checkout page.",
            "/checkout/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "checkout_url": (
            "The full URL of its checkout page: send the customer there.",
            "https://pay.example.com/checkout/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "qr_code_url": (
            "An image of its QR code.",
            "https://pay.example.com/checkout/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg/qr.png",
        ),
        "qr_payload": (
            "What its QR code encodes (a link into the app), or its image as a data URL; see"
            " `qr_format`.",
            "payapp://pay/pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "qr_format": (
            "The form of `qr_payload`: a `deep_link` into the app, or a `png` image.",
            "deep_link",
        ),
        "expires_in": ("Seconds until it expires.", 1800),
        "order_id": ("`ORDER_PAY`: your order number.", "1001"),
        "line_items": ("`ORDER_PAY`: what was ordered.", _ITEMS),
        "total": ("`ORDER_PAY`: the amount of the order, in cents.", 1250),
        "invoice_number": ("`INVOICE_PAY`: your invoice number.", "2026-117"),
        "customer_email": ("`INVOICE_PAY`: who gets the invoice.", "ana@example.com"),
        "due_date": ("`INVOICE_PAY`: the last day on which it can be paid.", "2026-12-21"),
        "terms": ("`INVOICE_PAY`: the payment terms.", "Net 30 days"),
        "reference": ("`REFERENCE_PAY`: your reference.", "LEASE-204-11"),
        "requested_at": (
            "When the customer asked for a new payment.",
            "2026-11-21T15:00:00.000Z",
        ),
        "replaces": (
            "The failed, expired or canceled payment that this one replaces: its page then leads"
            " here.",
            "pay_0W1f8ZzCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "static_payment_id": (
            "The counter at which it was paid.",
            "pay_0W1f8ZzCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "payment_link_id": (
            "The payment link through which it was opened.",
            "link_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "fee": ("The service's fee, deducted from the amount, in cents, once completed.", 25),
        "net": ("The amount added to your balance, in cents, once completed.", 1225),
        "amount_refunded": ("How much has been refunded so far, in cents.", 0),
        "amount_refundable": ("How much can still be refunded, in cents.", 0),
        "refund_status": (REFUND_STATUSES, "none"),
        "customer_phone": (
            "The test customer's phone number, of any kind, as it is sent no text; a new customer"
            " is created if none has it. The test numbers above also decide the outcome.",
            "+12425550100",
        ),
        "name": ("The name of the item.", "Day ticket"),
        "quantity": ("How many of the item.", 2),
        "price": ("The unit price, in cents.", 625),
        "payments": ("The payments on this page.", []),
        "PaymentSummaryList.total": ("How many payments there are on all pages together.", 1),
        "CanceledPayment.status": ("`canceled`.", "canceled"),
        "ConfirmedPayment.status": (
            "`completed`, or `processing` if the test number delays it.",
            "completed",
        ),
        "ConfirmationRequest.amount": ("In cents.", 1250),
    },
    shown={
        "PayRequestRequest": ("phone",),
        "PaymentOutput": ("amount", "description", "success_url", "cancel_url", "expires_at"),
        "PaymentSummary": ("amount", "description", "success_url", "cancel_url", "expires_at"),
        "NewPaymentRequest": (
            "amount",
            "currency",
            "description",
            "success_url",
            "cancel_url",
            "metadata",
        ),
        "PatchedChangedPaymentRequest": ("description", "metadata"),
        "ConfirmationRequest": ("customer_phone",),
        "PatchedChangedTillRequest": ("products", "tips_allowed"),
        "ConfirmedPayment": ("transaction_id", "completed_at"),
    },
    columns={"PaymentSummaryList": COLUMNS},
)
