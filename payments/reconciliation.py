"""Every completed payment against its transfers, and every transfer against its payment."""

from collections.abc import Iterator

from django.db.models import BigIntegerField, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from ledger.models import Kind, Transfer
from links.models import LinkUse
from payments.models import Payment
from payments.statuses import PaymentStatus


def check_payments() -> Iterator[str]:
    """Yield a sentence for each payment or transfer that does not agree with the other."""
    completed = Q(status=PaymentStatus.COMPLETED)
    wrong = ~Q(moved=F("amount")) | ~Q(fee_moved=F("fee"))
    payments = Payment.objects.annotate(moved=_moved(Kind.PAYMENT), fee_moved=_moved(Kind.FEE))
    disagreeing = payments.filter((completed & wrong) | (~completed & ~Q(moved=0))).order_by()
    for payment in disagreeing.iterator():
        yield f"payment {payment.pk}: its status and amounts do not agree with its transfers"
    for transfer in _orphans().iterator():
        yield f"transfer {transfer.pk}: there is no completed payment {transfer.reference}"
    yield from _check_uses()


def _check_uses() -> Iterator[str]:
    """Compare the completed payments through links with the uses that the links know of."""
    completed = Payment.objects.filter(status=PaymentStatus.COMPLETED)
    same = LinkUse.objects.filter(
        payment_id=OuterRef("pk"), link=OuterRef("link"), amount=OuterRef("amount")
    )
    through_links = completed.filter(link__isnull=False)
    for payment in through_links.exclude(Exists(same)).order_by("pk").iterator():
        yield f"payment {payment.pk}: its link knows of no such use"
    paid = completed.filter(pk=OuterRef("payment_id"), link=OuterRef("link"))
    for use in LinkUse.objects.exclude(Exists(paid)).order_by("pk").iterator():
        yield f"use {use.pk}: there is no completed payment {use.payment_id} through its link"


def _moved(kind: Kind) -> Coalesce:
    transfers = Transfer.objects.filter(kind=kind, reference=OuterRef("pk"))
    return Coalesce(Subquery(transfers.values("amount")), 0, output_field=BigIntegerField())


def _orphans() -> QuerySet[Transfer]:
    completed = Payment.objects.filter(
        pk=OuterRef("reference"),
        status=PaymentStatus.COMPLETED,
        transaction_id=OuterRef("transaction_id"),
    )
    transfers = Transfer.objects.filter(kind__in=(Kind.PAYMENT, Kind.FEE))
    return transfers.exclude(Exists(completed)).order_by("pk")
