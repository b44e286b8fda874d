"""Match the bank's entries with our payouts. Nothing is guessed.

An entry that is not exactly one of our orders, in amount and currency, and plausible in the
payout's status, waits for a person. Incoming money is offered to `BANK_CREDITS` first.

Locks are taken in the order entry, payout, ledger account.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from core.errors import ApiError
from payouts.bank.incoming import refuse_uncreditable
from payouts.bank.moved_amounts import is_amount_of, refuse_other_amount
from payouts.bank.nameless import is_nameless, nameless_orders
from payouts.bank.pain002 import DUPLICATES
from payouts.bank.round_trips import is_round_trip
from payouts.bank.same_money import refuse_duplicate, refuse_return_of_either
from payouts.bank_lock import hold_bank_lock
from payouts.bank_words import WordsOfOrders
from payouts.batches import note_departure
from payouts.errors import BankEntryUnfit
from payouts.models import (
    BankEntry,
    BankEntryKind,
    BankSource,
    Payout,
    PayoutBatch,
    PayoutOrder,
    PayoutQuerySet,
)
from payouts.order_references import normalize_reference
from payouts.services import (
    REFUSED,
    RETURNED_BY_BANK,
    SAYS_REFUSED,
    SAYS_RETURNED,
    record_failed,
    record_paid,
    record_returned,
)
from payouts.statuses import EVER_PAID, PayoutStatus

K, S = BankEntryKind, PayoutStatus
TICK = timedelta(milliseconds=1)  # two events at the same instant would have no defined order
# The statuses of a payout in which each kind of entry is plausible.
FITTING: dict[BankEntryKind, frozenset[PayoutStatus]] = {
    K.PROCESSING: EVER_PAID | {S.IN_TRANSIT},
    K.SETTLED: EVER_PAID | {S.IN_TRANSIT},
    K.DEBIT: EVER_PAID | {S.IN_TRANSIT},
    # A payout booked with its batch may have come back before we hear that it was refused.
    K.REJECTED: frozenset({S.IN_TRANSIT, S.FAILED, S.RETURNED}),
    K.RETURN: EVER_PAID | {S.IN_TRANSIT},
}

CONTRADICTED = (
    "Payouts to its merchant wait. If the bank sends it back, that explains it. If it has paid:"
    " record the payout that waits as failed, adjust the balance, set this aside."
)

NAMELESS = "The report does not name the order: match it with its payout."
BESIDE_NAMELESS = "An order in the report has no reference: what is said of others may concern it."


def match_entry(*, entry_id: str, words: WordsOfOrders, actor: str, now: datetime) -> bool:
    """Match one entry if it fits exactly, otherwise record why not; return whether it matched.

    `words` is shared by all entries of a file, as it reads each order's text once.
    """
    with transaction.atomic():
        hold_bank_lock()  # may find that a payout has left already, and write its batch
        entry = BankEntry.objects.locked(entry_id)
        if not entry.is_waiting:
            return False
        try:
            with transaction.atomic():  # a refusal rolls back what was begun
                _match(entry, words, actor=actor, now=now)
        except ApiError as error:
            entry.wait(error.details or error.message)
            return False
    return True


def refuse_resolved(entry: BankEntry) -> None:
    """Raise BankEntryUnfit for an entry that no longer waits for a person."""
    if not entry.is_waiting:
        raise BankEntryUnfit(state=f"is {entry.state}")


def _match(entry: BankEntry, words: WordsOfOrders, *, actor: str, now: datetime) -> None:
    kind = BankEntryKind(entry.kind)
    refuse_uncreditable(entry)
    if credited_to := _credit(entry, words, actor, now):
        entry.match(credited_to=credited_to, by=actor, at=now)
        return
    if kind == K.REJECTED and entry.code in DUPLICATES:
        raise BankEntryUnfit("The bank already has this order: find out what became of the first.")
    if entry.end_to_end_id:
        order = _order_of(entry, actor=actor, now=now)
        if order is None:
            raise BankEntryUnfit(_unknown(kind))
        payout = Payout.objects.locked(order.payout_id)
        _refuse_other_batch(entry, payout)
        refuse_return_of_either(kind, payout)
        apply_entry(entry, kind, [payout], actor=actor, now=now)
        entry.match(payout=payout, by=actor, at=now)
        return
    if is_nameless(entry):
        raise BankEntryUnfit(NAMELESS)
    batch = PayoutBatch.objects.filter(
        message_id=normalize_reference(entry.message_reference), livemode=entry.livemode
    ).first()
    if not entry.message_reference or batch is None:
        raise BankEntryUnfit(_unknown(kind))
    payouts = _payouts_of(entry, batch)
    for payout in payouts:
        refuse_return_of_either(kind, payout)
    apply_entry(entry, kind, payouts, actor=actor, now=now)
    entry.match(batch=batch, by=actor, at=now)


def _unknown(kind: BankEntryKind) -> str:
    if kind == K.CREDIT:
        return "It names none of our top-ups. If a customer sent it, credit their wallet."
    return "There is no order with this reference."


def _credit(entry: BankEntry, words: WordsOfOrders, actor: str, now: datetime) -> str:
    """Return the id of what incoming money was credited to, if an app recognized its owner."""
    if entry.kind != K.CREDIT:
        return ""
    credited: Iterable[str] = (
        import_string(path)(entry, words=words, actor=actor, now=now)
        for path in settings.BANK_CREDITS
    )
    return next(filter(None, credited), "")


def _order_of(entry: BankEntry, *, actor: str, now: datetime) -> PayoutOrder | None:
    """Return the order that an entry names, even if only the bank still knows that it left."""
    name = normalize_reference(entry.end_to_end_id)
    known = PayoutOrder.objects.filter(end_to_end_id=name, payout__livemode=entry.livemode).first()
    if known is not None or entry.kind not in (K.DEBIT, K.RETURN):
        return known
    moved = entry.booked_amount
    return note_departure(
        reference=name,
        livemode=entry.livemode,
        amounts=(moved, moved - entry.charge_amount),
        currency=entry.currency,
        actor=actor,
        now=now,
    )


def _refuse_other_batch(entry: BankEntry, payout: Payout) -> None:
    """Raise BankEntryUnfit if a status report on one of our files names an order of another."""
    if entry.source != BankSource.STATUS_REPORT:
        return
    if payout.batch is None or payout.batch.message_id != entry.message_reference:
        raise BankEntryUnfit("The order is not from this file.")


def _payouts_of(entry: BankEntry, batch: PayoutBatch) -> list[Payout]:
    """Return the payouts, locked, that an entry about a batch covers.

    In a status report, those are the payouts that the report does not name individually.
    """
    if entry.kind == K.RETURN:
        return _returned_of(batch)
    if entry.source != BankSource.STATUS_REPORT:
        return payouts_booked_in(entry, batch)
    nameless = nameless_orders(entry.file)
    if nameless.filter(payout=None).exists():
        raise BankEntryUnfit(BESIDE_NAMELESS)
    references = BankEntry.objects.filter(file=entry.file_id).values("end_to_end_id")
    others = _locked_payouts(batch).exclude(pk__in=nameless.values("payout"))
    return list(others.exclude(order__end_to_end_id__in=references))


def _returned_of(batch: PayoutBatch) -> list[Payout]:
    """Return all payouts of a returned batch, locked. Raises BankEntryUnfit if one was refused."""
    every = payouts_in_batch(batch)
    if any(payout.status == S.FAILED for payout in every):
        raise BankEntryUnfit("An order of the run was refused: ask the bank which one came back.")
    return every


def payouts_booked_in(entry: BankEntry, batch: PayoutBatch) -> list[Payout]:
    """Return the payouts, locked, that the booking of a batch covers: those not refused.

    Or all of them, if they make up the amount: some banks book it whole and return the rest.
    """
    every = payouts_in_batch(batch)
    taken = [payout for payout in every if payout.status != S.FAILED]
    return every if is_amount_of(entry, every) else taken


def payouts_in_batch(batch: PayoutBatch) -> list[Payout]:
    """Return all payouts of a batch, locked."""
    return list(_locked_payouts(batch))


def _locked_payouts(batch: PayoutBatch) -> PayoutQuerySet:
    payouts = Payout.objects.filter(batch=batch)
    return payouts.select_for_update(no_key=True, of=("self",)).order_by("pk")


def apply_entry(
    entry: BankEntry,
    kind: BankEntryKind,
    payouts: Sequence[Payout],
    *,
    actor: str,
    now: datetime,
    charge: int = 0,
    comes_back: bool = False,
) -> None:
    """Apply an entry to locked payouts. Raises BankEntryUnfit before any of them changes.

    Together they must make up its amount, apart from a bank charge: the one that the bank states,
    or `charge`, which a person has seen. A charge booked on its own changes no payout. A refused
    payout is accepted only if its money has come back, or if a person says that it will
    (`comes_back`).
    """
    if kind not in FITTING:
        raise BankEntryUnfit("A person has to say what this is.")
    if entry.is_charge:
        _refuse_large_charge(entry, payouts)
        return
    refuse_other_amount(entry, kind, payouts, charge)
    for payout in payouts:
        if not (comes_back and payout.status == S.FAILED):
            _refuse_other_status(entry, kind, payout)
        refuse_duplicate(entry, kind, payout)
    for payout in payouts:
        _record(entry, kind, payout, actor=actor, now=now)
        if entry.source == BankSource.STATEMENT:
            booked: dict[str, Any] = {"booked_at" if kind == K.DEBIT else "return_booked_at": now}
            if kind == K.DEBIT and not payout.bank_reference:
                booked["bank_reference"] = _reference_of(entry)
            Payout.objects.filter(pk=payout.pk).update(**booked)


def _refuse_large_charge(entry: BankEntry, payouts: Sequence[Payout]) -> None:
    """Refuse a charge as large as the payouts: some banks mislabel a transfer plus its charge."""
    if entry.charge_amount >= sum(payout.amount for payout in payouts):
        raise BankEntryUnfit("The bank calls it a charge, but it is as much as the order.")


def _refuse_other_status(entry: BankEntry, kind: BankEntryKind, payout: Payout) -> None:
    status = PayoutStatus(payout.status)
    if status in FITTING[kind] or is_round_trip(kind, payout):
        return
    words = f"The bank says {kind}, but payout {payout.pk} is {status}."
    raise BankEntryUnfit(f"{words} {CONTRADICTED}" if kind in (K.DEBIT, K.SETTLED) else words)


def _reference_of(entry: BankEntry) -> str:
    return entry.bank_reference or entry.entry_reference


def _record(
    entry: BankEntry, kind: BankEntryKind, payout: Payout, *, actor: str, now: datetime
) -> None:
    """Record what is new. A returned payout was paid, whether or not the bank reported that."""
    status = PayoutStatus(payout.status)
    if kind in (K.SETTLED, K.DEBIT, K.RETURN) and status == S.IN_TRANSIT:
        record_paid(payout_id=payout.pk, actor=actor, now=now, bank_reference=_reference_of(entry))
        status = S.PAID
        now += TICK
    message = entry.message
    if kind == K.REJECTED and status == S.IN_TRANSIT:
        record_failed(
            payout_id=payout.pk,
            code=entry.code or REFUSED,
            message=message or SAYS_REFUSED,
            actor=actor,
            now=now,
        )
    elif kind == K.RETURN and status == S.PAID:
        record_returned(
            payout_id=payout.pk,
            code=entry.code or RETURNED_BY_BANK,
            message=message or SAYS_RETURNED,
            actor=actor,
            now=now,
        )
