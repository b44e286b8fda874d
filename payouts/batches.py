"""Send payouts to the bank by file: staff approve a batch, and download it in either format.

The batch stores the orders exactly as the bank gets them; every file is written from these.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date, datetime
from functools import partial

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef

from core.errors import ValidationFailed
from core.ids import new_id
from core.instants import today_in
from core.json import dump_json
from merchants.models import Merchant
from payouts.bank_lock import hold_bank_lock
from payouts.business_days import BusinessDays
from payouts.continuity import refuse_after_restore
from payouts.contradictions import held_back
from payouts.errors import (
    BankEntriesWaiting,
    BankEntryUnfit,
    PayoutBatchNotFound,
    PayoutFileChanged,
)
from payouts.models import (
    BankEntry,
    Payout,
    PayoutBatch,
    PayoutOrder,
    PayoutQuerySet,
)
from payouts.order_references import (
    BATCH_PREFIX,
    BATCH_REFERENCE,
    ORDER_PREFIX,
    REFERENCE_CHARACTERS,
    end_to_end_id,
)
from payouts.services import fail_unsendable, put_in_transit
from payouts.statuses import PayoutStatus

MAX_PAYOUTS = 500
logger = structlog.get_logger(__name__)


def payouts_due(*, livemode: bool, currency: str, execution_date: date) -> PayoutQuerySet:
    """Return the payouts that a batch on this day can include, oldest first.

    The payouts of a suspended merchant wait.
    """
    due = Payout.objects.sendable().filter(
        livemode=livemode, currency=currency, send_date__lte=execution_date
    )
    return due.order_by("id")


@transaction.atomic
def create_batch(
    *,
    livemode: bool,
    currency: str,
    execution_date: date,
    actor: str,
    now: datetime,
    payout_ids: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> PayoutBatch | None:
    """Put payouts in transit in one new batch: those given, or the first that are due.

    Each is judged separately: one that is held back, was canceled, or whose merchant was suspended
    is left out, and one whose bank account was closed fails.
    Returns None if nothing is left to send; such failures are kept. Raises PayoutsShut after a
    restore of the database, BankEntriesWaiting while the bank mentions a file of ours that is
    unknown here, and ValidationFailed for a past date or one that is not a business day.
    """
    hold_bank_lock()
    refuse_after_restore(now=now)
    refuse_unknown_file(livemode=livemode)
    _refuse_other_day(execution_date, now)
    due = payouts_due(livemode=livemode, currency=currency, execution_date=execution_date)
    named = due if payout_ids is None else due.filter(pk__in=payout_ids)
    named = named.exclude(pk__in=held_back(named, livemode=livemode))
    sendable = _first_sendable(named, actor=actor, now=now)
    if not sendable:
        return None
    batch = _order_together(sendable, execution_date, actor, now)
    for count, payout in enumerate(sendable, start=1):
        # As locked and ordered, even if its bank account has been closed since.
        put_in_transit(payout, batch=batch, actor=actor, now=now)
        if progress:
            progress(count, len(sendable))
    transaction.on_commit(partial(_log_departure, batch))
    return batch


def _log_departure(batch: PayoutBatch) -> None:
    """Log a batch: after a restore that has lost it, no statement names it before its day."""
    logger.info(
        "payout_batch_made",
        batch=batch.pk,
        livemode=batch.livemode,
        message_id=batch.message_id,
        execution_date=batch.execution_date.isoformat(),
        payouts=batch.count,
        amount=batch.total_amount,
        currency=batch.currency,
        actor=batch.created_by,
    )


def _first_sendable(payouts: PayoutQuerySet, *, actor: str, now: datetime) -> list[Payout]:
    """Return the first payouts that can leave, locked; fail those among them that never can.

    Merchants are locked first, so that none is suspended before the batch exists. A payout that is
    scheduled meanwhile, for a merchant who had none due, waits for the next batch.
    """
    merchants = Merchant.objects.filter(pk__in=payouts.order_by().values("merchant"))
    held = list(
        merchants.order_by("pk").select_for_update(no_key=True).values_list("pk", flat=True)
    )
    locked = (
        payouts.filter(merchant__in=held)
        .select_related("bank_account", "merchant", "statement")
        .select_for_update(no_key=True, of=("self",))
    )
    while True:
        first = list(locked[:MAX_PAYOUTS])
        failed = [each for each in first if fail_unsendable(each, actor=actor, now=now)]
        if not failed:
            return first


def refuse_unknown_file(*, livemode: bool) -> None:
    """Raise BankEntriesWaiting while the bank mentions a file of ours that is unknown here."""
    unknown = entry_of_unknown_file(livemode=livemode)
    if unknown is not None:
        raise BankEntriesWaiting(bank_entries=f"such as {unknown.pk}: {unknown.problem}")


def entry_of_unknown_file(*, livemode: bool) -> BankEntry | None:
    """Return the oldest waiting entry that names a file of ours that is unknown here, if any."""
    waiting = BankEntry.objects.unmatched().named_by_bank()
    waiting = waiting.filter(
        livemode=livemode, end_to_end_id="", message_reference__iregex=BATCH_REFERENCE
    )
    known = PayoutBatch.objects.filter(message_id__istartswith=OuterRef("message_reference"))
    return waiting.filter(~Exists(known)).order_by("created_at", "pk").first()


@transaction.atomic
def note_departure(
    *,
    reference: str,
    livemode: bool,
    amounts: Collection[int],
    currency: str,
    actor: str,
    now: datetime,
) -> PayoutOrder | None:
    """Put a payout in transit that is scheduled here but left before a restore; return its order.

    The bank knows it under the reference that it would leave with. It gets a batch of its own.
    None if no scheduled payout has that reference. Raises BankEntryUnfit if it has, but none of
    these `amounts` (with and without the bank's charge) or another currency.
    """
    _, found = next(scheduled_under({reference}, livemode=livemode), (reference, None))
    if found is None:
        return None
    locked = Payout.objects.select_related("bank_account", "merchant", "statement")
    payout = (
        locked.filter(pk=found.pk, status=PayoutStatus.SCHEDULED)
        .select_for_update(no_key=True, of=("self",))
        .first()
    )
    if payout is None:
        return None
    if payout.amount not in amounts or payout.currency != currency:
        raise BankEntryUnfit(
            f"The bank knows payout {payout.pk}, which is scheduled, with another amount."
        )
    batch = _order_together([payout], today_in(payout.merchant.time_zone, now), actor, now)
    put_in_transit(payout, batch=batch, actor=actor, now=now)
    return payout.order


def scheduled_under(references: Collection[str], *, livemode: bool) -> Iterator[tuple[str, Payout]]:
    """Yield the scheduled payouts that would leave under one of these references, with it."""
    wanted = {reference for reference in references if reference.startswith(ORDER_PREFIX)}
    if not wanted:
        return
    scheduled = Payout.objects.filter(status=PayoutStatus.SCHEDULED, livemode=livemode)
    for each in scheduled.select_related("statement").order_by("id").iterator():
        if (reference := end_to_end_id(each)) in wanted:
            yield reference, each


def find_batch(batch_id: str) -> PayoutBatch:
    """Return a batch. Raises PayoutBatchNotFound."""
    batch = PayoutBatch.objects.filter(pk=batch_id).first()
    if batch is None:
        raise PayoutBatchNotFound
    return batch


def orders_of(batch: PayoutBatch) -> list[PayoutOrder]:
    """Return the orders of a batch, in the order of its file."""
    return list(batch.orders.order_by("payout_id"))


def note_file(batch: PayoutBatch, content: bytes) -> None:
    """Store the hash of the file for the bank, so that a second download is the same file.

    Raises PayoutFileChanged if it is not, for instance because the debtor account was changed.
    """
    digest = hashlib.sha256(content).hexdigest()
    with transaction.atomic():
        stored = PayoutBatch.objects.select_for_update().get(pk=batch.pk)
        if stored.file_hash not in ("", digest):
            raise PayoutFileChanged
        if not stored.file_hash:
            stored.file_hash = digest
            stored.save(update_fields=["file_hash"])


def digest_of(execution_date: date, orders: Sequence[PayoutOrder]) -> str:
    """Return the SHA-256 of what the bank is sent with a batch, in the order of its payouts."""
    rows = [
        [
            order.payout_id,
            order.end_to_end_id,
            order.amount,
            order.holder_name,
            order.bic,
            order.clearing_code,
            order.decrypt_number(),
            order.description,
        ]
        for order in orders
    ]
    return hashlib.sha256(dump_json([execution_date.isoformat(), rows])).hexdigest()


def _refuse_other_day(execution_date: date, now: datetime) -> None:
    next_day = BusinessDays.load().on_or_after(max(execution_date, first_day(now)))
    if next_day != execution_date:
        raise ValidationFailed(
            execution_date=f"must be a business day to come; the next one is {next_day}"
        )


def first_day(now: datetime) -> date:
    """Return the first possible execution date: today, in the staff's time zone."""
    return today_in(settings.STAFF_TIME_ZONE, now)


def _order_together(
    payouts: list[Payout], execution_date: date, actor: str, now: datetime
) -> PayoutBatch:
    orders = [PayoutOrder.of(payout, end_to_end_id(payout)) for payout in payouts]
    digest = digest_of(execution_date, orders)
    batch = PayoutBatch.objects.create(
        id=new_id("bat", now),
        livemode=payouts[0].livemode,
        currency=payouts[0].currency,
        count=len(payouts),
        total_amount=sum(payout.amount for payout in payouts),
        execution_date=execution_date,
        message_id=f"{BATCH_PREFIX}{digest[:REFERENCE_CHARACTERS]}",
        orders_hash=digest,
        created_at=now,
        created_by=actor,
    )
    for order in orders:
        order.batch = batch
    PayoutOrder.objects.bulk_create(orders)
    return batch
