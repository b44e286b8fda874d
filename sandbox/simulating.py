"""Bring a test payment to a chosen outcome, without a customer."""

from datetime import datetime
from enum import StrEnum

from customers.magic_phones import Behaviour, phone_with
from merchants.callers import Caller
from payments.confirming import confirm_payment, refuse_live_key
from payments.models import Payment
from payments.services import cancel_payment
from sandbox.time_travel import expire_payment_now


class PlayedOutcome(StrEnum):
    """The outcomes that a test payment can be brought to."""

    PAID = "paid"
    PAID_SLOWLY = "paid_slowly"
    PAID_REFUNDS_FAIL = "paid_refunds_fail"
    INSUFFICIENT_BALANCE = "insufficient_balance"
    DECLINED = "declined"
    CANCELED = "canceled"
    EXPIRED = "expired"


O = PlayedOutcome  # noqa: E741  # short beside the phones
_BEHAVIOURS = {
    O.PAID: Behaviour.NORMAL,
    O.PAID_SLOWLY: Behaviour.SLOW,
    O.PAID_REFUNDS_FAIL: Behaviour.REFUNDS_FAIL,
    O.INSUFFICIENT_BALANCE: Behaviour.INSUFFICIENT_BALANCE,
    O.DECLINED: Behaviour.DECLINED,
}


def simulate_payment(
    *,
    caller: Caller,
    payment_id: str,
    outcome: PlayedOutcome,
    amount: int | None,
    now: datetime,
) -> Payment:
    """Bring a test payment, or a new one at a counter, to an outcome.

    Serves `POST /v1/payments/:id/simulate`. Raises DevelopmentOnly for a live key, PaymentNotFound,
    InvalidAmount, the error of its current status, and ValidationFailed for expiring a counter.
    """
    refuse_live_key(caller)
    if outcome == O.EXPIRED:
        expire_payment_now(caller=caller, object_id=payment_id, now=now)
        return Payment.objects.one_of(caller, payment_id)
    if outcome == O.CANCELED:
        return cancel_payment(caller=caller, payment_id=payment_id, now=now)
    phone = phone_with(_BEHAVIOURS[outcome])
    return confirm_payment(
        caller=caller, payment_id=payment_id, phone=phone, amount=amount, now=now
    )
