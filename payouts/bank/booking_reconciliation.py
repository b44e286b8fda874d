"""Reconcile payouts recorded as booked with the bank's statement entries, both ways."""

from collections.abc import Iterator
from typing import cast

from django.db.models import Exists, F, OuterRef, Q, Sum

from ledger.models import HOUSE, Account, Purpose
from ledger.reconciliation import Faults, any_of, each, name_each
from ledger.services import balance_of
from payouts.bank.batch_bookings import check_batch_bookings
from payouts.bank.moved_amounts import charge_note
from payouts.models import CAME_IN, BankEntry, BankEntryKind, BankEntryState, BankSource, Payout
from payouts.statuses import PayoutStatus

K = BankEntryKind
_BOOKINGS = {"booked_at": (K.DEBIT,), "return_booked_at": CAME_IN}


def check_bookings() -> Iterator[str]:
    """Yield a sentence for each payout or ledger bank account that the entries do not prove."""
    if any_of(Payout.objects.all(), BankEntry.objects.all()):
        yield from _check_entries()
    yield from _check_accounts()


def _check_entries() -> Iterator[str]:
    for field, kinds in _BOOKINGS.items():
        yield from name_each(_wrong_notes, field, kinds)
    yield from _check_matches()
    yield from check_batch_bookings()


def _check_matches() -> Iterator[str]:
    """Check that each entry moved its payout's money, apart from bank charges.

    A charge within a debit is named by the bank or was noted by a person. A return may be less.
    """
    entries = BankEntry.objects.besides_charges().filter(state=BankEntryState.MATCHED)
    matched = entries.filter(payout__isnull=False, amount__isnull=False)
    ordered = F("payout__amount")
    other = ~Q(currency=F("payout__currency"), livemode=F("payout__livemode"))
    more_came_in = ~Q(kind=K.DEBIT) & Q(amount__gt=ordered)
    less_left = Q(kind=K.DEBIT, amount__lt=ordered)
    exact = Q(amount=ordered) | Q(amount=ordered + F("charge_amount"))
    wrong = Q(other | more_came_in | less_left)
    more_left = Q(kind=K.DEBIT) & ~exact
    for entry in each(matched.filter(wrong)):
        yield _mismatch(entry)
    for entry in each(matched.filter(more_left).exclude(wrong).select_related("payout")):
        if entry.note != _surplus_note(entry):
            yield _mismatch(entry)


def _mismatch(entry: BankEntry) -> str:
    return f"Bank entry {entry.pk} is not of the money of payout {entry.payout_id}."


def _surplus_note(entry: BankEntry) -> str:
    payout = cast("Payout", entry.payout)  # each of these entries has one
    return charge_note(entry.booked_amount - payout.amount, entry.currency)


def _wrong_notes(field: str, kinds: tuple[BankEntryKind, ...]) -> Faults:
    matched = BankEntry.objects.besides_charges().filter(
        source=BankSource.STATEMENT, state=BankEntryState.MATCHED, kind__in=kinds
    )
    own = Exists(matched.filter(payout=OuterRef("pk")))
    of_batch = Exists(matched.filter(batch=OuterRef("batch")))
    noted = Q(**{f"{field}__isnull": False})
    yield (
        "Payout {pk} is noted as booked " + f"({field}); no entry of a statement says so.",
        Payout.objects.filter(noted).exclude(own | of_batch),
    )
    yield (
        "Payout {pk} was booked by the bank, which is not noted " + f"({field}).",
        Payout.objects.filter(own).exclude(noted),
    )


def _check_accounts() -> Iterator[str]:
    """Check that the ledger's bank account holds exactly the payouts that are paid."""
    paid = Payout.objects.filter(status=PayoutStatus.PAID).order_by()
    sums = {
        (currency, livemode): total
        for currency, livemode, total in paid.values_list("currency", "livemode").annotate(
            total=Sum("amount")
        )
    }
    for account in Account.objects.filter(owner=HOUSE, purpose=Purpose.BANK).order_by("pk"):
        held, proven = balance_of(account), sums.get((account.currency, account.livemode), 0)
        if held != proven:
            yield f"{account} holds {held}; the payouts that are paid make {proven}."
