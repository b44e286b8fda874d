"""Match what the bank reports with the payouts that we know. Nothing is guessed.

What is not exactly one of our orders, of its amount and currency, in a status in which the bank can
say this of it, waits for a person. Money that comes in is offered to `BANK_CREDITS` first. Locks
are taken in the order entry, payout, ledger account.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from core.errors import ApiError
from payouts.bank.incoming import refuse_uncreditable
from payouts.bank.moved_amounts import is_amount_of, refuse_other_amount
from payouts.bank.nameless import is_nameless, nameless_orders
from payouts.bank.pain002 import DUPLICATES
from payouts.bank.round_trips import is_round_trip
from payouts.bank.same_money import refuse_repeated
from payouts.bank_turns import take_turn
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
from payouts.order_references import in_our_spelling
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
TICK = timedelta(milliseconds=1)  # of two events of one instant, either could come first
# In which statuses of a payout the bank can say this of it.
FITTING: dict[BankEntryKind, frozenset[PayoutStatus]] = {
    K.PROCESSING: EVER_PAID | {S.IN_TRANSIT},
    K.SETTLED: EVER_PAID | {S.IN_TRANSIT},
    K.DEBIT: EVER_PAID | {S.IN_TRANSIT},
    # One that was booked with its run may have come back before we hear that it was refused.
    K.REJECTED: frozenset({S.IN_TRANSIT, S.FAILED, S.RETURNED}),
    K.RETURN: EVER_PAID | {S.IN_TRANSIT},
}

CONTRADICTED = (
    "Payouts to its merchant wait. If the bank sends it back, that explains it. If it has paid:"
    " record the payout that waits as failed, adjust the balance, set this aside."
)

NAMELESS = "The report does not name the order: match it with the payout that it is of."
BESIDE_NAMELESS = "An order of the report has no name: what is said of the others may be of it."


def match_entry(*, entry_id: str, words: WordsOfOrders, actor: str, now: datetime) -> bool:
    """Match one entry, if it fits exactly; otherwise note why not. Return whether it is matched.

    `words` are read once for a whole file.
    """
    with transaction.atomic():
        take_turn()  # it may find that a payout has left, whose run is written then
        entry = BankEntry.objects.locked(entry_id)
        if not entry.is_waiting:
            return False
        try:
            with transaction.atomic():  # a refusal undoes what it has begun
                _match(entry, words, actor=actor, now=now)
        except ApiError as error:
            entry.refresh_from_db()
            entry.wait(error.details or error.message)
            return False
    return True


def refuse_resolved(entry: BankEntry) -> None:
    """Raise BankEntryUnfit for an entry that waits for no one."""
    if not entry.is_waiting:
        raise BankEntryUnfit(state=f"is {entry.state}")


def _match(entry: BankEntry, words: WordsOfOrders, *, actor: str, now: datetime) -> None:
    kind = BankEntryKind(entry.kind)
    refuse_uncreditable(entry)
    if credited_to := _credit(entry, words, actor, now):
        entry.match(credited_to=credited_to, by=actor, at=now)
        return
    if kind == K.REJECTED and entry.code in DUPLICATES:
        raise BankEntryUnfit("The bank has this order already: see what became of the first one.")
    if entry.end_to_end_id:
        order = _order_of(entry, actor=actor, now=now)
        if order is None:
            raise BankEntryUnfit(_unknown(kind))
        payout = Payout.objects.locked(order.payout_id)
        _refuse_other_batch(entry, payout)
        apply_entry(entry, kind, [payout], actor=actor, now=now)
        entry.match(payout=payout, by=actor, at=now)
        return
    if is_nameless(entry):
        raise BankEntryUnfit(NAMELESS)
    batch = PayoutBatch.objects.filter(
        message_id=in_our_spelling(entry.message_reference), livemode=entry.livemode
    ).first()
    if not entry.message_reference or batch is None:
        raise BankEntryUnfit(_unknown(kind))
    apply_entry(entry, kind, _payouts_of(entry, batch), actor=actor, now=now)
    entry.match(batch=batch, by=actor, at=now)


def _unknown(kind: BankEntryKind) -> str:
    if kind == K.CREDIT:
        return "It names no top-up of ours. If a customer sent it, credit their wallet."
    return "There is no order of this reference."


def _credit(entry: BankEntry, words: WordsOfOrders, actor: str, now: datetime) -> str:
    """Return the id of what money that came in was credited to, if a room knows whose it is."""
    if entry.kind != K.CREDIT:
        return ""
    credited: Iterable[str] = (
        import_string(path)(entry, words=words, actor=actor, now=now)
        for path in settings.BANK_CREDITS
    )
    return next(filter(None, credited), "")


def _order_of(entry: BankEntry, *, actor: str, now: datetime) -> PayoutOrder | None:
    """Return the order that an entry names, also where only the bank still knows that it left."""
    name = in_our_spelling(entry.end_to_end_id)
    known = PayoutOrder.objects.filter(end_to_end_id=name, payout__livemode=entry.livemode).first()
    if known is not None or entry.kind not in (K.DEBIT, K.RETURN):
        return known
    moved = entry.amount or 0
    return note_departure(
        reference=name,
        livemode=entry.livemode,
        amounts=(moved, moved - entry.charge_amount),
        currency=entry.currency,
        actor=actor,
        now=now,
    )


def _refuse_other_batch(entry: BankEntry, payout: Payout) -> None:
    """A status report names our file: an order of another one is not what it is about."""
    if entry.source != BankSource.STATUS_REPORT:
        return
    if payout.batch is None or payout.batch.message_id != entry.message_reference:
        raise BankEntryUnfit("The order is not of this file.")


def _payouts_of(entry: BankEntry, batch: PayoutBatch) -> list[Payout]:
    """Return what an entry about a batch is about, locked.

    In a status report that is what the report does not name by itself.
    """
    if entry.kind == K.RETURN:
        return _returned_of(batch)
    if entry.source != BankSource.STATUS_REPORT:
        return payouts_booked_in(entry, batch)
    nameless = nameless_orders(entry.file)
    if nameless.filter(payout=None).exists():
        raise BankEntryUnfit(BESIDE_NAMELESS)
    references = (
        BankEntry.objects.filter(file=entry.file_id)
        .exclude(end_to_end_id="")
        .values("end_to_end_id")
    )
    others = _locked_payouts(batch).exclude(pk__in=nameless.values("payout"))
    return list(others.exclude(order__end_to_end_id__in=references))


def _returned_of(batch: PayoutBatch) -> list[Payout]:
    """Return all of a run, locked: that is what comes back under its name, or it is not certain."""
    every = payouts_in_run(batch)
    if any(payout.status == S.FAILED for payout in every):
        raise BankEntryUnfit("An order of the run was refused: the bank knows which came back.")
    return every


def payouts_booked_in(entry: BankEntry, batch: PayoutBatch) -> list[Payout]:
    """Return what a booking of a batch is about, locked: what the bank has not refused of it.

    Or all of it, where that makes the amount: some banks book a run whole, and send back the rest.
    """
    every = payouts_in_run(batch)
    taken = [payout for payout in every if payout.status != S.FAILED]
    return every if is_amount_of(entry, every) else taken


def payouts_in_run(batch: PayoutBatch) -> list[Payout]:
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
    """Do what the entry means for payouts that are locked. Raises BankEntryUnfit, before any.

    Together they make its amount, but for a charge of the bank: the one that the bank has named, or
    `charge`, which a person has seen. A charge that is booked by itself changes nothing of them.
    One that was refused is among them where its money has come back, or `comes_back`: a person
    says that it will.
    """
    if kind not in FITTING:
        raise BankEntryUnfit("It is for a person to say what this is.")
    if entry.is_charge:
        _refuse_large_charge(entry, payouts)
        return
    refuse_other_amount(entry, kind, payouts, charge)
    for payout in payouts:
        if not (comes_back and payout.status == S.FAILED):
            _refuse_other_status(entry, kind, payout)
        refuse_repeated(entry, kind, payout)
    for payout in payouts:
        _record(entry, kind, payout, actor=actor, now=now)
        if entry.source == BankSource.STATEMENT:
            field = "booked_at" if kind == K.DEBIT else "return_booked_at"
            Payout.objects.filter(pk=payout.pk).update(**{field: now})


def _refuse_large_charge(entry: BankEntry, payouts: Sequence[Payout]) -> None:
    """A bank may call all of an entry a charge that has the transfer in it."""
    if (entry.amount or 0) >= sum(payout.amount for payout in payouts):
        raise BankEntryUnfit("The bank calls it a charge, and it is as much as what was ordered.")


def _refuse_other_status(entry: BankEntry, kind: BankEntryKind, payout: Payout) -> None:
    status = PayoutStatus(payout.status)
    if status in FITTING[kind] or is_round_trip(entry, kind, payout):
        return
    words = f"The bank says {kind}, but payout {payout.pk} is {status}."
    raise BankEntryUnfit(f"{words} {CONTRADICTED}" if kind in (K.DEBIT, K.SETTLED) else words)


def _record(
    entry: BankEntry, kind: BankEntryKind, payout: Payout, *, actor: str, now: datetime
) -> None:
    """Record what is news. A payout that comes back was paid, whether or not we had heard of it."""
    status = PayoutStatus(payout.status)
    if kind in (K.SETTLED, K.DEBIT, K.RETURN) and status == S.IN_TRANSIT:
        reference = entry.bank_reference or entry.entry_reference
        record_paid(payout_id=payout.pk, actor=actor, now=now, bank_reference=reference)
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
