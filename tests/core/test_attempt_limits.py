"""Counts that survive a lost cache and cannot be undone."""

from datetime import datetime, timedelta

import pytest
from django.db import transaction

from core.attempt_limits import (
    AttemptLimit,
    count_attempt,
    count_or_refuse,
    forget_attempts,
    refuse_exhausted,
    uncount_attempt,
)
from core.clock import utc_now
from core.errors import RateLimited
from core.models import Quota
from tests.races import at_once

pytestmark = pytest.mark.django_db

TWICE = AttemptLimit("twice", 2, timedelta(minutes=10))


@pytest.fixture
def now() -> datetime:
    return utc_now()


def test_it_counts_up_to_the_limit_within_the_window(now: datetime) -> None:
    count_attempt(TWICE, "a", now=now)
    count_attempt(TWICE, "a", now=now + timedelta(minutes=4))

    with pytest.raises(RateLimited) as refusal:
        count_attempt(TWICE, "a", now=now + timedelta(minutes=9))

    assert refusal.value.headers["Retry-After"] == "60"
    assert refusal.value.details == "Try again in 60 seconds."
    count_attempt(TWICE, "b", now=now)
    count_attempt(TWICE, "a", now=now + timedelta(minutes=10))
    assert Quota.objects.get(key="twice:a").used == 1


def test_it_says_how_long_a_long_window_lasts(now: datetime) -> None:
    daily = AttemptLimit("per day", 1, timedelta(days=2))
    count_attempt(daily, "a", now=now)

    with pytest.raises(RateLimited) as refusal:
        count_attempt(daily, "a", now=now + timedelta(milliseconds=1))

    assert refusal.value.headers["Retry-After"] == "172800"


def test_what_is_given_back_can_be_taken_again(now: datetime) -> None:
    count_attempt(TWICE, "a", now=now)
    count_attempt(TWICE, "a", now=now)
    uncount_attempt(TWICE, "a")

    count_attempt(TWICE, "a", now=now)

    with pytest.raises(RateLimited):
        count_attempt(TWICE, "a", now=now)


def test_nothing_is_given_back_that_was_not_taken(now: datetime) -> None:
    uncount_attempt(TWICE, "a")
    count_attempt(TWICE, "a", now=now)
    uncount_attempt(TWICE, "a")
    uncount_attempt(TWICE, "a")

    assert Quota.objects.get().used == 0


def test_each_subject_is_counted_by_itself(now: datetime) -> None:
    for subject in ("a", "b", "c"):
        count_attempt(TWICE, subject, now=now)
    count_or_refuse([(TWICE, "b")], now=now + timedelta(minutes=1))
    uncount_attempt(TWICE, "c")

    counts = Quota.objects.order_by("key").values_list("key", "used", "ends_at")
    end = now + timedelta(minutes=10)
    assert list(counts) == [("twice:a", 1, end), ("twice:b", 2, end), ("twice:c", 0, end)]
    refuse_exhausted((TWICE, "a"), (TWICE, "c"), now=now)
    later = now + timedelta(minutes=9, seconds=59)
    with pytest.raises(RateLimited) as refusal:
        refuse_exhausted((TWICE, "a"), (TWICE, "b"), now=later)
    assert refusal.value.headers["Retry-After"] == "1"
    assert refusal.value.details == "Try again in 1 second."


def test_what_is_forgotten_is_that_of_one_subject(now: datetime) -> None:
    for subject in ("a", "b"):
        count_attempt(TWICE, subject, now=now)

    forget_attempts(TWICE, "a")

    assert list(Quota.objects.values_list("key", "used")) == [("twice:b", 1)]


def test_a_window_that_has_ended_begins_anew_with_one(now: datetime) -> None:
    for minutes, used in ((0, 1), (5, 2), (10, 1), (11, 2)):
        count_or_refuse([(TWICE, "a")], now=now + timedelta(minutes=minutes))
        assert Quota.objects.get().used == used

    assert Quota.objects.get().ends_at == now + timedelta(minutes=20)
    with pytest.raises(RateLimited):
        count_or_refuse([(TWICE, "a")], now=now + timedelta(minutes=19))


def test_it_can_look_without_counting(now: datetime) -> None:
    refuse_exhausted((TWICE, "a"), now=now)
    count_attempt(TWICE, "a", now=now)
    refuse_exhausted((TWICE, "a"), now=now)
    count_attempt(TWICE, "a", now=now)

    with pytest.raises(RateLimited):
        refuse_exhausted((TWICE, "a"), now=now)
    refuse_exhausted((TWICE, "a"), now=now + timedelta(minutes=10))


def test_it_says_to_wait_for_the_limit_that_lasts_longest(now: datetime) -> None:
    day = AttemptLimit("per day", 1, timedelta(days=1))
    hour = AttemptLimit("in a row", 1, timedelta(hours=1))
    for limit in (hour, day):
        count_attempt(limit, "a", now=now)

    for counted in ([(hour, "a"), (day, "a")], [(day, "a"), (hour, "a")]):
        with pytest.raises(RateLimited) as refusal:
            refuse_exhausted(*counted, now=now)
        assert refusal.value.headers["Retry-After"] == "86400"


def test_several_limits_are_counted_together_or_not_at_all(now: datetime) -> None:
    once = AttemptLimit("once", 1, timedelta(days=1))
    count_or_refuse([(TWICE, "a"), (once, "b")], now=now)

    with pytest.raises(RateLimited) as refusal:
        count_or_refuse([(TWICE, "a"), (once, "b")], now=now + timedelta(minutes=9))

    assert refusal.value.headers["Retry-After"] == str(24 * 3600 - 9 * 60)
    assert Quota.objects.get(key="twice:a").used == 1


def test_a_limit_of_zero_refuses_in_every_window(now: datetime) -> None:
    never = AttemptLimit("never", 0, timedelta(minutes=10))

    # After the first window there is none left to wait for.
    for at, seconds in ((now, "600"), (now + timedelta(hours=1), "1")):
        with pytest.raises(RateLimited) as refusal:
            count_or_refuse([(never, "a")], now=at)
        assert refusal.value.headers["Retry-After"] == seconds


def test_a_count_cannot_be_rolled_back(now: datetime) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        count_attempt(TWICE, "a", now=now)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_racing_takes_stay_within_the_limit() -> None:
    now = utc_now()
    answers = at_once([lambda: count_attempt(TWICE, "a", now=now)] * 16)

    assert answers.count(None) == 2
    assert sum(isinstance(answer, RateLimited) for answer in answers) == 14
