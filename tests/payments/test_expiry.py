"""Expiry by the sweep and by reading; what is due is expired once."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction

from core.clock import utc_now
from merchants.models import Merchant
from payments import expiry, paying, reporting, tasks
from payments.errors import PaymentNotFound
from payments.expiry import BATCH, expire_due, expire_early, expire_payment, settle_due
from payments.models import Payment, PaymentTransition
from payments.modes import PaymentMode
from payments.reconciliation import check_payments
from payments.tasks import expire_payments
from tests.client import Api
from tests.factories import PaymentFactory
from tests.refunds.refunding import sell
from webhooks.models import Event
from webhooks.outbox import emit

pytestmark = pytest.mark.django_db
DAY = timedelta(hours=24)


def test_the_sweep_expires_what_is_due_once(merchant: Merchant, payment: Payment) -> None:
    assert payment.expires_at is not None
    just_before = payment.expires_at - timedelta(milliseconds=1)
    assert expire_due(now=just_before) == 0

    assert expire_due(now=payment.expires_at) == 1
    assert expire_due(now=payment.expires_at) == 0

    payment.refresh_from_db()
    assert (payment.status, payment.expired_at) == ("expired", payment.expires_at)
    move = PaymentTransition.objects.get()
    assert (move.from_status, move.to_status, move.actor) == (
        "created",
        "expired",
        "system:payments.expire",
    )
    event = json.loads(bytes(Event.objects.get().body))
    assert event["type"] == "payment.expired"
    assert event["data"] == {"payment_id": payment.id}


def test_a_turn_goes_on_while_batches_are_full(monkeypatch: pytest.MonkeyPatch) -> None:
    batches = iter([BATCH, BATCH, 3, BATCH])
    monkeypatch.setattr(tasks, "expire_due", lambda *, now: next(batches))

    assert expire_payments() == 2 * BATCH + 3
    monkeypatch.setattr(tasks, "TURN_SECONDS", -1)
    assert expire_payments() == 0


def test_a_counter_does_not_expire(merchant: Merchant) -> None:
    PaymentFactory(merchant=merchant, payment_mode=PaymentMode.STATIC_PAY, expires_at=None)

    assert expire_due(now=utc_now() + 1_000 * DAY) == 0


def test_the_sweep_goes_on_in_batches(merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("payments.expiry.BATCH", 2)
    for _ in range(3):
        PaymentFactory(merchant=merchant)

    later = utc_now() + 2 * DAY
    assert [expire_due(now=later) for _ in range(3)] == [2, 1, 0]


@pytest.fixture
def two_due(merchant: Merchant) -> list[str]:
    """Two payments that are overdue, the one that the sweep comes to first in front."""
    return [
        PaymentFactory(merchant=merchant, expires_at=utc_now() - wait).pk
        for wait in (2 * DAY, 1 * DAY)
    ]


def test_one_that_cannot_be_expired_holds_up_no_other(
    two_due: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def expire(*, payment_id: str, now: datetime) -> Payment:
        if payment_id == two_due[0]:
            with transaction.atomic():
                Payment.objects.filter(pk=payment_id).update(amount=0)  # the database refuses
        return expire_payment(payment_id=payment_id, now=now)

    monkeypatch.setattr(expiry, "expire_payment", expire)
    assert expire_payments() == 1

    assert [Payment.objects.get(pk=pk).status for pk in two_due] == ["created", "expired"]
    assert json.loads(bytes(Event.objects.get().body))["data"] == {"payment_id": two_due[1]}


def test_one_that_cannot_be_settled_holds_up_no_other(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = [sell(merchant, 1_250, phone="+12425550104").pk for _ in range(2)]
    as_ever = paying.settle

    def settle(payment: Payment, *, actor: str, now: datetime) -> None:
        as_ever(payment, actor=actor, now=now)
        if payment.pk == slow[0]:
            raise ValueError("too late to be undone but with its transaction")

    monkeypatch.setattr(paying, "settle", settle)
    assert settle_due(now=utc_now() + timedelta(seconds=31)) == 1

    left, settled = (Payment.objects.get(pk=pk) for pk in slow)
    assert (left.status, settled.status) == ("processing", "completed")
    assert (left.settles_at is None, settled.settles_at) == (False, None)
    assert list(check_payments()) == []


def test_an_expiry_that_fails_at_its_end_is_undone(
    payment: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    Payment.objects.update(expires_at=utc_now())

    def emit_and_fail(*arguments: Any, **options: Any) -> None:
        emit(*arguments, **options)
        raise ValueError("too late to be undone but with its transaction")

    monkeypatch.setattr(reporting, "emit", emit_and_fail)
    with pytest.raises(ValueError, match="too late"):
        expire_payment(payment_id=payment.id, now=utc_now())

    payment.refresh_from_db()
    assert (payment.status, Event.objects.count()) == ("created", 0)


def test_ahead_of_time_only_a_test_that_can_still_be_paid_expires(merchant: Merchant) -> None:
    now = utc_now()
    chosen, other = PaymentFactory(merchant=merchant), PaymentFactory(merchant=merchant)
    overdue = PaymentFactory(merchant=merchant, expires_at=now - DAY)
    kept: list[Payment] = [
        PaymentFactory(merchant=merchant, livemode=True),
        sell(merchant, 1_250),
        PaymentFactory(merchant=merchant, payment_mode=PaymentMode.STATIC_PAY, expires_at=None),
    ]
    before = list(Payment.objects.exclude(pk__in=[chosen.pk, overdue.pk]).values())

    assert expire_early(payment_id=chosen.pk, now=now).expires_at == now
    assert expire_early(payment_id=overdue.pk, now=now).expires_at == overdue.expires_at
    for payment in kept:
        with pytest.raises(PaymentNotFound):
            expire_early(payment_id=payment.pk, now=now)

    assert list(Payment.objects.exclude(pk__in=[chosen.pk, overdue.pk]).values()) == before
    assert other.pk in {row["id"] for row in before}
    expired = Payment.objects.filter(status="expired", expired_at=now)
    assert {payment.pk for payment in expired} == {chosen.pk, overdue.pk}


def test_the_task_may_run_twice(payment: Payment) -> None:
    Payment.objects.update(expires_at=utc_now())

    assert [expire_payments(), expire_payments()] == [1, 0]


@pytest.mark.parametrize("act", ["confirm", "cancel"])
def test_an_overdue_payment_is_expired_before_the_sweep(
    api: Api, merchant: Merchant, payment: Payment, act: str
) -> None:
    Payment.objects.update(expires_at=utc_now())

    response = api(merchant).post(f"/v1/payments/{payment.id}/{act}")

    assert (response.status_code, response.json()["code"]) == (422, "PAYMENT_EXPIRED")
    assert api(merchant).get(f"/v1/payments/{payment.id}").json()["status"] == "expired"
    assert Event.objects.count() == 0
