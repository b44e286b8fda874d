"""Money that the bank reports twice, in a notification and a statement, moves only once."""

from django.db.models import Count, Exists, OuterRef, Q

from payouts.bank.recognition import is_of_same_time
from payouts.errors import BankEntryUnfit
from payouts.models import (
    CAME_IN,
    BankEntry,
    BankEntryKind,
    BankEntryQuerySet,
    BankEntryState,
    Payout,
)
from payouts.order_references import with_truncated_forms
from payouts.statuses import PayoutStatus

K = BankEntryKind
# What each kind of file reports about a payout only once, and the kinds of entry that report it.
_ONCE = {K.DEBIT: (K.DEBIT,), K.RETURN: CAME_IN}

_NAMES = ("bank_reference", "uetr", "transaction_id")
_WORDS = ("end_to_end_id", "message")


def refuse_duplicate(entry: BankEntry, kind: BankEntryKind, payout: Payout) -> None:
    """Raise BankEntryUnfit if the bank reported this before, or the money went elsewhere."""
    if kind not in _ONCE:
        return
    of_payout = BankEntry.objects.besides_charges().filter(
        _is_of(payout), kind__in=_ONCE[kind], source=entry.source, state=BankEntryState.MATCHED
    )
    if known := of_payout.first():
        perhaps = f" If a person matched {known.pk} with it wrongly, undo that match."
        before = perhaps if kind == K.DEBIT else f" See {known.pk}."
        raise BankEntryUnfit(f"The bank has already reported this about the payout.{before}")
    if kind == K.RETURN:
        refuse_credited_elsewhere(entry, payout.pk, payout.batch_id or "")


def refuse_return_of_either(kind: BankEntryKind, payout: Payout) -> None:
    """Raise BankEntryUnfit for the return of a payout that the bank has debited twice.

    Each time alone or with its run, and whether either has been matched. Whichever came back, the
    merchant has been paid by the other.
    """
    if kind != K.RETURN:
        return
    debits = BankEntry.objects.besides_charges().filter(kind=K.DEBIT, livemode=payout.livemode)
    told = debits.filter(Q(_is_of(payout), state=BankEntryState.MATCHED) | _is_left(payout))
    times = told.values("source").annotate(times=Count("pk"))
    # What differs in this is not the same money, whatever kind of file reports each.
    transfers = told.filter(batch=None).exclude(uetr="").values("uetr").distinct()
    if times.filter(times__gt=1).exists() or transfers.count() > 1:
        raise BankEntryUnfit(
            "The bank has debited this payout twice, and one of the two came back: its merchant"
            " has been paid once. Set this and the second debit aside; if the other comes back,"
            " too, match that with the payout."
        )


def _is_of(payout: Payout) -> Q:
    """Return the condition for entries matched with a payout, or with a run that contained it."""
    of_run = Q(batch__isnull=False, batch=payout.batch_id)
    if payout.batch is not None and payout.status == PayoutStatus.FAILED:
        of_run &= Q(amount__gte=payout.batch.total_amount)  # or else it was booked without it
    return Q(payout=payout) | of_run


def _is_left(payout: Payout) -> Q:
    """Return the condition for debits that name a payout and are matched with nothing."""
    left = (BankEntryState.UNMATCHED, BankEntryState.OTHER)
    return Q(_names_order_or_run(payout), kind=K.DEBIT, state__in=left)


def _names_order_or_run(payout: Payout) -> Q:
    """Return the condition for entries that name a payout's order or whole run, even truncated."""
    named = Q(end_to_end_id__in=with_truncated_forms(payout.order.end_to_end_id))
    if payout.batch is None or not payout.batch.message_id:
        return named
    run = with_truncated_forms(payout.batch.message_id)
    return named | Q(end_to_end_id="", message_reference__in=run)


def refuse_credited_elsewhere(entry: BankEntry, *here: str) -> None:
    """Raise BankEntryUnfit if another file reported this incoming money and it went elsewhere."""
    rows = _reported_elsewhere(entry).select_related("statement").order_by("pk")
    # A reference that recurs in a statement of another period belongs to other money.
    earlier = [row for row in rows if is_of_same_time(row, entry.statement)]
    went = {it.pk: it.credited_to or it.payout_id or it.batch_id or "" for it in earlier}
    if went and not set(here) & set(went.values()):
        known, place = next(iter(went.items()))
        raise BankEntryUnfit(
            f"The bank has already reported this money, in {known}: it went to {place}."
        )


def is_same_money(entry: BankEntry, earlier: BankEntry) -> bool | None:
    """Return whether two entries are the same money; None if their references do not tell.

    The reference of an entry with several payments tells if no other of them has that amount.
    """
    names, known = _names_of(entry), _names_of(earlier)
    if names & known:
        return True
    shared = _entry_reference(entry)
    if shared == _entry_reference(earlier) != "" and not (names - {shared} and known - {shared}):
        return True if _is_alone(entry, shared) and _is_alone(earlier, shared) else None
    return False if names and known else None


def _reported_elsewhere(entry: BankEntry) -> BankEntryQuerySet:
    """Return matched entries of other files that report the same incoming money.

    One file may call a return what another calls a plain credit.
    """
    same = BankEntry.objects.filter(
        _shares_name(entry),
        livemode=entry.livemode,
        kind__in=_ONCE[K.RETURN],
        amount=entry.amount,
        currency=entry.currency,
        state=BankEntryState.MATCHED,
    ).exclude(file=entry.file_id)
    if entry.booking_date is None:
        return same
    on_the_day = Q(booking_date=entry.booking_date) | Q(booking_date=None)
    # A UETR is unique; other references may be reused on another day.
    return same.filter(on_the_day | Q(uetr=entry.uetr) if entry.uetr else on_the_day)


def _shares_name(entry: BankEntry) -> Q:
    """Return the condition for entries that share a reference, or may be one part of a booking.

    Entries whose words match another payment in this entry's file are excluded: they are that one.
    """
    names, shared = _names_of(entry), _entry_reference(entry)
    by_name = Q(*(Q(**{f"{field}__in": names}) for field in _NAMES), _connector=Q.OR)
    if not shared:
        return by_name
    of_entry = _of_entry(shared)
    others = BankEntry.objects.filter(of_entry, file=entry.file_id, amount=entry.amount).exclude(
        **{field: getattr(entry, field) for field in _WORDS}
    )
    another = Exists(others.filter(**{field: OuterRef(field) for field in _WORDS}))
    if names - {shared}:
        of_entry &= Q(bank_reference__in=("", shared), uetr="", transaction_id="")
    return by_name | Q(of_entry, ~another)


def _names_of(entry: BankEntry) -> set[str]:
    return {getattr(entry, field) for field in _NAMES} - {""}


def _entry_reference(entry: BankEntry) -> str:
    """Return the bank's reference of the whole entry, from the column its release stored it in."""
    return entry.entry_reference or entry.bank_reference


def _of_entry(reference: str) -> Q:
    return Q(entry_reference=reference) | Q(entry_reference="", bank_reference=reference)


def _is_alone(entry: BankEntry, reference: str) -> bool:
    alike = BankEntry.objects.filter(
        _of_entry(reference), file=entry.file_id, amount=entry.amount, kind=entry.kind
    )
    return alike.count() == 1
