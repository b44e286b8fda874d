"""Reconcile refunds with their transfers, and payments' refunded amounts with their refunds.

Each check is one join in the database that returns only the mismatches; the check of fees returns
a row for each refunded payment with a fee.
"""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from core.money import share_of
from ledger.models import Purpose, Transfer, TransferKind
from ledger.reconciliation import CHUNK, Faults, any_of, name_each, transfers_of
from ledger.transition_checks import check_transitions
from payments.models import Payment
from refunds.models import STAMPED, Refund
from refunds.statuses import RefundStatus


def check_refunds() -> Iterator[str]:
    """Yield a sentence for each refund, transfer or payment that does not agree."""
    kinds = (TransferKind.REFUND, TransferKind.REFUND_FEE)
    if any_of(Refund.objects.all(), Transfer.objects.filter(kind__in=kinds)):
        yield from name_each(_wrong_refunds)
        yield from _check_sums()
        yield from _check_fees()
    yield from name_each(_missing_refunds)
    yield from check_transitions(Refund, first=RefundStatus.PENDING, stamps=STAMPED.items())


def _wrong_refunds() -> Faults:
    succeeded = Refund.objects.filter(status=RefundStatus.SUCCEEDED)
    yield (
        "Refund {pk} has succeeded without the transfer of its amount.",
        succeeded.filter(~Exists(_refund_transfers())),
    )
    yield (
        "Refund {pk} has succeeded without the transfer of its fee.",
        succeeded.filter(~Exists(_fee_transfers()), fee_returned__gt=0),
    )
    for kind, amount in (
        (TransferKind.REFUND, "amount"),
        (TransferKind.REFUND_FEE, "fee_returned"),
    ):
        same = succeeded.filter(pk=OuterRef("reference"), **{amount: OuterRef("amount")})
        yield (
            "Transfer {pk} is the {kind} of no succeeded {reference}.",
            Transfer.objects.filter(~Exists(same), kind=kind),
        )
    own = Q(
        merchant=F("payment__merchant"),
        currency=F("payment__currency"),
        livemode=F("payment__livemode"),
    )
    yield (
        "Refund {pk} is of another merchant, currency or mode than its payment.",
        Refund.objects.exclude(own),
    )


def _refund_transfers() -> QuerySet[Transfer]:
    return transfers_of(TransferKind.REFUND).filter(
        amount=OuterRef("amount"),
        debit_account__purpose=Purpose.MERCHANT,
        debit_account__owner=OuterRef("merchant_id"),
        credit_account__purpose=Purpose.WALLET,
        credit_account__owner=OuterRef("payment__customer_id"),
    )


def _fee_transfers() -> QuerySet[Transfer]:
    return transfers_of(TransferKind.REFUND_FEE).filter(
        amount=OuterRef("fee_returned"),
        debit_account__purpose=Purpose.FEES,
        debit_account__owner=OuterRef("merchant_id"),
        credit_account__purpose=Purpose.MERCHANT,
        credit_account__owner=OuterRef("merchant_id"),
    )


def _check_sums() -> Iterator[str]:
    sums = (
        Refund.objects.order_by("payment")
        .values_list("payment")
        .annotate(refunded=_sum_of(RefundStatus.SUCCEEDED), waiting=_sum_of(RefundStatus.PENDING))
    )
    wrong = sums.exclude(
        payment__amount_refunded=F("refunded"), payment__amount_refund_pending=F("waiting")
    )
    for payment_id, *_ in wrong.iterator(chunk_size=CHUNK):
        yield f"Payment {payment_id} is not refunded by the sum of its refunds."


def _missing_refunds() -> Faults:
    without = Payment.objects.filter(
        ~Q(amount_refunded=0, amount_refund_pending=0),
        ~Exists(Refund.objects.filter(payment=OuterRef("pk"))),
    )
    yield "Payment {pk} is refunded without a refund.", without


def _check_fees() -> Iterator[str]:
    """Check the returned part of each fee, in Python: the product overflows SQL's bigint."""
    with_fee = Refund.objects.filter(payment__fee__gt=0).order_by("payment")
    fields = ("payment", "payment__fee", "payment__amount", "payment__amount_refunded")
    returned = with_fee.values_list(*fields).annotate(returned=Sum("fee_returned"))
    for payment_id, fee, amount, refunded, total in returned.iterator(chunk_size=CHUNK):
        if total != share_of(fee, refunded, amount):
            yield f"Payment {payment_id} had another part of its fee returned than was refunded."


def _sum_of(status: RefundStatus) -> Coalesce:
    return Coalesce(Sum("amount", filter=Q(status=status)), 0)
