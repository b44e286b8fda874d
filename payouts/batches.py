"""Payouts by file: staff create a batch, and download it for the bank in either format."""

from dataclasses import dataclass
from datetime import date, datetime

from django.db import transaction

from core.errors import ValidationFailed
from core.ids import new_id
from payouts.business_days import BusinessDays
from payouts.errors import NothingToExport, PayoutBatchNotFound
from payouts.models import Payout, PayoutBatch
from payouts.services import mark_sent
from payouts.statuses import PayoutStatus

MAX_PAYOUTS = 500


@dataclass(frozen=True, kw_only=True)
class PaymentOrder:
    """What the bank needs to know of one payout. `amount` in cents."""

    payout_id: str
    amount: int
    currency: str
    holder_name: str
    bank_name: str
    bic: str
    clearing_code: str
    number: str
    description: str


@transaction.atomic
def create_batch(
    *, livemode: bool, currency: str, execution_date: date, actor: str, now: datetime
) -> PayoutBatch:
    """Send the payouts that are due by a date, oldest first, as one batch.

    Those whose bank account was closed fail instead. Raises NothingToExport, and ValidationFailed
    for a bank holiday or weekend.
    """
    next_day = BusinessDays.load().on_or_after(execution_date)
    if next_day != execution_date:
        raise ValidationFailed(execution_date=f"must be a business day; the next one is {next_day}")
    due = Payout.objects.filter(
        status=PayoutStatus.SCHEDULED,
        livemode=livemode,
        currency=currency,
        send_date__lte=execution_date,
    )
    waiting = due.order_by("id").select_for_update(no_key=True)[:MAX_PAYOUTS]
    batch = PayoutBatch.objects.create(
        id=new_id("bat", now),
        livemode=livemode,
        currency=currency,
        count=0,
        total_amount=0,
        execution_date=execution_date,
        created_at=now,
        created_by=actor,
    )
    for payout in list(waiting):
        mark_sent(payout_id=payout.id, actor=actor, now=now, batch=batch)
    sent = list(batch.payouts.all())
    if not sent:
        raise NothingToExport
    batch.count = len(sent)
    batch.total_amount = sum(payout.amount for payout in sent)
    batch.save(update_fields=["count", "total_amount"])
    return batch


def find_batch(batch_id: str) -> PayoutBatch:
    """Return a batch. Raises PayoutBatchNotFound."""
    batch = PayoutBatch.objects.filter(pk=batch_id).first()
    if batch is None:
        raise PayoutBatchNotFound
    return batch


def orders_of(batch: PayoutBatch) -> list[PaymentOrder]:
    """Return the payment orders with account numbers in the clear: only for the bank's file."""
    payouts = batch.payouts.select_related("bank_account").order_by("id")
    return [
        PaymentOrder(
            payout_id=payout.id,
            amount=payout.amount,
            currency=payout.currency,
            holder_name=payout.bank_account.holder_name,
            bank_name=payout.bank_account.bank_name,
            bic=payout.bank_account.bic,
            clearing_code=payout.bank_account.clearing_code,
            number=payout.bank_account.decrypt_number(),
            description=payout.description,
        )
        for payout in payouts
    ]
