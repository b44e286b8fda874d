"""Reconcile every top-up with its transfer, and bank transfers with the bank's entries."""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, QuerySet

from funding.models import FundingWay, TopUp
from funding.statuses import EVER_CREDITED, TopUpStatus
from ledger.models import HOUSE, Purpose, Transfer, TransferKind
from ledger.reconciliation import any_of, each, transfers_of
from ledger.transition_checks import check_transitions
from payouts.models import BankEntry, BankEntryState

_STAMPED = [(status, f"{status}_at") for status in TopUpStatus if status != TopUpStatus.PENDING]


def check_top_ups() -> Iterator[str]:
    """Yield a sentence for each top-up, transfer or bank entry that does not agree."""
    named = Transfer.objects.filter(reference__startswith="top_")
    credited = BankEntry.objects.exclude(credited_to="")
    if not any_of(TopUp.objects.all(), named, credited):
        return
    succeeded = TopUp.objects.filter(status__in=EVER_CREDITED)
    moved = transfers_of(TransferKind.TOP_UP).filter(
        amount=OuterRef("amount_received"),
        debit_account__purpose=Purpose.FUNDING,
        debit_account__owner=HOUSE,
        credit_account__purpose=Purpose.WALLET,
        credit_account__owner=OuterRef("customer_id"),
    )
    for top_up in each(succeeded.filter(~Exists(moved))):
        yield f"Top-up {top_up.pk} has succeeded without the transfer of its amount."
    known = succeeded.filter(pk=OuterRef("reference"))
    for transfer in each(named.filter(~Exists(known), kind=TransferKind.TOP_UP)):
        yield f"Transfer {transfer.pk} is of no succeeded top-up {transfer.reference}."
    yield from _check_reversals()
    yield from _check_bank(succeeded.filter(way=FundingWay.BANK_TRANSFER))
    for top_up in each(TopUp.objects.exclude(livemode=F("customer__livemode"))):
        yield f"Top-up {top_up.pk} is of another mode than its customer."
    yield from check_transitions(TopUp, first="", stamps=_STAMPED)


def _check_reversals() -> Iterator[str]:
    taken = Transfer.objects.filter(kind=TransferKind.ADJUSTMENT)
    back = taken.filter(
        reference=OuterRef("pk"),
        amount=OuterRef("amount_reversed"),
        currency=OuterRef("currency"),
        debit_account__purpose=Purpose.WALLET,
        debit_account__owner=OuterRef("customer_id"),
        credit_account__purpose=Purpose.FUNDING,
    )
    undone = TopUp.objects.filter(status=TopUpStatus.REVERSED)
    for top_up in each(undone.filter(~Exists(back))):
        yield f"Top-up {top_up.pk} is reversed without the transfer of its amount."
    known = undone.filter(pk=OuterRef("reference"))
    for transfer in each(taken.filter(~Exists(known), reference__startswith="top_")):
        yield f"Transfer {transfer.pk} takes back {transfer.reference}, which is not reversed."


def _check_bank(by_transfer: QuerySet[TopUp]) -> Iterator[str]:
    matched = BankEntry.objects.filter(state=BankEntryState.MATCHED).exclude(credited_to="")
    proof = matched.filter(
        credited_to=OuterRef("pk"),
        amount=OuterRef("amount_received"),
        currency=OuterRef("currency"),
        livemode=OuterRef("livemode"),
    )
    for top_up in each(by_transfer.filter(~Exists(proof))):
        yield f"Top-up {top_up.pk} has succeeded; no entry of the bank says so."
    credited = by_transfer.filter(pk=OuterRef("credited_to"), amount_received=OuterRef("amount"))
    for entry in each(matched.filter(~Exists(credited))):
        yield f"Bank entry {entry.pk} is matched with {entry.credited_to}, which it did not fill."
