"""Reconcile every top-up with its transfer, and bank transfers with the bank's entries."""

from collections.abc import Iterator

from django.db.models import Exists, F, OuterRef, QuerySet

from funding.models import FundingWay, TopUp
from funding.statuses import EVER_CREDITED, TopUpStatus
from ledger.models import HOUSE, Purpose, Transfer, TransferKind
from ledger.reconciliation import Faults, any_of, name_each, transfers_of
from ledger.transition_checks import check_transitions
from payouts.models import BankEntry, BankEntryState

_STAMPED = [(status, f"{status}_at") for status in TopUpStatus if status != TopUpStatus.PENDING]


def check_top_ups() -> Iterator[str]:
    """Yield a sentence for each top-up, transfer or bank entry that does not agree."""
    credited = BankEntry.objects.exclude(credited_to="")
    if any_of(TopUp.objects.all(), _named(), credited):
        for wrong in (_wrong_top_ups, _wrong_reversals, _wrong_bank_transfers, _other_modes):
            yield from name_each(wrong)
        yield from check_transitions(TopUp, first="", stamps=_STAMPED)


def _wrong_top_ups() -> Faults:
    succeeded = TopUp.objects.filter(status__in=EVER_CREDITED)
    moved = transfers_of(TransferKind.TOP_UP).filter(
        amount=OuterRef("amount_received"),
        debit_account__purpose=Purpose.FUNDING,
        debit_account__owner=HOUSE,
        credit_account__purpose=Purpose.WALLET,
        credit_account__owner=OuterRef("customer_id"),
    )
    yield (
        "Top-up {pk} has succeeded without the transfer of its amount.",
        succeeded.filter(~Exists(moved)),
    )
    known = succeeded.filter(pk=OuterRef("reference"))
    yield (
        "Transfer {pk} is of no succeeded top-up {reference}.",
        _named().filter(~Exists(known), kind=TransferKind.TOP_UP),
    )


def _named() -> QuerySet[Transfer]:
    return Transfer.objects.filter(reference__startswith="top_")


def _other_modes() -> Faults:
    yield (
        "Top-up {pk} is of another mode than its customer.",
        TopUp.objects.exclude(livemode=F("customer__livemode")),
    )


def _wrong_reversals() -> Faults:
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
    yield (
        "Top-up {pk} is reversed without the transfer of its amount.",
        undone.filter(~Exists(back)),
    )
    known = undone.filter(pk=OuterRef("reference"))
    yield (
        "Transfer {pk} takes back {reference}, which is not reversed.",
        taken.filter(~Exists(known), reference__startswith="top_"),
    )


def _wrong_bank_transfers() -> Faults:
    by_transfer = TopUp.objects.filter(status__in=EVER_CREDITED, way=FundingWay.BANK_TRANSFER)
    matched = BankEntry.objects.filter(state=BankEntryState.MATCHED).exclude(credited_to="")
    proof = matched.filter(
        credited_to=OuterRef("pk"),
        amount=OuterRef("amount_received"),
        currency=OuterRef("currency"),
        livemode=OuterRef("livemode"),
    )
    yield (
        "Top-up {pk} has succeeded; no entry of the bank says so.",
        by_transfer.filter(~Exists(proof)),
    )
    credited = by_transfer.filter(pk=OuterRef("credited_to"), amount_received=OuterRef("amount"))
    yield (
        "Bank entry {pk} is matched with {credited_to}, which it did not fill.",
        matched.filter(~Exists(credited)),
    )
