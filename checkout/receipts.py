"""The receipt of a payment: always current, refunds included."""

import base64
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from checkout.models import Logo
from core import attempt_limits
from core.log_receipts import PENDING, ReceiptRefused, proven_entries
from core.mailboxes import mailbox_of
from core.signed_notes import LogHead
from ledger.checkpoints import newest_checkpoint, verifiers
from ledger.models import Transfer, TransferKind
from ledger.transaction_receipts import LogReceipt, receipt_of
from merchants.evidence import seller_at
from merchants.models import Merchant
from payments.emails import plan_receipt_again
from payments.models import Payment
from payments.statuses import PaymentStatus
from refunds.models import Refund
from refunds.statuses import RefundStatus

MAILS = attempt_limits.AttemptLimit("receipt-mail", 5, timedelta(days=1))
MAILS_TO_ONE = attempt_limits.AttemptLimit("receipt-mail-recipient", 20, timedelta(days=1))
MAILS_OF_PAYERS = attempt_limits.AttemptLimit("receipt-mail-payers", 100, timedelta(days=1))


@dataclass(frozen=True)
class ReceiptState:
    """The state that a receipt shows now, and its style."""

    words: str
    look: str = ""


def receipt_state_of(payment: Payment) -> ReceiptState:
    if payment.status != PaymentStatus.COMPLETED:
        return ReceiptState(_("Not paid"), "is-bad")
    states = {
        "none": ReceiptState(_("Paid")),
        "partial": ReceiptState(_("Paid, partly refunded"), "is-back"),
        "full": ReceiptState(_("Refunded in full"), "is-back"),
    }
    return states[payment.refund_status]


def refunds_of(payment: Payment) -> list[Refund]:
    """Return the refunds, pending ones included, oldest first."""
    made = Refund.objects.filter(payment=payment).exclude(status=RefundStatus.FAILED)
    return list(made.order_by("created_at", "id"))


@dataclass(frozen=True)
class Seller:
    """The seller's details on a receipt, besides the name. `logo` is a PNG, or empty."""

    address: str = ""
    tax_id: str = ""
    logo: bytes = b""


def seller_of(payment: Payment) -> Seller:
    """Return the seller's details as they were when the payment was made.

    Later changes by the merchant are not part of the sale (decision 0315).
    """
    assert payment.completed_at is not None  # noqa: S101  # only what was paid has a receipt
    then = seller_at(payment.merchant, payment.completed_at)
    return Seller(then.address, then.tax_id)


def with_logo(seller: Seller, payment: Payment) -> Seller:
    """Return the seller with the logo, for PDFs; pages link to the logo by its URL."""
    return replace(seller, logo=logo_of(payment.merchant))


def logo_of(merchant: Merchant) -> bytes:
    """Return the merchant's current logo as PNG; empty if there is none."""
    logo = Logo.objects.filter(merchant=merchant, source_url=merchant.logo_url).first()
    return bytes(logo.png) if logo is not None else b""


@dataclass(frozen=True)
class ReceiptProofView:
    """A proof as the page shows it; `is_wrong` if it does not hold."""

    index: int = 0
    size: int = 0
    root: str = ""
    is_wrong: bool = False


def receipt_of_payment(payment: Payment) -> LogReceipt:
    """Return the log's receipt for the customer's transfers: payment and tip, but not the fee."""
    transaction_id = payment.transaction_id or ""
    paid = (TransferKind.PAYMENT, TransferKind.TIP)
    transfers = Transfer.objects.filter(transaction_id=transaction_id, kind__in=paid)
    return receipt_of(transaction_id, transfers)


def signed_head() -> str:
    """Return the newest signed head of the log, as "size root"; empty if there is none."""
    newest = newest_checkpoint()
    if newest is None:
        return ""
    return f"{newest.size} {base64.b64encode(newest.root).decode()}"


def receipt_proof_view_of(receipt: LogReceipt) -> ReceiptProofView | None:
    """Verify a receipt as a third party would; None if there is no proof yet."""
    document = receipt.as_json()
    if receipt.status == PENDING:
        return None
    try:
        proven_entries(document, verifiers())
    except ReceiptRefused:
        return ReceiptProofView(is_wrong=True)
    head = LogHead.parse(document["checkpoint"])
    root = base64.b64encode(head.root).decode()
    return ReceiptProofView(index=document["leaves"][0]["index"], size=head.size, root=root)


@transaction.atomic
def mail_receipt(
    *, payment: Payment, email: str, language: str, is_payer: bool, now: datetime
) -> None:
    """Plan sending the receipt to an address; limited per day, since the page is public.

    Also limited per recipient, as many one-cent payments could cause many e-mails. Each customer
    who has paid has a separate limit that others cannot use up, within a total for all customers
    per recipient. Raises RateLimited, with nothing counted.
    """
    mailbox = mailbox_of(email)
    if is_payer:
        counted = [
            (MAILS, f"{payment.id} payer"),
            (MAILS_TO_ONE, f"{mailbox} {payment.customer_id}"),
            (MAILS_OF_PAYERS, mailbox),
        ]
    else:
        counted = [(MAILS, payment.id), (MAILS_TO_ONE, mailbox)]
    attempt_limits.count_or_refuse(counted, now=now)
    plan_receipt_again(payment_id=payment.id, recipient=email, language=language, now=now)
