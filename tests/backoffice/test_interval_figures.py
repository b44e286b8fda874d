"""What the dashboard shows of today is counted once, ten minutes at a time, and the rest anew."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache

from backoffice import figures, interval_figures
from backoffice.figures import count_finished_days, totals_between, webhook_health
from backoffice.interval_figures import CountedIntervals, count_intervals
from backoffice.models import DayFigures, IntervalFigures
from backoffice.roles import Role
from backoffice.tasks import count_latest
from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Payment
from payments.verification import Verification
from tests.backoffice.conftest import Office
from tests.backoffice.rows import one_of_each, paid_payment
from tests.factories import PaymentFactory
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 18, 12, 7, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
KEPT = 4 * HOUR
TEST: dict[str, Any] = {"livemode": False, "currency": "BSD"}


@pytest.fixture(autouse=True)
def _counted_for_hours(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the intervals of hours, not of nine days: each is counted by a dozen statements."""
    monkeypatch.setattr(interval_figures, "KEPT", KEPT)


def paid_at(merchant: Merchant, instant: datetime, amount: int = 1_250) -> Payment:
    payment = paid_payment(merchant, amount)
    Payment.objects.filter(pk=payment.pk).update(completed_at=instant)
    return payment


def count_all(now: datetime) -> int:
    counted = 0
    while some := count_intervals(now=now):
        counted += some
    return counted


def test_counted_intervals_and_the_rest_add_up(merchant: Merchant) -> None:
    for minutes, amount in ((1, 100), (8, 200), (20, 400), (61, 800), (90, 30_000)):
        paid_at(merchant, NOON - minutes * MINUTE, amount)
    span: dict[str, Any] = TEST | {"start": NOON - HOUR - 5 * MINUTE, "end": NOON}
    before = totals_between(**span)

    count_all(NOON)

    assert totals_between(**span) == before
    assert (before.completed, before.amount) == (4, 1_500)
    assert [before.proofs[proof] for proof in Verification] == [2, 2, 0]
    assert totals_between(**TEST | {"start": NOON - 2 * HOUR, "end": NOON}).amount == 31_500


def test_what_was_counted_is_not_counted_again(merchant: Merchant) -> None:
    early, late = paid_at(merchant, NOON - HOUR), paid_at(merchant, NOON - MINUTE)
    count_all(NOON)

    Payment.objects.filter(pk__in=[early.pk, late.pk]).update(completed_at=NOON + HOUR)

    assert totals_between(**TEST, start=NOON - 2 * HOUR, end=NOON).completed == 1


def test_an_interval_is_counted_once_no_transaction_of_it_is_open(merchant: Merchant) -> None:
    paid_at(merchant, NOON - 8 * MINUTE)  # from 11:50 to 12:00
    count_all(NOON - 3 * MINUTE)
    paid_at(merchant, NOON - 8 * MINUTE)  # as if it had only been committed now

    assert count_all(NOON - 2 * MINUTE) == 1

    last = IntervalFigures.objects.filter(currency="BSD").latest("start")
    assert (last.start, last.completed_count) == (NOON - 17 * MINUTE, 2)
    assert count_all(NOON) == 0


def test_what_a_clock_that_was_ahead_has_counted_is_counted_again_in_its_time(
    merchant: Merchant,
) -> None:
    """It was zero for good: what was paid in that hour was missing for nine days."""
    paid_at(merchant, NOON - HOUR)
    count_all(NOON + HOUR)
    paid_at(merchant, NOON + 20 * MINUTE)

    for now in (NOON, NOON + HOUR):
        count_all(now)
        latest = IntervalFigures.objects.latest("start").start
        assert now - 25 * MINUTE < latest <= now - 15 * MINUTE
        assert totals_between(**TEST, start=NOON - 2 * HOUR, end=NOON + HOUR).completed == 2


def test_what_a_clock_some_minutes_ahead_has_counted_is_counted_again(merchant: Merchant) -> None:
    ten_to = NOON - 17 * MINUTE
    count_all(ten_to + 15 * MINUTE)
    assert IntervalFigures.objects.latest("start").start == ten_to
    paid_at(merchant, ten_to + 9 * MINUTE)

    assert count_all(ten_to + 11 * MINUTE) == 0
    assert count_all(ten_to + 15 * MINUTE) == 1

    assert IntervalFigures.objects.get(currency="BSD").completed_count == 1


def test_two_workers_that_count_the_same_interval_count_it_once(merchant: Merchant) -> None:
    paid_at(merchant, NOON)

    for _ in range(2):
        interval_figures._count(NOON, {False: ["BSD"], True: []})

    rows = IntervalFigures.objects.values_list("livemode", "currency", "completed_count")
    assert sorted(rows) == [(False, "", 0), (False, "BSD", 1), (True, "", 0)]


def test_a_span_may_end_within_a_counted_interval(merchant: Merchant) -> None:
    """The same time a week ago is no multiple of ten minutes."""
    for minutes in (62, 64):
        paid_at(merchant, NOON - minutes * MINUTE)
    count_all(NOON)

    within = totals_between(**TEST, start=NOON - 2 * HOUR, end=NOON - 63 * MINUTE)

    assert within.completed == 1


def test_what_is_counted_of_other_modes_and_currencies_is_not_added(merchant: Merchant) -> None:
    kinds: list[dict[str, Any]] = [
        {"livemode": mode, "currency": code} for mode in (False, True) for code in ("BSD", "USD")
    ]
    for number, kind in enumerate(kinds):
        payment = paid_at(merchant, NOON - HOUR, 100 + number)
        Payment.objects.filter(pk=payment.pk).update(**kind)
    count_all(NOON)

    span: dict[str, Any] = {"start": NOON - 2 * HOUR, "end": NOON}
    amounts = [totals_between(**kind, **span).amount for kind in kinds]

    assert amounts == [100, 101, 102, 103]


def test_intervals_in_which_nothing_ended_are_not_counted_anew(merchant: Merchant) -> None:
    paid_at(merchant, NOON - HOUR)
    count_all(NOON)

    counted = CountedIntervals.within(NOON - 2 * HOUR, NOON, **TEST)

    assert counted.rest == (
        (NOON - 2 * HOUR, NOON - 2 * HOUR + 3 * MINUTE),
        (NOON - 7 * MINUTE, NOON),
    )


def test_intervals_are_counted_in_order_some_at_a_time(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(interval_figures, "COUNTED_AT_ONCE", 3)
    paid_at(merchant, NOON - 2 * MINUTE)

    assert [count_intervals(now=NOON) for _ in range(2)] == [3, 3]

    starts = sorted(set(IntervalFigures.objects.values_list("start", flat=True)))
    assert starts == [starts[0] + number * 10 * MINUTE for number in range(6)]
    assert NOON - KEPT < starts[0] <= NOON - KEPT + 10 * MINUTE
    assert totals_between(**TEST, start=NOON - KEPT, end=NOON).completed == 1


def test_intervals_are_forgotten_after_they_are_compared_with(merchant: Merchant) -> None:
    paid_at(merchant, NOON - HOUR)
    count_all(NOON)

    count_intervals(now=NOON + KEPT)

    assert not IntervalFigures.objects.filter(start__lt=NOON + KEPT - KEPT).exists()


def test_the_task_counts_each_currency_and_mode_apart(merchant: Merchant) -> None:
    two_hours_ago = utc_now() - 2 * HOUR
    for currency in ("BSD", "USD", "USD"):
        payment = paid_at(merchant, two_hours_ago)
        Payment.objects.filter(pk=payment.pk).update(currency=currency)

    while count_latest():
        pass

    rows = IntervalFigures.objects.exclude(currency="")
    assert set(rows.values_list("livemode", "currency", "completed_count")) == {
        (False, "BSD", 1),
        (False, "USD", 2),
    }
    count_finished_days(now=utc_now() + timedelta(days=1))
    days = DayFigures.objects.values_list("livemode", "currency", "completed_count")
    assert set(days) == {(False, "BSD", 1), (False, "USD", 2)}


def test_a_day_on_which_nothing_was_paid_is_kept_too(merchant: Merchant) -> None:
    PaymentFactory(merchant=merchant, status="expired", expired_at=NOON - timedelta(days=3))

    count_finished_days(now=NOON)

    [day] = DayFigures.objects.all()
    assert (day.expired_count, day.completed_count) == (1, 0)


def test_deliveries_that_arrived_are_counted_once_and_failed_ones_anew(merchant: Merchant) -> None:
    one_of_each()
    ended: dict[str, Any] = {"next_attempt_at": None, "ended_at": NOON - HOUR}
    first, *others = Delivery.objects.order_by("pk")
    Delivery.objects.update(status=DeliveryStatus.DELIVERED, **ended)
    Delivery.objects.filter(pk=first.pk).update(status=DeliveryStatus.FAILED)
    count_all(NOON)
    Delivery.objects.update(ended_at=NOON - 2 * timedelta(days=1))

    health = webhook_health(livemode=False, start=NOON - timedelta(days=1), end=NOON)

    assert (health.arrived, health.failed, health.has_more_failed) == (len(others), 0, False)


def test_failed_deliveries_are_counted_in_their_mode_since_the_span_began() -> None:
    one_of_each()
    ended: dict[str, Any] = {"next_attempt_at": None, "ended_at": NOON - HOUR}
    Delivery.objects.update(status=DeliveryStatus.FAILED, **ended)
    count = Delivery.objects.count()
    livemode = Webhook.objects.get().livemode

    def failed(start: datetime, *, livemode: bool) -> int:
        return webhook_health(livemode=livemode, start=start, end=NOON).failed

    assert failed(NOON - HOUR, livemode=livemode) == count > 0
    assert failed(NOON - HOUR, livemode=not livemode) == 0
    assert failed(NOON - HOUR + MINUTE, livemode=livemode) == 0


def test_more_failed_deliveries_than_are_counted_are_said_to_be_more(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    one_of_each()
    ended: dict[str, Any] = {"next_attempt_at": None, "ended_at": utc_now() - HOUR}
    Delivery.objects.update(status=DeliveryStatus.FAILED, **ended)
    count = Delivery.objects.count()
    assert count > 1
    monkeypatch.setattr(figures, "FAILED_COUNTED", count)
    assert tile(office) == ("0\u00a0%", f"0 delivered, {count} failed")

    monkeypatch.setattr(figures, "FAILED_COUNTED", count - 1)

    assert tile(office) == ("at most 0\u00a0%", f"0 delivered, {count - 1}+ failed")


def tile(office: Office) -> tuple[str, str]:
    cache.clear()
    tiles = office(Role.ADMINISTRATOR).get("/admin/?mode=test").context["tiles"]
    [found] = [each for each in tiles if each.title == "Webhooks, 24 hours"]
    return found.figure, found.beside
