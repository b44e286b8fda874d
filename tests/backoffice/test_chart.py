"""The chart of the dashboard: what each of its days says."""

from datetime import date, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.utils import timezone

from backoffice.figures import PeriodTotals, count_finished_days, days_before
from backoffice.models import DayFigures
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db


def test_a_day_of_the_chart_says_how_its_unpaid_payments_ended(
    office: Office, merchant: Merchant
) -> None:
    yesterday = utc_now() - timedelta(days=1)
    paid = paid_payment(merchant)
    Payment.objects.filter(pk=paid.pk).update(completed_at=yesterday)
    for status in ("failed", "expired", "expired"):
        unpaid = Payment.objects.filter(pk=PaymentFactory(merchant=merchant).pk)
        unpaid.update(status=status, **{f"{status}_at": yesterday})
    count_finished_days(now=utc_now())

    *_, before, today = office(Role.VIEWER).get("/admin/?mode=test").context["bars"]

    assert before.words.endswith(" in 1 payment; not paid: 1 failed, 2 expired")
    assert today.words.endswith(": B$0.00 BSD in 0 payments")


def test_the_finished_days_of_the_chart_are_of_one_mode_and_currency() -> None:
    today, day = date(2026, 3, 18), timedelta(days=1)
    shown: dict[str, Any] = {"livemode": False, "currency": "BSD"}
    for amount, other in (
        (1_250, shown),
        (8_000, shown | {"livemode": True}),
        (9_000, shown | {"currency": "JPY"}),
    ):
        DayFigures.objects.create(day=today - day, completed_amount=amount, **other)
    for days in (0, 29, 30):
        DayFigures.objects.create(day=today - days * day, expired_count=days, **shown)

    found = days_before(today, livemode=False)["BSD"]

    none = {"completed": 0, "failed": 0, "expired": 0, "canceled": 0}
    assert found == {
        today - 29 * day: PeriodTotals(none | {"expired": 29}, 0),
        today - day: PeriodTotals(none, 1_250),
    }


def test_the_figures_of_each_currency_are_a_press_away(office: Office) -> None:
    """Those of yen were only there for who wrote the currency into the URL."""
    browser, yesterday = office(Role.VIEWER), timezone.localdate() - timedelta(days=1)
    link = 'href="?mode=test&amp;currency=JPY">JPY</a>'
    assert link not in browser.get("/admin/?mode=test").content.decode()
    cache.clear()
    DayFigures.objects.create(
        day=yesterday, livemode=False, currency="JPY", completed_count=1, completed_amount=9_000
    )

    assert link in browser.get("/admin/?mode=test").content.decode()
    yen = browser.get("/admin/?mode=test&currency=JPY")

    assert yen.context["bars"][-2].words.endswith(": JP¥9,000 JPY in 1 payment")
    for mode in ("live", "test"):
        assert f'href="?mode={mode}&amp;currency=JPY">{mode.title()}</a>' in yen.content.decode()


def test_a_currency_without_figures_is_named_as_the_one_that_is_shown(office: Office) -> None:
    shown = office(Role.VIEWER).get("/admin/?mode=test&currency=EUR").content.decode()

    assert 'bo-chip bo-here" href="?mode=test&amp;currency=EUR">EUR</a>' in shown
