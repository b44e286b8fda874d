"""Refund payments: at once if the merchant's balance covers it, otherwise as soon as it does.

Locks are taken in the order payment, refund, ledger account.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db import transaction

from core.ids import new_id
from core.money import share_of
from core.writing import Write, insertion_of, update_of
from customers.magic_phones import Behaviour, behaviour_of
from ledger.errors import InsufficientBalance
from ledger.models import Purpose, TransferKind
from ledger.services import Movement, accounts_for, posting_of
from merchants.callers import Caller
from merchants.standing import refuse_ended_key
from payments.errors import PaymentNotCompleted
from payments.models import Payment
from payments.statuses import ALLOWED, PaymentStatus
from refunds import emails, events
from refunds.errors import RefundAmountMismatch, RefundExceedsPayment, RefundFinal
from refunds.failures import GIVE_UP_AFTER, NOT_COVERED, SIMULATED
from refunds.inquiries import settle_by_refund
from refunds.models import Refund
from refunds.statuses import RefundStatus
from webhooks.event_types import EventType
from webhooks.outbox import Fact, emit_all

RETRY_ACTOR = "system:refunds.retry"


@dataclass(frozen=True)
class RefundDraft:
    """A refund request. No amount: all that is left. `expected_available` rejects a stale view."""

    amount: int | None = None
    reason: str = ""
    expected_available: int | None = None


class _Outcome(NamedTuple):
    """The outcome of a refund: the writes and events, to be sent in one statement."""

    writes: list[Write]
    facts: list[Fact]


@transaction.atomic(savepoint=False)
def create_refund(*, caller: Caller, payment_id: str, draft: RefundDraft, now: datetime) -> Refund:
    """Refund a completed payment, wholly or in part (`POST /v1/payments/:id/refund`).

    The returned refund is succeeded, pending if the merchant's balance does not cover it, or
    failed for the test phone that simulates this. Raises PaymentNotFound, PaymentNotCompleted,
    RefundAmountMismatch, RefundExceedsPayment, and as `refuse_ended_key` if the key or the merchant
    has been stopped meanwhile.
    """
    payment = Payment.objects.locked_of(caller, payment_id, "customer", "inquiry")
    refund = Refund(
        id=new_id("ref", now),
        payment=payment,
        merchant_id=payment.merchant_id,
        livemode=payment.livemode,
        amount=_amount_of(payment, draft, now),
        currency=payment.currency,
        reason=draft.reason,
        created_by=caller.actor,
        created_at=now,
        updated_at=now,
    )
    payment.amount_refund_pending += refund.amount
    created = Fact(EventType.REFUND_CREATED, refund, events.refund_created(refund))
    if behaviour_of(payment.paying_customer) == Behaviour.REFUNDS_FAIL:
        outcome = _fail(refund, payment, SIMULATED, actor=caller.actor, now=now)
    else:
        outcome = _settle_if_covered(refund, payment, actor=caller.actor, now=now)
    refuse_ended_key(caller)
    writes = outcome.writes or [insertion_of(refund), _amounts_of(payment, now)]
    emit_all(created, *outcome.facts, now=now, beside=writes)
    return refund


@transaction.atomic
def retry_refund(*, refund_id: str, now: datetime) -> Refund:
    """Retry a pending refund; fail it after 30 days. Raises RefundNotFound, RefundFinal."""
    refund, payment = _lock_pending(refund_id)
    outcome = _settle_if_covered(refund, payment, actor=RETRY_ACTOR, now=now)
    if not outcome.facts:
        if now < refund.created_at + GIVE_UP_AFTER:
            return refund
        outcome = _fail(refund, payment, NOT_COVERED, actor=RETRY_ACTOR, now=now)
    emit_all(*outcome.facts, now=now, beside=outcome.writes)
    return refund


@transaction.atomic
def fail_refund(*, refund_id: str, reason: str, actor: str, now: datetime) -> Refund:
    """Fail a pending refund for good. Raises RefundNotFound, RefundFinal."""
    refund, payment = _lock_pending(refund_id)
    outcome = _fail(refund, payment, reason, actor=actor, now=now)
    emit_all(*outcome.facts, now=now, beside=outcome.writes)
    return refund


def fee_share(payment: Payment, amount: int) -> int:
    """Return the share of the fee that is returned with the next `amount` cents refunded.

    Shares follow the running total, so that partial refunds add up to exactly the whole fee.
    """
    fee, whole, before = payment.fee or 0, payment.sale_amount, payment.amount_refunded
    return share_of(fee, before + amount, whole) - share_of(fee, before, whole)


def _amount_of(payment: Payment, draft: RefundDraft, now: datetime) -> int:
    status = payment.status_at(now)
    if status != PaymentStatus.COMPLETED:
        raise PaymentNotCompleted(status=f"is {status}; {ALLOWED[status]}")
    available = payment.amount_refundable
    if draft.expected_available not in (None, available):
        raise RefundAmountMismatch(refund_amount_available=f"is {available}")
    amount = available if draft.amount is None else draft.amount
    if not 0 < amount <= available:
        most = f"must be at most {available}" if available else "nothing is left to refund"
        raise RefundExceedsPayment(amount=most)
    return amount


def _lock_pending(refund_id: str) -> tuple[Refund, Payment]:
    payment = Payment.objects.locked(Refund.objects.one(refund_id).payment_id)
    refund = Refund.objects.locked(refund_id)
    if refund.status != RefundStatus.PENDING:
        raise RefundFinal(status=f"is {refund.status}")
    return refund, payment


def _settle_if_covered(refund: Refund, payment: Payment, *, actor: str, now: datetime) -> _Outcome:
    """Return the writes and events of a success; both empty if the balance does not cover it."""
    transaction_id, fee = new_id("txn", now), fee_share(payment, refund.amount)
    try:
        writes = _posting_of(refund, payment, fee, transaction_id=transaction_id, now=now)
    except InsufficientBalance:
        return _Outcome([], [])
    refund.transaction_id, refund.fee_returned = transaction_id, fee
    payment.amount_refund_pending -= refund.amount
    payment.amount_refunded += refund.amount
    writes.append(_amounts_of(payment, now))
    refund.transition_to(RefundStatus.SUCCEEDED, now=now, actor=actor, send=_adding_to(writes))
    emails.plan_notice(refund, payment, now=now)
    completed = Fact(EventType.REFUND_COMPLETED, refund, events.refund_completed(refund))
    refunded = Fact(EventType.PAYMENT_REFUNDED, payment, events.payment_refunded(payment, refund))
    inquiry = getattr(payment, "inquiry", None)  # absent from most
    settled = settle_by_refund(inquiry, actor=actor, now=now) if inquiry else []
    return _Outcome(writes, [completed, refunded, *settled])


def _fail(refund: Refund, payment: Payment, reason: str, *, actor: str, now: datetime) -> _Outcome:
    refund.failure_reason = reason
    payment.amount_refund_pending -= refund.amount
    writes = [_amounts_of(payment, now)]
    refund.transition_to(RefundStatus.FAILED, now=now, actor=actor, send=_adding_to(writes))
    return _Outcome(writes, [Fact(EventType.REFUND_FAILED, refund, events.refund_failed(refund))])


def _adding_to(writes: list[Write]) -> Callable[..., None]:
    return lambda *moves: writes.extend(moves)


def _posting_of(
    refund: Refund, payment: Payment, fee: int, *, transaction_id: str, now: datetime
) -> list[Write]:
    """Return the ledger writes. The fee is returned first, so that it helps to cover the refund."""
    wallet, balance, fees = accounts_for(
        (payment.customer_id or "", Purpose.WALLET),
        (payment.merchant_id, Purpose.MERCHANT),
        (payment.merchant_id, Purpose.FEES),
        currency=payment.currency,
        livemode=payment.livemode,
        hold=True,
    )
    returned = Movement(
        kind=TransferKind.REFUND_FEE, reference=refund.id, debit=fees, credit=balance, amount=fee
    )
    repaid = Movement(
        kind=TransferKind.REFUND,
        reference=refund.id,
        debit=balance,
        credit=wallet,
        amount=refund.amount,
    )
    movements = [returned, repaid] if fee else [repaid]
    return posting_of(transaction_id=transaction_id, movements=movements, now=now)


def _amounts_of(payment: Payment, now: datetime) -> Write:
    payment.updated_at = now
    return update_of(payment, "amount_refunded", "amount_refund_pending", "updated_at")
