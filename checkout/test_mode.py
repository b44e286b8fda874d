"""What the pages of a test payment offer: phones to sign in with, and endings to try out."""

from datetime import datetime
from enum import StrEnum

from django.utils.translation import gettext as _

from customers.magic_phones import MAGIC_PHONES, SLOW_SETTLEMENT, Behaviour
from customers.models import Customer
from customers.services import test_customer
from payments.errors import DevelopmentOnly
from payments.expiry import expire_payment
from payments.failures import PIN_LOCKED
from payments.models import Payment
from payments.paying import fail_payment, pay, require_action, take_up
from payments.verification import Verification


class Outcome(StrEnum):
    """What can be simulated."""

    APPROVE = "approve"
    WRONG_PIN = "wrong_pin"
    NO_FUNDS = "no_funds"
    DECLINE = "decline"
    EXPIRE = "expire"


_PHONE_FOR = {
    Outcome.APPROVE: Behaviour.NORMAL,
    Outcome.WRONG_PIN: Behaviour.WRONG_PIN,
    Outcome.NO_FUNDS: Behaviour.INSUFFICIENT_BALANCE,
    Outcome.DECLINE: Behaviour.DECLINED,
}


def magic_phones() -> list[tuple[str, str]]:
    """Return each phone that does something of its own, with what it does."""
    words = {
        Behaviour.NORMAL: _("works"),
        Behaviour.INSUFFICIENT_BALANCE: _("has too little money"),
        Behaviour.WRONG_PIN: _("every PIN is wrong"),
        Behaviour.DECLINED: _("is declined"),
        Behaviour.SLOW: _("stays “Paying…” for %(seconds)s seconds")
        % {"seconds": SLOW_SETTLEMENT.seconds},
        Behaviour.REFUNDS_FAIL: _("works, but its refunds fail"),
        Behaviour.PIN_LOCKED: _("its PIN is locked"),
    }
    return [(phone, words[behaviour]) for phone, behaviour in MAGIC_PHONES.items()]


def outcomes() -> list[tuple[str, str]]:
    """Return what can be simulated, with the words on its button."""
    return [
        (Outcome.APPROVE, _("Approve")),
        (Outcome.WRONG_PIN, _("Wrong PIN")),
        (Outcome.NO_FUNDS, _("Too little money")),
        (Outcome.DECLINE, _("Decline")),
        (Outcome.EXPIRE, _("Expire")),
    ]


def simulate(*, payment: Payment, outcome: Outcome, now: datetime) -> None:
    """End a test payment as if a test customer had done so.

    Raises DevelopmentOnly for a live payment, InsufficientBalance, the errors of its status.
    """
    if payment.livemode:
        raise DevelopmentOnly
    if outcome == Outcome.EXPIRE:
        _expire(payment, now)
        return
    customer = _customer_who(_PHONE_FOR[outcome], now)
    actor = f"customer:{customer.id}"
    take_up(payment_id=payment.id, actor=actor, now=now)
    if outcome == Outcome.WRONG_PIN:
        _fail(payment.id, actor, now)
    else:
        pay(
            payment_id=payment.id,
            customer=customer,
            verified=Verification.PASSKEY,
            actor=actor,
            now=now,
        )


def _customer_who(behaviour: Behaviour, now: datetime) -> Customer:
    phones = {found: phone for phone, found in MAGIC_PHONES.items()}
    return test_customer(phones[behaviour], now)


def _fail(payment_id: str, actor: str, now: datetime) -> None:
    require_action(payment_id=payment_id, actor=actor, now=now)
    fail_payment(
        payment_id=payment_id,
        failure=PIN_LOCKED,
        actor=actor,
        now=now,
    )


def _expire(payment: Payment, now: datetime) -> None:
    expire_payment(payment_id=payment.id, now=max(now, payment.expires_at or now))
