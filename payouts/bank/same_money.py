"""Money that the bank tells of more than once, in a notification and a statement, moves once."""

from django.db.models import Q

from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind, BankEntryQuerySet, BankEntryState, Payout

K = BankEntryKind
# What the bank says of a payout once, in each kind of file, and the kinds of entry that say so.
_ONCE = {K.DEBIT: (K.DEBIT,), K.RETURN: (K.RETURN, K.CREDIT)}


def refuse_repeated(entry: BankEntry, kind: BankEntryKind, payout: Payout) -> None:
    """Raise BankEntryUnfit for what the bank has said of a payout, or of money that came in."""
    if kind not in _ONCE:
        return
    of_payout = BankEntry.objects.besides_charges().filter(
        kind__in=_ONCE[kind], source=entry.source, state=BankEntryState.MATCHED
    )
    if of_payout.filter(payout=payout).exists() or (
        payout.batch_id and of_payout.filter(batch=payout.batch_id).exists()
    ):
        raise BankEntryUnfit("The bank has said this of the payout before.")
    if kind == K.RETURN:
        refuse_elsewhere(entry, payout.pk, payout.batch_id or "")


def refuse_elsewhere(entry: BankEntry, *here: str) -> None:
    """Raise BankEntryUnfit for money in that another file told of, where it did not go `here`."""
    told = list(_told_elsewhere(entry).order_by("pk"))
    went = {it.pk: it.credited_to or it.payout_id or it.batch_id or "" for it in told}
    if went and not set(here) & set(went.values()):
        known, place = next(iter(went.items()))
        raise BankEntryUnfit(
            f"The bank has told of this money before, in {known}: it went to {place}."
        )


def _told_elsewhere(entry: BankEntry) -> BankEntryQuerySet:
    """Return what other files say of the same money in, as far as the bank tells, and is matched.

    One file may call a return what another calls money that came in.
    """
    if not entry.bank_reference:
        return BankEntry.objects.none()
    same = BankEntry.objects.filter(
        livemode=entry.livemode,
        kind__in=_ONCE[K.RETURN],
        bank_reference=entry.bank_reference,
        amount=entry.amount,
        currency=entry.currency,
        state=BankEntryState.MATCHED,
    ).exclude(file=entry.file_id)
    if entry.booking_date is None:
        return same
    return same.filter(Q(booking_date=entry.booking_date) | Q(booking_date=None))
