"""The services of a payout, in life-cycle order. One service per business fact.

Locks are taken in the order merchant, payout, ledger account.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from core.ids import new_id
from core.instants import today_in
from core.money import MAX_AMOUNT
from ledger.errors import InsufficientBalance
from ledger.models import HOUSE, Purpose, TransferKind
from ledger.services import Movement, account_for, accounts_for, lock, post_transfers
from merchants.callers import Caller
from merchants.models import Merchant
from merchants.standing import refuse_revoked_key
from merchants.statuses import MerchantStatus
from payouts import events
from payouts.balances import reserved
from payouts.bank_accounts import account_to_pay
from payouts.business_days import BusinessDays
from payouts.continuity import is_shut
from payouts.contradictions import mentioned_by_bank
from payouts.errors import (
    PayoutNotCancelable,
    PayoutReturnTooLate,
    PayoutStatusUnfit,
    PayoutTooSmall,
)
from payouts.models import (
    MAX_BANK_REFERENCE,
    MAX_FAILURE_CODE,
    MAX_FAILURE_MESSAGE,
    BankAccount,
    Payout,
    PayoutBatch,
    PayoutOrigin,
    Statement,
)
from payouts.statements import available_in, close, gather, open_statement
from payouts.statuses import CANCELABLE, PayoutStatus
from webhooks.event_types import EventType
from webhooks.outbox import emit

REFUSED, RETURNED_BY_BANK = "refused_by_bank", "returned_by_bank"
SAYS_REFUSED = "The bank refused the payout."
SAYS_RETURNED = "The bank sent the payout back."


def request_payout(
    *, caller: Caller, currency: str, amount: int | None, description: str, now: datetime
) -> Payout:
    """Pay out on demand (`POST /v1/payouts`). Raises as `schedule_payout` does."""
    return schedule_payout(
        merchant=caller.owner,
        livemode=caller.livemode,
        currency=currency,
        amount=amount,
        description=description,
        origin=PayoutOrigin.API,
        actor=caller.actor,
        now=now,
    )


@transaction.atomic
def schedule_payout(
    *,
    merchant: Merchant,
    livemode: bool,
    currency: str,
    amount: int | None,
    origin: PayoutOrigin,
    actor: str,
    now: datetime,
    description: str = "",
) -> Payout:
    """Set aside `amount` in cents, or all that is available, and close the statement.

    Raises BankAccountMissing, PayoutTooSmall for an amount below the minimum, InsufficientBalance
    if less is available than the amount or the minimum.
    """
    bank_account = account_to_pay(merchant=merchant, livemode=livemode, currency=currency, now=now)
    account = account_for(
        owner=merchant.id, purpose=Purpose.MERCHANT, currency=currency, livemode=livemode
    )
    lock(account)
    statement = open_statement(account)
    gather(statement)
    payout = _new_payout(merchant, bank_account, statement, now=now)
    kept = reserved(merchant.id, currency, livemode)
    payout.amount = amount_to_pay(amount, available_in(statement) - kept)
    payout.origin, payout.description = origin, description
    payout.save(force_insert=True)
    payout.transitions.create(to_status=payout.status, at=now, actor=actor)
    _move(TransferKind.PAYOUT, payout, debit=Purpose.MERCHANT, credit=Purpose.PAYOUTS, now=now)
    close(statement, payout, now=now)
    emit(EventType.PAYOUT_CREATED, about=payout, data=events.payout_created(payout), now=now)
    return payout


def amount_to_pay(asked: int | None, available: int) -> int:
    """Return the cents to pay: as asked, or all. Raises PayoutTooSmall, InsufficientBalance."""
    least = settings.PAYOUT_MINIMUM
    if asked is not None and asked < least:
        raise PayoutTooSmall(amount=f"must be at least {least}")
    if available < (asked or least):
        there_is = f"{max(available, 0)} is available; the least to pay out is {least}"
        raise InsufficientBalance(there_is if asked is None else f"amount: {there_is}")
    return asked or min(available, MAX_AMOUNT)


@transaction.atomic
def cancel_payout(*, caller: Caller, payout_id: str, now: datetime) -> Payout:
    """Cancel a payout that has not been sent. Raises PayoutNotFound, PayoutNotCancelable.

    After a restore, or if the bank mentions it, it may have been sent: that has to be cleared up
    with the bank first. Raises Unauthorized if the live key has been revoked while this waited.
    """
    payout = Payout.objects.visible_to(caller).locked(payout_id)
    refuse_revoked_key(caller)
    if payout.status not in CANCELABLE:
        raise PayoutNotCancelable(status=f"is {payout.status}, must be scheduled")
    if _may_have_left(payout, now=now):
        raise PayoutNotCancelable(status="is being compared with the bank")
    payout.transition_to(PayoutStatus.CANCELED, now=now, actor=caller.actor)
    _return_money(payout, now=now)
    emit(EventType.PAYOUT_CANCELED, about=payout, data=events.payout_canceled(payout), now=now)
    return payout


@transaction.atomic
def mark_sent(*, payout_id: str, actor: str, now: datetime) -> Payout:
    """Put one payout in transit without a batch, or fail it if it can never leave.

    A late one gets a later arrival date. Raises PayoutNotFound, PayoutStatusUnfit, also if the
    merchant has been suspended.
    """
    # Lock the merchant separately, and first: rows joined to a row that a statement waits for are
    # read as they were before the wait.
    Merchant.objects.locked(Payout.objects.one(payout_id).merchant_id)
    payout = Payout.objects.select_related("bank_account", "merchant").locked(payout_id)
    if payout.merchant.status == MerchantStatus.SUSPENDED:
        raise PayoutStatusUnfit(merchant="is suspended")
    if fail_unsendable(payout, actor=actor, now=now):
        return payout
    put_in_transit(payout, batch=None, actor=actor, now=now)
    return payout


def put_in_transit(payout: Payout, *, batch: PayoutBatch | None, actor: str, now: datetime) -> None:
    """Put a locked payout in transit, without checking its bank account or merchant."""
    payout.batch = batch
    leaves = batch.execution_date if batch else today_in(payout.merchant.time_zone, now)
    if leaves > payout.send_date:
        payout.arrival_date = BusinessDays.load().after(leaves)
    payout.transition_to(PayoutStatus.IN_TRANSIT, now=now, actor=actor)


def fail_unsendable(payout: Payout, *, actor: str, now: datetime) -> bool:
    """Fail a payout that can never leave; return whether it did. The row must be locked.

    Its money returns to the merchant's balance, and is part of the next payout.
    """
    if payout.bank_account.closed_at is not None:
        code, message = "bank_account_closed", "The bank account was closed."
    elif payout.amount < settings.PAYOUT_MINIMUM:
        code, message = "below_minimum", "The amount is below the least that is paid out."
    else:
        return False
    _fail(payout, code=code, message=message, actor=actor, now=now)
    return True


@transaction.atomic
def record_paid(*, payout_id: str, actor: str, now: datetime, bank_reference: str = "") -> Payout:
    """Record that the bank has paid; a long reference is truncated.

    Raises PayoutNotFound, PayoutStatusUnfit.
    """
    payout = Payout.objects.locked(payout_id)
    payout.bank_reference = bank_reference[:MAX_BANK_REFERENCE]
    payout.transition_to(PayoutStatus.PAID, now=now, actor=actor)
    _move(TransferKind.PAYOUT_PAID, payout, debit=Purpose.PAYOUTS, credit=Purpose.BANK, now=now)
    emit(EventType.PAYOUT_PAID, about=payout, data=events.payout_paid(payout), now=now)
    return payout


@transaction.atomic
def record_failed(*, payout_id: str, code: str, message: str, actor: str, now: datetime) -> Payout:
    """Record that the bank has refused; the money returns to the merchant's balance.

    A long code or message is truncated, as the refusal must be recorded in any case. Raises
    PayoutNotFound, PayoutStatusUnfit; also for a scheduled one that may have been sent: after a
    restore of the database, or if a waiting bank entry names it.
    """
    payout = Payout.objects.locked(payout_id)
    if payout.status in CANCELABLE and _may_have_left(payout, now=now):
        raise PayoutStatusUnfit(status="is being compared with the bank")
    return _fail(payout, code=code, message=message, actor=actor, now=now)


@transaction.atomic
def record_returned(
    *, payout_id: str, code: str, message: str, actor: str, now: datetime
) -> Payout:
    """Record that the bank sent a paid payout back; the money returns to the merchant's balance.

    A long code or message is truncated. Raises PayoutNotFound, PayoutStatusUnfit, and
    PayoutReturnTooLate for one that was paid more than `PAYOUT_RETURN_DAYS` ago.
    """
    payout = Payout.objects.locked(payout_id)
    longest = timedelta(days=settings.PAYOUT_RETURN_DAYS)
    if payout.paid_at is not None and now - payout.paid_at > longest:
        raise PayoutReturnTooLate(paid_at=f"is more than {settings.PAYOUT_RETURN_DAYS} days ago")
    _note_failure(payout, code, message)
    cause = payout.failure_code
    payout.transition_to(PayoutStatus.RETURNED, now=now, actor=actor, cause=cause)
    _move(
        TransferKind.PAYOUT_REVERSED, payout, debit=Purpose.BANK, credit=Purpose.MERCHANT, now=now
    )
    emit(EventType.PAYOUT_FAILED, about=payout, data=events.payout_failed(payout), now=now)
    return payout


def _new_payout(
    merchant: Merchant, bank_account: BankAccount, statement: Statement, *, now: datetime
) -> Payout:
    days = BusinessDays.load()
    send_date = days.on_or_after(today_in(merchant.time_zone, now))
    return Payout(
        id=new_id("po", now),
        merchant=merchant,
        livemode=bank_account.livemode,
        currency=bank_account.currency,
        bank_account=bank_account,
        statement=statement,
        send_date=send_date,
        arrival_date=days.after(send_date),
        created_at=now,
        updated_at=now,
    )


def _may_have_left(payout: Payout, *, now: datetime) -> bool:
    """Return whether a scheduled payout may have been sent without our knowing."""
    if payout.livemode and is_shut(now=now):
        return True
    return bool(mentioned_by_bank(Payout.objects.filter(pk=payout.pk), livemode=payout.livemode))


def _fail(payout: Payout, *, code: str, message: str, actor: str, now: datetime) -> Payout:
    _note_failure(payout, code, message)
    payout.transition_to(PayoutStatus.FAILED, now=now, actor=actor, cause=payout.failure_code)
    _return_money(payout, now=now)
    emit(EventType.PAYOUT_FAILED, about=payout, data=events.payout_failed(payout), now=now)
    return payout


def _note_failure(payout: Payout, code: str, message: str) -> None:
    payout.failure_code = code[:MAX_FAILURE_CODE] or REFUSED
    payout.failure_message = message[:MAX_FAILURE_MESSAGE]


def _return_money(payout: Payout, *, now: datetime) -> None:
    _move(
        TransferKind.PAYOUT_RETURNED,
        payout,
        debit=Purpose.PAYOUTS,
        credit=Purpose.MERCHANT,
        now=now,
    )


def _move(
    kind: TransferKind, payout: Payout, *, debit: Purpose, credit: Purpose, now: datetime
) -> None:
    """Post the payout's amount: the bank account is the house's, the others the merchant's."""
    owners = {Purpose.BANK: HOUSE}
    debited, credited = accounts_for(
        *((owners.get(purpose, payout.merchant_id), purpose) for purpose in (debit, credit)),
        currency=payout.currency,
        livemode=payout.livemode,
    )
    movement = Movement(
        kind=kind, reference=payout.id, debit=debited, credit=credited, amount=payout.amount
    )
    post_transfers(transaction_id=new_id("txn", now), movements=[movement], now=now)
