"""Hooks of higher apps that lower apps call, which know them only by these paths."""

# Each takes a merchant id and a mode, and returns the query of `currency` and `total`: the cents
# that must not be paid out.
PAYOUT_RESERVES: list[str] = ["refunds.reserve.pending_amounts"]

# Each yields one sentence per row that does not agree with the ledger, or with the audit trail.
LEDGER_CHECKS: list[str] = [
    "payments.reconciliation.check_payments",
    "refunds.reconciliation.check_refunds",
    "links.reconciliation.check_links",
    "payouts.reconciliation.check_payouts",
    "payouts.batch_reconciliation.check_batches",
    "payouts.bank.booking_reconciliation.check_bookings",
    "funding.reconciliation.check_top_ups",
    "backoffice.audit_verification.verify_audit",
]

# Each credits incoming bank money, in the transaction that matches its entry, and returns the id of
# what it was credited to, or "" if it does not recognize it.
BANK_CREDITS: list[str] = ["funding.bank_transfers.credit_entry"]

# Each writes the messages of a kind when they are due, or None if they are no longer needed.
MESSAGE_WRITERS: dict[str, str] = {
    "confirm_email": "merchants.email_confirmation.write",
    "confirm_address": "customers.own_email.write",
    "staff_invitation": "backoffice.services.staff_mail.write",
    "invoice": "payments.emails.write",
    "reminder": "payments.emails.write",
    "due": "payments.emails.write",
    "receipt": "payments.emails.write",
    "refund": "refunds.emails.write",
    "inquiry": "refunds.emails.write_answer",
    "problem_report": "refunds.report_mails.write",
    "pay_request": "payments.pay_requests.write",
    "payment_link": "payments.pay_requests.write",
}

# The kinds that are sent before all others: warnings that a wallet may be in the wrong hands.
URGENT_MESSAGES = (
    "pin_set", "pin_changed", "passkey_added", "passkey_removed", "passkey_copied", "email_set",
    "email_changed", "email_removed", "frozen",
)  # fmt: skip

# Returns the confirmed e-mail address that a merchant's test e-mails go to, and the URL of the page
# to unsubscribe from them, or None.
CONFIRMED_EMAIL = "merchants.email_confirmation.recipient_of_tests"

# Called in the transaction that changes a merchant's profile.
MERCHANT_UPDATED = "webhooks.merchant_events.emit_updated"

# Returns the signature that the log has of a row without one, or None.
LOGGED_SIGNATURE = "ledger.signed_row_checks.logged_signature"

# Functions that return a sample of each event
EVENT_SAMPLES: list[str] = [
    "payments.events.samples",
    "refunds.events.samples",
    "links.events.samples",
    "payouts.events.samples",
    "webhooks.merchant_events.samples",
]

# The descriptions of objects in the reference
WORDINGS: list[str] = [
    "merchants.openapi.WORDING",
    "payments.openapi.WORDING",
    "refunds.openapi.WORDING",
    "links.openapi.WORDING",
    "payouts.openapi.WORDING",
    "webhooks.openapi.WORDING",
    "sandbox.openapi.WORDING",
]

# The hooks that turn the generator's document into the reference, in this order
REFERENCE_HOOKS = [
    "webhooks.reference.describe",
    "core.reference.describe",
    "config.error_guide.describe",
    "core.wording.describe",
    "core.openapi.key_needed",
    "core.examples.illustrate",
    "config.guides.describe",
    "config.first_payment.describe",
    "config.rendered_figures.fill",
]

# The resources of the reference, in its order
_RESOURCES = {
    "Merchants": "The business that is paid: its profile and its first API keys.",
    "API keys": "The keys your servers authenticate with, and the scopes of each.",
    "Payments": "An amount that a customer pays, from creation to its final status.",
    "Refunds": "Full or partial refunds of completed payments.",
    "Inquiries": "Problems that customers report about a payment, and your answers.",
    "Payment links": "A page where many customers can pay, each with a separate payment.",
    "Tills": "The products that your counters offer, and whether they take tips.",
    "Balances": "The money that the service holds for you.",
    "Payouts": "Transfers from your balance to your bank account.",
    "Bank accounts": "The accounts that payouts go to, one per currency.",
    "Statements": "Your balance over a period, line by line.",
    "Ledger proofs": "Proof that a transaction is in the ledger, verifiable without the service.",
    "Webhooks": "Your endpoints, and the events each of them subscribes to.",
    "Deliveries": "What was sent to a webhook, and what it answered.",
    "Events": "Everything that has happened, whether or not it was sent to a webhook.",
    "Test clocks": "Advancing the clock for your test objects.",
    "Webhook events": "The requests that your endpoints receive, one for each type of event.",
}
REFERENCE_TAGS = [{"name": name, "description": text} for name, text in _RESOURCES.items()]

# The lists whose `total` is kept by triggers
COUNTED_LISTS: list[str] = [
    "payments.counts.PAYMENTS",
    "refunds.counts.REFUNDS",
    "links.counts.LINKS",
    "webhooks.counts.EVENTS",
    "webhooks.counts.DELIVERIES",
]
