"""Reconcile the bank's bookings of whole batches with their payouts, both ways."""

from collections.abc import Iterator, Sequence

from payouts.bank.moved_amounts import charge_note
from payouts.models import CAME_IN, BankEntry, BankEntryState, BankSource, Payout, PayoutBatch
from payouts.statuses import PayoutStatus

ENTRIES_AT_ONCE = 10  # of batches of at most 500 payouts each


def check_batch_bookings() -> Iterator[str]:
    """Yield a sentence for each entry that is not its batch's money, and for each wrong note."""
    booked = BankEntry.objects.besides_charges().exclude(source=BankSource.STATUS_REPORT)
    entries = booked.filter(state=BankEntryState.MATCHED, batch__isnull=False, amount__isnull=False)
    with_payouts = entries.order_by("pk").prefetch_related("batch__payouts")
    for entry in with_payouts.iterator(chunk_size=ENTRIES_AT_ONCE):
        yield from _check_batch(entry, entry.batch) if entry.batch else ()


def _check_batch(entry: BankEntry, batch: PayoutBatch) -> Iterator[str]:
    every = list(batch.payouts.all())
    same = (batch.currency, batch.livemode) == (entry.currency, entry.livemode)
    moved = _moved_by(entry, every) if same else []
    if not moved:
        yield f"Bank entry {entry.pk} is not of the money of run {batch.pk}."
    elif entry.source == BankSource.STATEMENT:
        yield from _check_notes(entry, every, {payout.pk for payout in moved})


def _moved_by(entry: BankEntry, every: Sequence[Payout]) -> Sequence[Payout]:
    """Return the payouts of a batch that make up the amount: all of them, or those not refused.

    Any excess must be the bank's charge, stated by the bank or noted by a person.
    """
    taken = [payout for payout in every if payout.status != PayoutStatus.FAILED]
    for payouts in (every, taken):
        more = entry.booked_amount - sum(payout.amount for payout in payouts)
        if more == 0 or (entry.kind not in CAME_IN and _is_charge(entry, more)):
            return payouts
    return []


def _is_charge(entry: BankEntry, more: int) -> bool:
    noted = more > 0 and entry.note == charge_note(more, entry.currency)
    return more == entry.charge_amount or noted


def _check_notes(entry: BankEntry, every: Sequence[Payout], moved: set[str]) -> Iterator[str]:
    """Check that exactly the payouts that the entry moved are noted as booked."""
    field = "return_booked_at" if entry.kind in CAME_IN else "booked_at"
    for payout in every:
        is_noted = getattr(payout, field) is not None
        if payout.pk in moved and not is_noted:
            yield f"Payout {payout.pk} was booked with its run, which is not noted ({field})."
        elif is_noted and payout.pk not in moved and not _is_booked_alone(payout, entry):
            yield f"Payout {payout.pk} is noted as booked ({field}); its run was without it."


def _is_booked_alone(payout: Payout, of_run: BankEntry) -> bool:
    kinds = CAME_IN if of_run.kind in CAME_IN else (of_run.kind,)
    alone = payout.bank_entries.besides_charges().filter(
        source=BankSource.STATEMENT, state=BankEntryState.MATCHED, kind__in=kinds
    )
    return alone.exists()
