"""What is known of a person, across all rooms: erased, or handed out as one JSON file."""

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any
from urllib.parse import unquote_plus

import orjson
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Q, QuerySet

from backoffice.errors import ErasureRefused
from backoffice.formats import money
from backoffice.models import Instruction, SavedView
from backoffice.services.support import LINK_KIND
from checkout.models import VerificationAttempt
from core.clock import iso
from customers.erasure import erase_customer
from customers.models import Customer
from customers.security_alerts import without_link
from funding.models import TopUp
from ledger.models import Account, Purpose, Transfer
from merchants.callers import Caller
from messages.models import Message, MessageStatus
from payments import emails, pay_requests
from payments.models import Payment
from payments.statuses import FINAL
from refunds.models import Inquiry, InquiryEntry, Refund
from refunds.report_mails import KIND as PROBLEM_REPORT

REQUESTS = (*emails.SUBJECTS, pay_requests.KIND, LINK_KIND)
LAST_DIGITS = 7  # a number as staff type it, with or without the code of the country


def check_erasure(instruction: Instruction, now: datetime) -> None:
    """Refuse while the person has money, or money is on its way.

    Raises CustomerNotFound, CustomerErased, ErasureRefused with each reason.
    """
    customer = Customer.objects.locked(instruction.subject_id)
    customer.refuse_erased()
    reasons = list(reasons_to_wait(customer))
    if reasons:
        raise ErasureRefused(" ".join(reasons))


@transaction.atomic
def erase(instruction: Instruction, caller: Caller, now: datetime) -> str:
    """Erase the personal data of a customer, and return the customer's id.

    Payments, refunds, top-ups and transfers are kept as they are, except for the e-mail address in
    a payment: the ledger's proofs hold as before. Raises as `check_erasure`.
    """
    check_erasure(instruction, now)
    customer = Customer.objects.one(instruction.subject_id)
    payments = Payment.objects.filter(customer=customer)
    messages_to(customer).delete()
    InquiryEntry.objects.filter(inquiry__payment__customer=customer).update(text="")
    attempts_of(customer).delete()
    _forget_views(customer)
    payments.exclude(customer_email=None).update(customer_email=None, updated_at=now)
    erase_customer(customer_id=customer.pk, actor=caller.actor, cause=instruction.pk, now=now)
    return customer.pk


def messages_to(customer: Customer) -> QuerySet[Message]:
    """Return the messages about the customer's account and payments, and those asking them to pay.

    Payments that the customer never opened are matched by the recipient. The same address may
    belong to a merchant or to staff, whose messages are of other kinds. So is what a merchant is
    sent about the customer's report, which says nothing of who that is.
    """
    refunds = Refund.objects.filter(payment__customer=customer)
    inquiries = Inquiry.objects.filter(payment__customer=customer)
    is_theirs = Q(about=customer.pk)
    for rows in (
        Payment.objects.filter(customer=customer),
        refunds,
        inquiries,
        TopUp.objects.filter(customer=customer),
    ):
        is_theirs |= Q(about__in=rows.values("pk"))
    messages = Message.objects.exclude(kind=PROBLEM_REPORT)
    return messages.filter(is_theirs | _requests_to(customer))


def _requests_to(customer: Customer) -> Q:
    """Return the messages that asked the customer to pay. Test numbers belong to one merchant."""
    is_sent_there = Q(recipient=customer.phone)
    if customer.email:
        is_sent_there |= _mailed_to(customer)
    if not customer.livemode:
        is_sent_there &= Q(merchant_id=customer.merchant_id)
    return is_sent_there & Q(kind__in=REQUESTS, livemode=customer.livemode)


def _mailed_to(customer: Customer) -> Q:
    """Return the messages to the customer's address, which others may share.

    In a family or an office, messages about the others' payments belong to them, and so do those
    not sent yet, for which they may be waiting.
    """
    others = Customer.objects.with_email(customer.email).exclude(pk=customer.pk)
    others = others.filter(livemode=customer.livemode, merchant=customer.merchant_id)
    is_mailed = Q(recipient__iexact=customer.email)
    if not others.exists():
        return is_mailed
    theirs = Payment.objects.filter(pk=OuterRef("about"), customer__in=others)
    return is_mailed & ~Q(Exists(theirs)) & ~Q(status=MessageStatus.PLANNED)


def attempts_of(customer: Customer) -> QuerySet[VerificationAttempt]:
    """Return the attempts at the customer's payments, and theirs at payments never completed."""
    payments = Payment.objects.filter(customer=customer)
    is_theirs = Q(actor=f"customer:{customer.pk}")
    return VerificationAttempt.objects.filter(Q(payment_id__in=payments.values("pk")) | is_theirs)


def _forget_views(customer: Customer) -> None:
    """Delete the saved views that contain the customer's phone, e-mail address, name or id."""
    known = filter(None, (customer.email, customer.name, customer.pk))
    either = "|".join(map(re.escape, known))
    words = re.compile(rf"(?<!\w)({either})(?!\w)", re.IGNORECASE)
    for view in SavedView.objects.all():
        text = f"{view.name} {unquote_plus(view.query)}"
        is_phone = customer.phone[-LAST_DIGITS:] in re.sub(r"[^\dA-Za-z]", "", text)
        if is_phone or words.search(text):
            view.delete()


def wallets_of(customer: Customer) -> QuerySet[Account]:
    """Return the accounts that hold the customer's money."""
    wallets = Account.objects.filter(owner=customer.pk, purpose=Purpose.WALLET)
    return wallets.filter(livemode=customer.livemode).order_by("currency")


def reasons_to_wait(customer: Customer) -> Iterator[str]:
    """Yield what must end before a customer can be erased: money held, or on its way."""
    for wallet in wallets_of(customer).exclude(balance=0):
        held = money(wallet.balance, wallet.currency)
        yield f"The wallet holds {held}: empty it by “Adjust wallet” first."
    unfinished = Payment.objects.filter(customer=customer).exclude(status__in=FINAL)
    if count := unfinished.count():
        yield f"Payments still open: {count}."
    if count := Refund.objects.pending().filter(payment__customer=customer).count():
        yield f"Refunds that wait for the merchant's money: {count}."
    if count := TopUp.objects.pending().filter(customer=customer).count():
        yield f"Top-ups still on their way: {count}."


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
