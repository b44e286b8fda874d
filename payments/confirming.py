"""Confirm test payments: pay through the API, as a test customer would at the checkout."""

from datetime import datetime

from django.db import transaction

from core.errors import InvalidAmount
from core.ids import new_id
from customers.errors import InvalidPin, PinLocked
from customers.magic_phones import Behaviour, behaviour_of
from customers.models import Customer
from customers.services import fill_test_wallet, test_customer
from ledger.errors import InsufficientBalance
from merchants.callers import Caller
from payments.counters import pay_at_counter
from payments.errors import DevelopmentOnly
from payments.failures import TOO_LITTLE_MONEY
from payments.models import Payment
from payments.paying import decline, lock_payable, pay_as_read, refuse_unless_payable, settle


@transaction.atomic(savepoint=False)
def confirm_payment(
    *, caller: Caller, payment_id: str, phone: str | None, amount: int | None, now: datetime
) -> Payment:
    """Complete a test payment for a test customer (`POST /v1/payments/:id/confirm`).

    At a counter, pays `amount` and returns the new payment. The magic phones behave as
    documented: the returned payment may be `failed`, and the caller must report its error.
    Raises DevelopmentOnly for a live key, PaymentNotFound, InvalidAmount, InvalidPin, PinLocked,
    or the error of the payment's current status.
    """
    refuse_live_key(caller)
    # Payment first: filling the test wallet locks ledger accounts, which come after payments.
    payment = _lock(caller, payment_id, amount, now)
    customer = test_customer(
        phone,
        now,
        payment.currency,
        merchant_id=payment.merchant_id,
        least=payment.sale_amount,
    )
    _refuse_wrong_pins(customer)
    customer.refuse_frozen()
    if behaviour_of(customer) == Behaviour.INSUFFICIENT_BALANCE:
        return decline(payment, TOO_LITTLE_MONEY, caller.actor, now)
    try:
        return pay_as_read(payment, customer=customer, actor=caller.actor, now=now)
    except InsufficientBalance:
        # Tests at the same time have spent it since. All but the money is done by now.
        fill_test_wallet(customer, payment.currency, least=payment.sale_amount, now=now)
        settle(payment, actor=caller.actor, now=now)
        return payment


def refuse_live_key(caller: Caller) -> None:
    """Raise DevelopmentOnly for a live key."""
    if caller.livemode:
        raise DevelopmentOnly("Authorization: this operation needs a test key")


def _refuse_wrong_pins(customer: Customer) -> None:
    behaviour = behaviour_of(customer)
    if behaviour == Behaviour.WRONG_PIN:
        raise InvalidPin
    if behaviour == Behaviour.PIN_LOCKED:
        raise PinLocked


def _lock(caller: Caller, payment_id: str, amount: int | None, now: datetime) -> Payment:
    """Lock the payment. For a counter, lock the new payment made there, never the counter."""
    if alone := Payment.objects.locked_alone(payment_id, caller):
        _refuse_other_amount(alone, amount)
        refuse_unless_payable(alone, now)
        return alone
    payment = Payment.objects.one_of(caller, payment_id)
    if payment.is_counter:
        payment = pay_at_counter(
            counter_id=payment_id, payment_id=new_id("pay", now), amount=amount, now=now
        )
    else:
        _refuse_other_amount(payment, amount)
    return lock_payable(payment.id, now)


def _refuse_other_amount(payment: Payment, amount: int | None) -> None:
    if amount not in (None, payment.amount):
        raise InvalidAmount(amount="must equal the amount of the payment, or be left out")
