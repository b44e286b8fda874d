"""Everything stored about a customer, as one JSON file for that person."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import orjson
from django.db.models import Model, Q

from backoffice.services.personal_data import attempts_of, messages_to, wallets_of
from core.clock import iso
from customers.models import Customer
from customers.security_alerts import without_link
from funding.models import TopUp
from ledger.models import Account, Transfer
from messages.models import Message
from payments.models import Payment
from refunds.models import InquiryEntry, Refund

_CUSTOMER = (
    "id", "phone", "name", "email", "language", "created_at", "pin_set_at", "frozen_at",
)  # fmt: skip
_PAYMENT = (
    "id", "amount", "currency", "status", "payment_mode", "description", "paid_description",
    "order_id", "line_items", "invoice_number", "reference", "customer_email", "metadata",
    "amount_refunded", "created_at", "completed_at",
)  # fmt: skip
_REFUND = ("id", "payment_id", "amount", "currency", "status", "reason", "created_at")
_INQUIRY = ("inquiry_id", "status", "author", "text", "at")
_TOP_UP = (
    "id", "payment_id", "way", "amount", "amount_received", "currency", "status", "reference",
    "created_at", "succeeded_at",
)  # fmt: skip
_PASSKEY = ("name", "aaguid", "is_synced", "created_at", "last_used_at", "removed_at")
_SESSION = ("created_at", "last_seen_at", "ended_at", "expires_at", "device")
_MESSAGE = ("channel", "kind", "recipient", "subject", "text", "status", "due_at", "sent_at")
_ATTEMPT = ("payment_id", "method", "error_code", "address", "attempted_at")
_CHANGE = ("change", "at", "cause")


def export_personal_data(*, customer_id: str, now: datetime) -> bytes:
    """Return what is known of a customer, without secrets. Raises CustomerErased."""
    customer = Customer.objects.one(customer_id)
    customer.refuse_erased()
    known = {"exported_at": iso(now)} | _known_of(customer)
    return orjson.dumps(known, option=orjson.OPT_INDENT_2)


def _known_of(customer: Customer) -> dict[str, Any]:
    payments = Payment.objects.filter(customer=customer).select_related("merchant").order_by("pk")
    wallets = list(wallets_of(customer))
    return {
        "customer": _fields(customer, _CUSTOMER),
        "wallets": [{"currency": one.currency, "balance": one.balance} for one in wallets],
        "transfers": _transfers(wallets),
        "payments": [
            {"merchant": payment.merchant.name} | _fields(payment, _PAYMENT) for payment in payments
        ],
        "refunds": _rows(Refund.objects.filter(payment__customer=customer), _REFUND),
        "inquiries": _rows(
            InquiryEntry.objects.filter(inquiry__payment__customer=customer), _INQUIRY
        ),
        "top_ups": _rows(TopUp.objects.filter(customer=customer), _TOP_UP),
        "passkeys": _rows(customer.passkeys.all(), _PASSKEY),
        "sessions": _rows(customer.sessions.all(), _SESSION),
        "messages": [_message(row) for row in messages_to(customer).order_by("pk")],
        "verification_attempts": _rows(attempts_of(customer), _ATTEMPT),
        "account_changes": _rows(customer.changes.all(), _CHANGE),
    }


def _message(message: Message) -> dict[str, Any]:
    message.text = without_link(message.text)
    return _fields(message, _MESSAGE)


def _transfers(wallets: list[Account]) -> list[dict[str, Any]]:
    """Return the transfers in and out of the wallets; amounts going out are negative."""
    own = {wallet.pk for wallet in wallets}
    moved = Transfer.objects.filter(Q(debit_account__in=own) | Q(credit_account__in=own))
    return [
        {
            "kind": transfer.kind,
            "reference": transfer.reference,
            "amount": -transfer.amount if transfer.debit_account_id in own else transfer.amount,
            "currency": transfer.currency,
            "at": iso(transfer.created_at),
        }
        for transfer in moved.order_by("pk")
    ]


def _rows(rows: Any, names: Iterable[str]) -> list[dict[str, Any]]:
    return [_fields(row, names) for row in rows.order_by("pk")]


def _fields(row: Model, names: Iterable[str]) -> dict[str, Any]:
    values = {name: getattr(row, name) for name in names}
    return {
        name: iso(value) if isinstance(value, datetime) else value
        for name, value in values.items()
        if value not in (None, "")
    }
