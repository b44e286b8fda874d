"""Every status with every action, as one table: what happens, or which error says why not."""

from collections.abc import Callable
from datetime import timedelta
from unittest.mock import Mock

import pytest
from django.db import transaction

from core.clock import utc_now
from core.errors import ApiError
from links.errors import PaymentLinkExpired
from merchants.callers import Caller
from payments.confirming import confirm_payment
from payments.customer_steps import (
    ask_for_proof,
    cancel_by_customer,
    return_to_review,
    start_payment,
)
from payments.expiry import expire_payment
from payments.failures import PIN_LOCKED
from payments.models import Payment, PaymentTransition
from payments.paying import fail_payment, pay, settle_due_payment
from payments.services import cancel_payment
from payments.statuses import CANCELABLE, EXPIRABLE, FINAL, PAYABLE, TRANSITIONS, PaymentStatus
from payments.verification import Verification
from tests.payments.journeys import ACTOR, bring_to, pay_with, payer
from webhooks.models import Event

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.each_on_postgres("each action has statements and locks of its own"),
]
S = PaymentStatus
Action = Callable[[Payment], object]


def caller_of(payment: Payment) -> Caller:
    return Caller(payment.merchant, livemode=False, actor="key:test")


def _fail(payment: Payment) -> Payment:
    return fail_payment(payment_id=payment.id, failure=PIN_LOCKED, actor=ACTOR, now=utc_now())


def _confirm(payment: Payment) -> Payment:
    return confirm_payment(
        caller=caller_of(payment), payment_id=payment.id, phone=None, amount=None, now=utc_now()
    )


def _pay(payment: Payment) -> Payment:
    return pay(
        payment_id=payment.id,
        customer=payer(payment.merchant),
        verified=Verification.PASSKEY,
        actor=ACTOR,
        now=utc_now(),
    )


ACTIONS: dict[str, Action] = {
    "cancel": lambda p: cancel_payment(caller=caller_of(p), payment_id=p.id, now=utc_now()),
    "confirm": _confirm,
    "start": lambda p: start_payment(payment_id=p.id, actor=ACTOR, now=utc_now()),
    "ask for proof": lambda p: ask_for_proof(payment_id=p.id, actor=ACTOR, now=utc_now()),
    "return to review": lambda p: return_to_review(payment_id=p.id, actor=ACTOR, now=utc_now()),
    "cancel by customer": lambda p: cancel_by_customer(payment_id=p.id, actor=ACTOR, now=utc_now()),
    "pay at the page": lambda p: pay_with(p.id, payer(p.merchant)),
    "pay by itself": _pay,
    "fail": _fail,
    "settle": lambda p: settle_due_payment(payment_id=p.id, now=utc_now()),
    "expire": lambda p: expire_payment(payment_id=p.id, now=utc_now() + timedelta(hours=25)),
}

BUSY, DONE, GONE, OVER, LOST = (
    "PAYMENT_IN_PROGRESS",
    "PAYMENT_ALREADY_COMPLETED",
    "PAYMENT_CANCELED",
    "PAYMENT_EXPIRED",
    "PAYMENT_FAILED",
)
UNPAID = "PAYMENT_NOT_COMPLETED"
ENDED = {S.COMPLETED: DONE, S.FAILED: LOST, S.EXPIRED: OVER, S.CANCELED: GONE}
NOT_DUE = "PAYMENT_NOT_FOUND"
PAYS: dict[PaymentStatus, PaymentStatus | str] = {
    S.CREATED: S.COMPLETED,
    S.PENDING: S.COMPLETED,
    S.REQUIRES_ACTION: S.COMPLETED,
    S.PROCESSING: BUSY,
}

TABLE: dict[str, dict[PaymentStatus, PaymentStatus | str]] = {
    "cancel": {
        S.CREATED: S.CANCELED,
        S.PENDING: S.CANCELED,
        S.REQUIRES_ACTION: BUSY,
        S.PROCESSING: BUSY,
    },
    "confirm": PAYS,
    "start": {
        S.CREATED: S.PENDING,
        S.PENDING: S.PENDING,
        S.REQUIRES_ACTION: S.REQUIRES_ACTION,
        S.PROCESSING: BUSY,
    },
    "ask for proof": {
        S.CREATED: S.REQUIRES_ACTION,
        S.PENDING: S.REQUIRES_ACTION,
        S.REQUIRES_ACTION: S.REQUIRES_ACTION,
        S.PROCESSING: BUSY,
    },
    "return to review": {
        S.CREATED: UNPAID,
        S.PENDING: S.PENDING,
        S.REQUIRES_ACTION: S.PENDING,
        S.PROCESSING: BUSY,
    },
    "cancel by customer": {
        S.CREATED: S.CANCELED,
        S.PENDING: S.CANCELED,
        S.REQUIRES_ACTION: S.CANCELED,
        S.PROCESSING: BUSY,
    },
    "pay at the page": PAYS,
    "pay by itself": PAYS,
    "fail": {
        S.CREATED: UNPAID,
        S.PENDING: BUSY,
        S.REQUIRES_ACTION: S.FAILED,
        S.PROCESSING: S.FAILED,
    },
    "settle": {
        S.CREATED: UNPAID,
        S.PENDING: BUSY,
        S.REQUIRES_ACTION: BUSY,
        S.PROCESSING: S.COMPLETED,
    },
    "expire": {
        S.CREATED: S.EXPIRED,
        S.PENDING: S.EXPIRED,
        S.REQUIRES_ACTION: S.EXPIRED,
        S.PROCESSING: NOT_DUE,
        S.COMPLETED: NOT_DUE,
        S.FAILED: NOT_DUE,
        S.EXPIRED: NOT_DUE,
        S.CANCELED: NOT_DUE,
    },
}


@pytest.mark.parametrize("status", list(S))
@pytest.mark.parametrize("name", list(ACTIONS))
def test_each_action_in_each_status(payment: Payment, name: str, status: PaymentStatus) -> None:
    bring_to(payment, status)
    moves, events = PaymentTransition.objects.count(), Event.objects.count()
    expected = TABLE[name].get(status) or ENDED[status]

    if isinstance(expected, PaymentStatus):
        ACTIONS[name](payment)
        payment.refresh_from_db()
        assert payment.status == expected
        last = PaymentTransition.objects.order_by("id").last()
        assert last is None or last.to_status == expected
    else:
        with pytest.raises(ApiError) as refusal, transaction.atomic():
            ACTIONS[name](payment)
        assert refusal.value.code == expected
        payment.refresh_from_db()
        assert payment.status == status
        assert (PaymentTransition.objects.count(), Event.objects.count()) == (moves, events)


@pytest.mark.parametrize("status", sorted(EXPIRABLE))
@pytest.mark.parametrize("name", sorted(set(ACTIONS) - {"expire", "settle", "fail"}))
def test_nothing_but_expiry_happens_after_the_time(
    payment: Payment, name: str, status: PaymentStatus
) -> None:
    bring_to(payment, status)
    Payment.objects.filter(pk=payment.pk).update(expires_at=utc_now())

    with pytest.raises(ApiError) as refusal, transaction.atomic():
        ACTIONS[name](payment)

    assert refusal.value.code == OVER
    payment.refresh_from_db()
    assert payment.status == status


def test_a_payment_that_has_moved_says_when(payment: Payment) -> None:
    later = utc_now() + timedelta(minutes=1)

    start_payment(payment_id=payment.id, actor=ACTOR, now=later)

    payment.refresh_from_db()
    assert (payment.status, payment.updated_at) == (S.PENDING, later)


def test_the_sets_follow_from_the_table() -> None:
    assert frozenset({S.CREATED, S.PENDING}) == CANCELABLE
    assert frozenset({S.CREATED, S.PENDING, S.REQUIRES_ACTION}) == EXPIRABLE == PAYABLE
    assert frozenset({S.COMPLETED, S.FAILED, S.EXPIRED, S.CANCELED}) == FINAL
    assert set(TRANSITIONS) == set(S)


def test_who_paid_is_asked_of_no_unpaid_one(payment: Payment) -> None:
    with pytest.raises(ApiError) as refusal:
        _ = payment.paying_customer

    assert refusal.value.code == UNPAID


def test_what_is_not_in_processing_does_not_fail_for_its_link(
    payment: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    bring_to(payment, S.REQUIRES_ACTION)
    monkeypatch.setattr("payments.paying._lock_with_origin", Mock(side_effect=PaymentLinkExpired))

    with pytest.raises(ApiError) as refusal:
        ACTIONS["settle"](payment)

    assert refusal.value.code == BUSY
    payment.refresh_from_db()
    assert payment.status == "requires_action"
