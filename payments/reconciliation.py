"""Reconcile completed payments with their ledger transfers, in both directions.

Each check is one join in the database that returns only the mismatches.
"""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from ledger.models import Purpose, Transfer, TransferKind
from ledger.reconciliation import any_of, each, keys_of, transfers_of
from ledger.transition_checks import check_transitions
from links.models import LinkUse
from payments.models import STAMPED, Payment
from payments.statuses import PaymentStatus

# The part of a payment that each kind of transfer moves. `sold` is the amount without the tip.
_MOVED = (
    (TransferKind.PAYMENT, "sold"),
    (TransferKind.TIP, "tip"),
    (TransferKind.FEE, "fee"),
)
_FROM_CUSTOMER = {
    "debit_account__purpose": Purpose.WALLET,
    "debit_account__owner": OuterRef("customer_id"),
    "credit_account__purpose": Purpose.MERCHANT,
    "credit_account__owner": OuterRef("merchant_id"),
}


def check_payments() -> Iterator[str]:
    """Yield a sentence for each payment or transfer without its exact counterpart."""
    moved = Transfer.objects.filter(kind__in=[kind for kind, _ in _MOVED])
    if not any_of(Payment.objects.all(), LinkUse.objects.all(), moved):
        return
    completed = Payment.objects.filter(status=PaymentStatus.COMPLETED).annotate(
        sold=F("amount") - Coalesce("tip", 0)
    )
    for payment_id in keys_of(completed.filter(~Exists(_payment_transfers()))):
        yield f"Payment {payment_id} is completed without the transfer of its amount."
    for payment_id in keys_of(completed.filter(~Exists(_fee_transfers()), fee__gt=0)):
        yield f"Payment {payment_id} is completed without the transfer of its fee."
    for payment_id in keys_of(completed.filter(~Exists(_tip_transfers()), tip__isnull=False)):
        yield f"Payment {payment_id} is completed without the transfer of its tip."
    for kind, amount in _MOVED:
        same = completed.filter(pk=OuterRef("reference"), **{amount: OuterRef("amount")})
        for transfer in each(Transfer.objects.filter(~Exists(same), kind=kind)):
            yield f"Transfer {transfer.pk} is the {kind} of no completed {transfer.reference}."
    for payment_id in keys_of(completed.exclude(ticket=None).exclude(ticket__taken_by=F("pk"))):
        yield f"Payment {payment_id} is completed without having taken its ticket."
    yield from _check_uses()
    yield from check_transitions(Payment, first=PaymentStatus.CREATED, stamps=STAMPED.items())


def _check_uses() -> Iterator[str]:
    """Compare the completed payments made through links with the recorded uses of the links."""
    completed = Payment.objects.filter(status=PaymentStatus.COMPLETED)
    same = LinkUse.objects.filter(
        payment_id=OuterRef("pk"), link=OuterRef("link"), amount=OuterRef("amount")
    )
    through_links = completed.filter(link__isnull=False)
    for payment_id in keys_of(through_links.filter(~Exists(same))):
        yield f"Payment {payment_id} is completed without the use of its link."
    paid = completed.filter(pk=OuterRef("payment_id"), link=OuterRef("link"))
    for use in each(LinkUse.objects.filter(~Exists(paid))):
        yield f"Use {use.pk} of link {use.link_id} is of no completed {use.payment_id}."


def _payment_transfers() -> QuerySet[Transfer]:
    return transfers_of(TransferKind.PAYMENT).filter(**_FROM_CUSTOMER, amount=OuterRef("sold"))


def _tip_transfers() -> QuerySet[Transfer]:
    return transfers_of(TransferKind.TIP).filter(**_FROM_CUSTOMER, amount=OuterRef("tip"))


def _fee_transfers() -> QuerySet[Transfer]:
    return transfers_of(TransferKind.FEE).filter(
        amount=OuterRef("fee"),
        debit_account__purpose=Purpose.MERCHANT,
        debit_account__owner=OuterRef("merchant_id"),
        credit_account__purpose=Purpose.FEES,
        credit_account__owner=OuterRef("merchant_id"),
    )
