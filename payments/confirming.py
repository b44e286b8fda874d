"""Development confirm: pay a test payment without a page, as its test customer would."""

from datetime import datetime

from django.db import transaction

from core.errors import InvalidAmount
from core.ids import new_id
from customers.errors import InvalidPin, PinLocked
from customers.magic_phones import Behaviour, behaviour_of
from customers.models import Customer
from customers.services import test_customer
from merchants.callers import Caller
from payments.counters import pay_at_counter
from payments.errors import DevelopmentOnly
from payments.failures import TOO_LITTLE_MONEY
from payments.models import Payment
from payments.paying import fail, lock_payable, pay_locked
from payments.statuses import PaymentStatus
from payments.verification import Verification


@transaction.atomic
def confirm_payment(
    *, caller: Caller, payment_id: str, phone: str | None, amount: int | None, now: datetime
) -> Payment:
    """Complete a test payment for a test customer (SPEC: POST /v1/payments/:id/confirm).

    At a counter, pays `amount` there and returns the new payment. The magic phones act as
    documented: the returned payment may be `failed`, whose error the caller is to report.
    Raises DevelopmentOnly for a live key, PaymentNotFound, InvalidAmount, InvalidPin, PinLocked,
    or the error of its present status.
    """
    if caller.livemode:
        raise DevelopmentOnly
    payment = Payment.objects.visible_to(caller).one(payment_id)
    if payment.is_counter:
        payment = pay_at_counter(
            counter_id=payment_id, payment_id=new_id("pay", now), amount=amount, now=now
        )
    elif amount is not None and amount != payment.amount:
        raise InvalidAmount(amount="must equal the amount of the payment, or be left out")
    # The customer's wallet may have to be filled: accounts are locked after payments.
    payment = lock_payable(payment.id, now)
    customer = test_customer(phone, now, payment.currency)
    _refuse_wrong_pins(customer)
    if behaviour_of(customer) == Behaviour.INSUFFICIENT_BALANCE:
        return _fail_for_lack_of_money(payment, caller.actor, now)
    return pay_locked(
        payment,
        customer=customer,
        verified=Verification.PASSKEY,
        actor=caller.actor,
        now=now,
    )


def _refuse_wrong_pins(customer: Customer) -> None:
    behaviour = behaviour_of(customer)
    if behaviour == Behaviour.WRONG_PIN:
        raise InvalidPin
    if behaviour == Behaviour.PIN_LOCKED:
        raise PinLocked


def _fail_for_lack_of_money(payment: Payment, actor: str, now: datetime) -> Payment:
    payment.transition_to(PaymentStatus.PROCESSING, now=now, actor=actor)
    return fail(payment, TOO_LITTLE_MONEY, actor, now)
