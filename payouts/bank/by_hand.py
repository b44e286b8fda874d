"""Resolve a waiting entry by hand. The bank's reference may differ, the amount may not.

Locks are taken in the order entry, payout, ledger account.
"""

from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce, NullIf

from core.ids import new_id
from ledger.models import HOUSE, Purpose, Transfer, TransferKind
from ledger.services import Movement, accounts_for, post_transfers
from payouts.bank.matching import (
    apply_entry,
    match_entry,
    payouts_booked_in,
    payouts_in_batch,
    refuse_resolved,
)
from payouts.bank.moved_amounts import booked_with_charge, charge_in, charge_note
from payouts.bank_lock import hold_bank_lock
from payouts.bank_words import WordsOfOrders
from payouts.contradictions import holds_back, our_reference
from payouts.errors import BankEntryUnfit, PayoutBatchNotFound
from payouts.models import (
    BankEntry,
    BankEntryKind,
    BankEntryState,
    BankSource,
    Payout,
    PayoutBatch,
    PayoutOrder,
    PayoutQuerySet,
)
from payouts.statuses import PayoutStatus

K = BankEntryKind
# What other entries say can still come true after these were matched: no status is final by them.
UNDOABLE = frozenset({K.DEBIT, K.SETTLED, K.PROCESSING})


@transaction.atomic
def match_by_hand(
    *,
    entry_id: str,
    payout_id: str,
    actor: str,
    now: datetime,
    charge_amount: int = 0,
    merchant_bears_charge: bool = False,
) -> BankEntry:
    """Match an entry with a payout; `charge_amount` is the bank's charge in it, in cents.

    `merchant_bears_charge` is for returns only: we bear the charge of a debit, as the order says.
    A returned payout goes back to the merchant's balance in full, and the charge is taken from it:
    once, even if a notification and a statement both report it. Raises BankEntryNotFound,
    PayoutNotFound, PayoutReturnTooLate, and BankEntryUnfit, also if the charge is not as agreed.
    """
    entry = _waiting(entry_id)
    payout = Payout.objects.locked(payout_id)
    # Many banks do not mark incoming money as a return: here a person does.
    kind = K.RETURN if entry.kind == K.CREDIT else K(entry.kind)
    if entry.livemode != payout.livemode:
        raise BankEntryUnfit(payout="is of the other mode")
    if kind == K.DEBIT and merchant_bears_charge:
        raise BankEntryUnfit("The order says that we bear the charge for it (ChrgBr DEBT).")
    _refuse_other_charge(charge_amount, charge_in(entry, [payout]))
    apply_entry(entry, kind, [payout], charge=charge_amount, actor=actor, now=now)
    if charge_amount and merchant_bears_charge:
        _take_charge(payout, charge_amount, now)
    _note_charge(entry, charge_amount)
    entry.match(payout=payout, by=actor, at=now)
    return entry


@transaction.atomic
def match_batch_by_hand(
    *, entry_id: str, batch_id: str, actor: str, now: datetime, charge_amount: int = 0
) -> BankEntry:
    """Match a debit with a batch: its amount is the sum of the payouts that were not refused.

    Or of all payouts: then the money of the refused ones has to come back. `charge_amount`, in
    cents, is the excess that is the bank's charge, which we bear. Raises BankEntryNotFound,
    PayoutBatchNotFound, BankEntryUnfit.
    """
    entry = _waiting(entry_id)
    batch = PayoutBatch.objects.filter(pk=batch_id, livemode=entry.livemode).first()
    if batch is None:
        raise PayoutBatchNotFound
    if entry.kind != K.DEBIT:
        raise BankEntryUnfit("Only outgoing money can be that of a run.")
    if charge_amount:
        payouts, charge = booked_with_charge(entry, payouts_in_batch(batch))
        _refuse_other_charge(charge_amount, charge)
    else:
        payouts = payouts_booked_in(entry, batch)
    apply_entry(
        entry, K.DEBIT, payouts, charge=charge_amount, comes_back=True, actor=actor, now=now
    )
    _note_charge(entry, charge_amount)
    entry.match(batch=batch, by=actor, at=now)
    return entry


@transaction.atomic
def set_aside(
    *, entry_id: str, note: str, actor: str, now: datetime, by_two: bool = False
) -> BankEntry:
    """Record that an entry concerns no payout; `by_two`: a second person has agreed.

    Raises BankEntryNotFound and BankEntryUnfit, also without a second person if it holds back
    payouts.
    """
    entry = _waiting(entry_id)
    if not by_two and holds_back(entry):
        raise BankEntryUnfit("Payouts may be waiting for it: setting it aside takes two people.")
    entry.set_aside(note=note, by=actor, at=now)
    return entry


@transaction.atomic
def reopen_entry(*, entry_id: str, by_two: bool = False) -> BankEntry:
    """Reopen an entry that was set aside; `by_two`: a second person has agreed.

    The next file may then match it, and return a payout to its merchant's balance. Raises
    BankEntryNotFound and BankEntryUnfit, also if it names an order or batch and not `by_two`.
    """
    entry = BankEntry.objects.locked(entry_id)
    if entry.state != BankEntryState.OTHER:
        raise BankEntryUnfit(state=f"is {entry.state}")
    if not by_two and our_reference(entry):
        raise BankEntryUnfit("It names an order or a run: explaining it again takes two people.")
    entry.reopen(f"Was set aside: {entry.note}")
    return entry


@transaction.atomic
def undo_match(
    *, entry_id: str, matched_with: str, cause: str, actor: str, now: datetime
) -> BankEntry:
    """Undo a match with the wrong payout or run: the entry waits again, and has booked nothing.

    No status is undone: a payout stays paid until the bank's own entry books it, or it is recorded
    as returned. Entries that wait and name these payouts, or their run, are matched at once, as by
    the next file. Raises BankEntryNotFound and BankEntryUnfit, also for money that came back, if
    the entry names that payout or run itself, and if it is no longer `matched_with` that one.
    """
    hold_bank_lock()
    entry = BankEntry.objects.locked(entry_id)
    _refuse_undoing(entry, matched_with)
    matched = Q(batch=entry.batch_id) if entry.batch_id else Q(pk=entry.payout_id)
    payouts = Payout.objects.filter(matched)
    orders = PayoutOrder.objects.filter(payout__in=payouts).values("end_to_end_id")
    runs = PayoutBatch.objects.filter(payouts__in=payouts).exclude(message_id="")
    of_run = Q(end_to_end_id="", message_reference__in=runs.values("message_id"))
    others = BankEntry.objects.unmatched().named_by_bank().filter(livemode=entry.livemode)
    named = others.filter(Q(end_to_end_id__in=orders) | of_run)
    waiting = list(named.select_for_update(no_key=True).order_by("created_at", "pk"))
    # Those of the run as well, and all in one order: its own debit may be among what waits.
    touched = Payout.objects.filter(matched | Q(batch__in=runs.values("pk"))).order_by("pk")
    list(touched.select_for_update(no_key=True, of=("self",)))
    _forget_booking(entry, payouts)
    entry.reopen(f"Was matched with {matched_with}: {cause}")
    for each in waiting:
        match_entry(entry_id=each.pk, words=WordsOfOrders(), actor=actor, now=now)
    return entry


def _forget_booking(entry: BankEntry, payouts: PayoutQuerySet) -> None:
    """Take what an entry has proven off locked payouts, unless another one proves it.

    A run books those of its payouts that were refused only if its amount is enough for all.
    """
    if entry.is_charge:
        return  # it has proven nothing
    booked = BankEntry.objects.besides_charges().exclude(pk=entry.pk)
    booked = booked.filter(state=BankEntryState.MATCHED, source=BankSource.STATEMENT, kind=K.DEBIT)
    alone = Exists(booked.filter(payout=OuterRef("pk")))
    of_run = booked.filter(batch=OuterRef("batch"))
    whole = Exists(of_run.filter(amount__gte=F("batch__total_amount")))
    is_booked = alone | whole | Q(Exists(of_run), ~Q(status=PayoutStatus.FAILED))
    payouts.exclude(is_booked).update(booked_at=None)
    if reference := entry.bank_reference or entry.entry_reference:
        left = payouts.filter(bank_reference=reference)
        left.exclude(is_booked).update(bank_reference="")
        of_either = Q(payout=OuterRef("pk")) | Q(batch=OuterRef("batch"))
        named = Coalesce(NullIf("bank_reference", Value("")), "entry_reference")
        own = booked.filter(of_either).order_by("pk").values_list(named)[:1]
        left.update(bank_reference=Subquery(own))


def is_undoable(entry: BankEntry) -> bool:
    """Return whether an entry was matched with a payout or run that it does not name itself."""
    if entry.state != BankEntryState.MATCHED or entry.kind not in UNDOABLE:
        return False
    name = our_reference(entry)
    orders = PayoutOrder.objects.filter(payout=entry.payout_id, end_to_end_id=name)
    runs = PayoutBatch.objects.filter(pk=entry.batch_id, message_id=name)
    return not (name and (orders.exists() or runs.exists()))


def _refuse_undoing(entry: BankEntry, matched_with: str) -> None:
    if entry.state != BankEntryState.MATCHED:
        raise BankEntryUnfit(state=f"is {entry.state}")
    if not is_undoable(entry):
        raise BankEntryUnfit("Only a match that a person has made of money that left is undone.")
    if (found := entry.payout_id or entry.batch_id) != matched_with:
        raise BankEntryUnfit(
            f"It has since been matched with {found}: decline this, and submit a new request."
        )


def _waiting(entry_id: str) -> BankEntry:
    entry = BankEntry.objects.locked(entry_id)
    refuse_resolved(entry)
    return entry


def _refuse_other_charge(agreed: int, charge: int) -> None:
    if agreed not in (0, charge):
        raise BankEntryUnfit("The charge is not the one that was approved: submit a new request.")


def _note_charge(entry: BankEntry, charge: int) -> None:
    """Note the charge that a person has seen, for the reconciliation; saved with the match."""
    if charge:
        entry.note = charge_note(charge, entry.currency)


def _take_charge(payout: Payout, charge: int, now: datetime) -> None:
    """Deduct the bank's charge, once, from the balance that the payout was returned to."""
    of_payout = Q(reference=payout.pk) | Q(reference__in=payout.bank_entries.values("pk"))
    if Transfer.objects.filter(of_payout, kind=TransferKind.ADJUSTMENT).exists():
        return  # already taken; earlier releases posted it under the entry's id, not the payout's
    balance, funding = accounts_for(
        (payout.merchant_id, Purpose.MERCHANT),
        (HOUSE, Purpose.FUNDING),
        currency=payout.currency,
        livemode=payout.livemode,
    )
    movement = Movement(
        kind=TransferKind.ADJUSTMENT,
        reference=payout.pk,
        debit=balance,
        credit=funding,
        amount=charge,
        description=f"The bank's charge for {payout.pk}",
    )
    post_transfers(transaction_id=new_id("txn", now), movements=[movement], now=now)
