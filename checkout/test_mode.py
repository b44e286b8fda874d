"""The test tools on pages of test payments: magic phones, and outcomes to simulate."""

from datetime import datetime
from enum import StrEnum

from django.utils.translation import gettext as _

from customers.magic_phones import MAGIC_PHONES, SLOW_SETTLEMENT, Behaviour, phone_with
from customers.services import test_customer
from merchants.errors import MerchantInactive
from merchants.statuses import MerchantStatus
from payments.customer_steps import ask_for_proof
from payments.errors import DevelopmentOnly
from payments.expiry import expire_early
from payments.failures import DECLINED, PIN_LOCKED, Failure
from payments.models import Payment
from payments.paying import fail_payment, pay
from payments.verification import Verification


class SimulatedOutcome(StrEnum):
    """An outcome that can be simulated."""

    APPROVE = "approve"
    WRONG_PIN = "wrong_pin"
    NO_FUNDS = "no_funds"
    DECLINE = "decline"
    EXPIRE = "expire"


_BEHAVIOURS = {
    SimulatedOutcome.APPROVE: Behaviour.NORMAL,
    SimulatedOutcome.WRONG_PIN: Behaviour.WRONG_PIN,
    SimulatedOutcome.NO_FUNDS: Behaviour.INSUFFICIENT_BALANCE,
    SimulatedOutcome.DECLINE: Behaviour.DECLINED,
}


_FAILURES = {
    SimulatedOutcome.WRONG_PIN: PIN_LOCKED,
    SimulatedOutcome.DECLINE: DECLINED,
}


def magic_phones() -> list[tuple[str, str]]:
    words = {
        Behaviour.NORMAL: _("works"),
        Behaviour.INSUFFICIENT_BALANCE: _("does not have enough money"),
        Behaviour.WRONG_PIN: _("every PIN is wrong"),
        Behaviour.DECLINED: _("is declined"),
        Behaviour.SLOW: _("stays “Paying…” for %(seconds)s seconds")
        % {"seconds": SLOW_SETTLEMENT.seconds},
        Behaviour.REFUNDS_FAIL: _("works, but its refunds fail"),
        Behaviour.PIN_LOCKED: _("its PIN is locked"),
        Behaviour.COUNTED: _("has to prove more after several payments"),
        Behaviour.EMPTY_WALLET: _("does not have enough money until you add some"),
    }
    return [(phone, words[behaviour]) for phone, behaviour in MAGIC_PHONES.items()]


def outcomes() -> list[tuple[str, str]]:
    """Return the outcomes that can be simulated, with their button labels."""
    return [
        (SimulatedOutcome.APPROVE, _("Approve")),
        (SimulatedOutcome.WRONG_PIN, _("Wrong PIN")),
        (SimulatedOutcome.NO_FUNDS, _("Not enough money")),
        (SimulatedOutcome.DECLINE, _("Decline")),
        (SimulatedOutcome.EXPIRE, _("Expire")),
    ]


def simulate(*, payment: Payment, outcome: SimulatedOutcome, now: datetime) -> None:
    """Bring a test payment to an outcome as if a test customer had done so.

    Raises DevelopmentOnly for a live payment, MerchantInactive for one of a suspended merchant,
    InsufficientBalance, and the errors of its status.
    """
    if payment.livemode:
        raise DevelopmentOnly
    if payment.merchant.status == MerchantStatus.SUSPENDED:
        raise MerchantInactive
    if outcome == SimulatedOutcome.EXPIRE:
        expire_early(payment_id=payment.id, now=now)
        return
    customer = test_customer(
        phone_with(_BEHAVIOURS[outcome]),
        now,
        payment.currency,
        merchant_id=payment.merchant_id,
        least=payment.sale_amount,
    )
    actor = f"customer:{customer.id}"
    if outcome in _FAILURES:
        _fail(payment.id, _FAILURES[outcome], actor, now)
    else:
        pay(
            payment_id=payment.id,
            customer=customer,
            verified=Verification.PASSKEY,
            actor=actor,
            now=now,
        )


def _fail(payment_id: str, failure: Failure, actor: str, now: datetime) -> None:
    ask_for_proof(payment_id=payment_id, actor=actor, now=now)
    fail_payment(payment_id=payment_id, failure=failure, actor=actor, now=now)
