"""Every succeeded refund against its transfers, and every payment against its refunds."""

from collections.abc import Iterator

from django.db.models import BigIntegerField, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from ledger.models import Kind, Transfer
from payments.models import Payment
from refunds.models import Refund
from refunds.statuses import RefundStatus


def check_refunds() -> Iterator[str]:
    """Yield a sentence for each refund or payment that does not agree with the ledger."""
    for refund in _with_transfers().filter(_disagrees()).iterator():
        yield f"refund {refund.pk}: its status and amounts do not agree with its transfers"
    for payment in _payments_off_their_refunds().iterator():
        yield f"payment {payment.pk}: its refunded amounts are not the sum of its refunds"


def _with_transfers() -> QuerySet[Refund]:
    return Refund.objects.annotate(
        moved=_moved(Kind.REFUND), fee_moved=_moved(Kind.REFUND_FEE)
    ).order_by()


def _moved(kind: Kind) -> Coalesce:
    transfers = Transfer.objects.filter(
        kind=kind, reference=OuterRef("pk"), transaction_id=OuterRef("transaction_id")
    )
    amount = Subquery(transfers.values("amount"))
    return Coalesce(amount, 0, output_field=BigIntegerField())


def _disagrees() -> Q:
    succeeded = Q(status=RefundStatus.SUCCEEDED)
    wrong = ~Q(moved=F("amount")) | ~Q(fee_moved=F("fee_returned"))
    return (succeeded & wrong) | (~succeeded & ~Q(moved=0))


def _payments_off_their_refunds() -> QuerySet[Payment]:
    return Payment.objects.annotate(
        succeeded=_sum_of(RefundStatus.SUCCEEDED), waiting=_sum_of(RefundStatus.PENDING)
    ).exclude(amount_refunded=F("succeeded"), amount_refund_pending=F("waiting"))


def _sum_of(status: RefundStatus) -> Coalesce:
    refunds = Refund.objects.filter(payment=OuterRef("pk"), status=status).order_by()
    total = refunds.values("payment").annotate(total=Sum("amount")).values("total")
    return Coalesce(Subquery(total), 0, output_field=BigIntegerField())
