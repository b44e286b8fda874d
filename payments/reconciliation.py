"""Reconcile completed payments with their ledger transfers, in both directions.

Each check is one join in the database that returns only the mismatches.
"""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Coalesce

from ledger.models import Purpose, Transfer, TransferKind
from ledger.reconciliation import Faults, any_of, name_each, transfers_of
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
    if any_of(Payment.objects.all(), LinkUse.objects.all(), moved):
        yield from name_each(_wrong_payments)
        yield from name_each(_wrong_uses)
        yield from check_transitions(Payment, first=PaymentStatus.CREATED, stamps=STAMPED.items())


def _wrong_payments() -> Faults:
    completed = Payment.objects.filter(status=PaymentStatus.COMPLETED).annotate(
        sold=F("amount") - Coalesce("tip", 0)
    )
    yield (
        "Payment {pk} is completed without the transfer of its amount.",
        completed.filter(~Exists(_payment_transfers())),
    )
    yield (
        "Payment {pk} is completed without the transfer of its fee.",
        completed.filter(~Exists(_fee_transfers()), fee__gt=0),
    )
    yield (
        "Payment {pk} is completed without the transfer of its tip.",
        completed.filter(~Exists(_tip_transfers()), tip__isnull=False),
    )
    for kind, amount in _MOVED:
        same = completed.filter(pk=OuterRef("reference"), **{amount: OuterRef("amount")})
        yield (
            "Transfer {pk} is the {kind} of no completed {reference}.",
            Transfer.objects.filter(~Exists(same), kind=kind),
        )
    yield (
        "Payment {pk} is completed without having taken its ticket.",
        completed.exclude(ticket=None).exclude(ticket__taken_by=F("pk")),
    )


def _wrong_uses() -> Faults:
    """Compare the completed payments made through links with the recorded uses of the links."""
    completed = Payment.objects.filter(status=PaymentStatus.COMPLETED)
    same = LinkUse.objects.filter(
        payment_id=OuterRef("pk"), link=OuterRef("link"), amount=OuterRef("amount")
    )
    through_links = completed.filter(link__isnull=False)
    yield (
        "Payment {pk} is completed without the use of its link.",
        through_links.filter(~Exists(same)),
    )
    paid = completed.filter(pk=OuterRef("payment_id"), link=OuterRef("link"))
    yield (
        "Use {pk} of link {link_id} is of no completed {payment_id}.",
        LinkUse.objects.filter(~Exists(paid)),
    )


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
