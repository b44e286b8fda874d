"""A customer's own account: wallets, payments and refunds."""

from dataclasses import dataclass

from customers.models import Customer
from ledger.models import Purpose
from ledger.services import balances
from payments.models import Payment
from payments.statuses import PaymentStatus
from refunds.models import Refund
from refunds.statuses import RefundStatus

PAGE = 20


@dataclass(frozen=True)
class Balance:
    """The balance of one wallet, in the smallest unit."""

    amount: int
    currency: str


@dataclass(frozen=True)
class Entry:
    """One payment and its refunds."""

    payment: Payment
    refunds: list[Refund]


def wallets_of(customer: Customer, currency: str) -> list[Balance]:
    """Return all balances of a customer; if there are none, a zero balance in `currency`."""
    held = balances(owner=customer.id, purpose=Purpose.WALLET, livemode=customer.livemode)
    return [Balance(amount, code) for code, amount in sorted(held.items())] or [
        Balance(0, currency)
    ]


def entries_of(customer: Customer, *, before: str = "") -> list[Entry]:
    """Return a page of the customer's completed payments, newest first, older than `before`."""
    paid = Payment.objects.filter(customer=customer, status=PaymentStatus.COMPLETED)
    if before:
        paid = paid.filter(pk__lt=before)
    payments = list(paid.select_related("merchant").order_by("-id")[:PAGE])
    refunds: dict[str, list[Refund]] = {payment.id: [] for payment in payments}
    made = Refund.objects.filter(payment__in=payments).exclude(status=RefundStatus.FAILED)
    for refund in made.order_by("created_at", "id"):
        refunds[refund.payment_id].append(refund)
    return [Entry(payment, refunds[payment.id]) for payment in payments]
