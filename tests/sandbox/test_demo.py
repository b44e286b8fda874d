"""manage.py demo"""

import io
import json
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command

from backoffice.models import DayFigures
from core.clock import utc_now
from ledger.integrity import verify
from ledger.sealing import seal_transfers
from merchants.models import Merchant
from payments.expiry import expire_due
from payments.models import Payment
from payments.modes import PaymentMode
from payments.statuses import PaymentStatus
from payouts.models import Payout
from payouts.statuses import PayoutStatus
from refunds.models import Refund
from sandbox.shop_month import fill_month
from webhooks.delivery.signing import hint_of
from webhooks.models import Delivery, Event, Webhook

pytestmark = pytest.mark.django_db


def run(*words: str) -> dict[str, object]:
    out = io.StringIO()
    call_command("demo", "--json", *words, stdout=out)
    record: dict[str, object] = json.loads(out.getvalue())
    return record


@pytest.mark.usefixtures("development")
def test_it_makes_a_payment_of_each_mode_once() -> None:
    record = run()

    assert record["created"] is True
    assert set(Payment.objects.values_list("payment_mode", flat=True)) == set(PaymentMode.values)
    assert run() == {"created": False}
    assert Payment.objects.count() == len(PaymentMode)


def test_it_refuses_production() -> None:
    with pytest.raises(CommandError):
        run()
    assert Payment.objects.count() == 0


@pytest.mark.usefixtures("development")
def test_its_webhook_is_switched_off() -> None:
    """An endpoint where nothing answers would fail from the first payment on."""
    record = run()

    webhook = Webhook.objects.get()
    secret = str(record["webhook_secret"])
    assert (webhook.id, webhook.secret_hint) == (record["webhook_id"], hint_of(secret))
    assert (webhook.livemode, webhook.is_active, webhook.events) == (False, False, ["*"])
    assert Delivery.objects.count() == 0


@pytest.mark.usefixtures("development")
def test_it_fills_a_month_that_the_ledger_proves() -> None:
    record = run("--size", "60")

    payments = Payment.objects.filter(merchant=str(record["merchant_id"]))
    assert (record["sales"], payments.count()) == (60, 60)
    assert len(set(payments.values_list("status", flat=True))) > 1
    assert Refund.objects.exists()
    assert Payout.objects.exists()
    assert DayFigures.objects.count() > 5  # the chart of the dashboard
    seal_transfers(now=utc_now())
    assert list(verify(progress=lambda done, total: None)) == []
    assert run("--size", "60") == {"created": False}


@pytest.mark.usefixtures("development")
def test_what_happened_in_the_month_stands_in_the_order_of_time() -> None:
    record = run("--size", "40")

    shop = Merchant.objects.get(pk=str(record["merchant_id"]))
    happened = list(Event.objects.filter(merchant=shop).order_by("pk").values("created_at"))
    times = [shop.created_at, *(event["created_at"] for event in happened), utc_now()]
    assert times == sorted(times)


def test_a_service_that_runs_beside_it_may_expire_what_is_still_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """To the service a month of a moment ago is over: the demo broke off, and left half a shop."""
    monkeypatch.setattr("sandbox.shop_month.BATCH", 1)

    def sweep(_done: int, _total: int) -> None:
        expire_due(now=utc_now())

    assert fill_month(size=20, currency="BSD", progress=sweep, now=utc_now())
    assert set(Payment.objects.values_list("status", flat=True)) == {PaymentStatus.EXPIRED}
    assert Payment.objects.count() == 20


@pytest.mark.usefixtures("development")
def test_a_payout_of_the_months_earlier_weeks_has_left_and_arrived_then() -> None:
    run("--size", "20")

    now = utc_now()
    assert not Payout.objects.overdue(now).exists()
    earlier = Payout.objects.filter(created_at__lt=now - timedelta(days=7))
    assert set(earlier.values_list("status", flat=True)) == {PayoutStatus.PAID}
    for payout in earlier:
        assert payout.in_transit_at
        assert payout.paid_at
        assert payout.created_at < payout.in_transit_at < payout.paid_at
        assert payout.in_transit_at < payout.created_at + timedelta(days=5)
        assert payout.paid_at < payout.created_at + timedelta(days=10)


@pytest.mark.parametrize("size", ["0", "-1", "many", "20001"])
def test_it_refuses_a_size_that_is_none(size: str) -> None:
    with pytest.raises(CommandError, match="must be 1 to 20000"):
        run("--size", size)
