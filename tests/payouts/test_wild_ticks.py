"""A clock that leaps for a moment: nothing is paid out, expired or deleted by it."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.utils.module_loading import import_string

from core.clock import ClockRefused, utc_now
from core.models import IdempotencyKey
from links.models import PaymentLink
from links.tasks import expire_links
from merchants.models import Merchant
from payments.models import Payment
from payments.statuses import PaymentStatus
from payments.tasks import expire_payments
from payouts.batches import payouts_due
from payouts.models import BankAccount, Payout, PayoutQuerySet, SettledPeriod
from payouts.scheduling import bring_forward, schedule_due
from payouts.tasks import schedule_payouts
from tests.client import Api
from tests.links.conftest import new_link
from tests.payouts.merchant_balance import credit
from tests.wild_ticks import BY_CLOCK, WILD, off_by

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("difference", WILD)
def test_a_wild_tick_harms_nothing(
    api: Api, merchant: Merchant, payment: Payment, bank_account: BankAccount, difference: timedelta
) -> None:
    Merchant.objects.update(created_at=utc_now() - timedelta(days=500), payout_schedule="daily")
    client = api(merchant)
    link = new_link(api, merchant, expires_at="2026-03-19T00:00:00Z")
    client.post("/v1/payments", {"amount": 1}, idempotency_key="kept")
    credit(merchant, 1250, livemode=True)
    assert schedule_payouts() == 1
    credit(merchant, 800, livemode=True)
    before = list(SettledPeriod.objects.values())

    with off_by(difference):
        for task in BY_CLOCK:
            with pytest.raises(ClockRefused, match="The time has leapt"):
                import_string(task)()

    assert list(SettledPeriod.objects.values()) == before
    assert Payout.objects.count() == 1
    assert IdempotencyKey.objects.count() == 1
    assert PaymentLink.objects.get(pk=link.pk).status == "active"
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED
    assert (expire_payments(), expire_links(), schedule_payouts()) == (0, 0, 0)
    assert schedule_due(now=utc_now() + timedelta(days=1)) == 1


def test_a_period_settled_ahead_of_its_time_stops_no_payout(
    merchant: Merchant, bank_account: BankAccount
) -> None:
    Merchant.objects.update(created_at=utc_now() - timedelta(days=500), payout_schedule="daily")
    credit(merchant, 1250, livemode=True)
    SettledPeriod.objects.create(
        merchant=merchant, livemode=True, currency="BSD", first_day=date(2027, 4, 22)
    )

    assert [schedule_payouts(), schedule_payouts()] == [1, 0]

    assert SettledPeriod.objects.get().first_day == date(2026, 3, 18)


def test_a_payout_put_off_by_a_wrong_clock_leaves_with_the_next_run(
    merchant: Merchant, bank_account: BankAccount
) -> None:
    Merchant.objects.update(created_at=utc_now() - timedelta(days=500), payout_schedule="daily")
    credit(merchant, 1250, livemode=True)
    schedule_due(now=utc_now() + timedelta(days=666))
    assert Payout.objects.get().send_date == date(2028, 1, 13)
    today = date(2026, 3, 18)
    due = payouts_due(livemode=True, currency="BSD", execution_date=today)
    assert not due.exists()

    schedule_payouts()

    payout = due.get()
    assert (payout.send_date, payout.arrival_date) == (today, date(2026, 3, 19))
    assert (payout.status, payout.batch) == ("scheduled", None)


def test_a_payout_of_today_keeps_its_day(merchant: Merchant, bank_account: BankAccount) -> None:
    Merchant.objects.update(created_at=utc_now() - timedelta(days=500), payout_schedule="daily")
    credit(merchant, 1250, livemode=True)
    schedule_payouts()
    before = Payout.objects.values().get()

    assert schedule_payouts() == 0

    assert Payout.objects.values().get() == before


def test_a_payout_that_another_turn_has_brought_forward_keeps_its_day(
    merchant: Merchant, bank_account: BankAccount, monkeypatch: pytest.MonkeyPatch
) -> None:
    Merchant.objects.update(created_at=utc_now() - timedelta(days=500), payout_schedule="daily")
    credit(merchant, 1250, livemode=True)
    schedule_due(now=utc_now() + timedelta(days=666))
    lock, tomorrow = PayoutQuerySet.select_for_update, date(2026, 3, 19)

    def lock_after(rows: PayoutQuerySet, **how: Any) -> PayoutQuerySet:
        Payout.objects.update(send_date=tomorrow)
        return lock(rows, **how)

    monkeypatch.setattr(PayoutQuerySet, "select_for_update", lock_after)

    assert bring_forward(now=utc_now()) == 0

    assert Payout.objects.get().send_date == tomorrow


def test_each_is_brought_forward_once_and_only_while_it_is_scheduled(
    merchant: Merchant, bank_account: BankAccount
) -> None:
    Merchant.objects.update(created_at=utc_now() - timedelta(days=500), payout_schedule="daily")
    credit(merchant, 1250, livemode=True)
    schedule_due(now=utc_now() + timedelta(days=666))
    payout = Payout.objects.filter(status="scheduled")
    payout.update(status="canceled", canceled_at=utc_now())
    assert bring_forward(now=utc_now()) == 0

    Payout.objects.update(status="scheduled", canceled_at=None)

    assert [bring_forward(now=utc_now()) for _ in range(2)] == [1, 0]
    assert Payout.objects.get().updated_at < utc_now() + timedelta(days=1)
