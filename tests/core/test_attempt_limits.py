"""Counts that survive a lost cache and cannot be undone."""

from datetime import datetime, timedelta

import pytest
from django.db import transaction

from core.attempt_limits import Limit, give_back, refuse_used_up, take
from core.clock import utc_now
from core.errors import RateLimited
from core.models import Quota
from tests.races import at_once

pytestmark = pytest.mark.django_db

TWICE = Limit("twice", 2, timedelta(minutes=10))


@pytest.fixture
def now() -> datetime:
    return utc_now()


def test_it_counts_up_to_the_limit_within_the_window(now: datetime) -> None:
    take(TWICE, "a", now=now)
    take(TWICE, "a", now=now + timedelta(minutes=4))

    with pytest.raises(RateLimited) as refusal:
        take(TWICE, "a", now=now + timedelta(minutes=9))

    assert refusal.value.headers["Retry-After"] == "60"
    assert refusal.value.details == "Try again in 60 seconds."
    take(TWICE, "b", now=now)
    take(TWICE, "a", now=now + timedelta(minutes=10))
    assert Quota.objects.get(key="twice:a").used == 1


def test_it_says_how_long_a_long_window_lasts(now: datetime) -> None:
    daily = Limit("daily", 1, timedelta(days=2))
    take(daily, "a", now=now)

    with pytest.raises(RateLimited) as refusal:
        take(daily, "a", now=now + timedelta(milliseconds=1))

    assert refusal.value.headers["Retry-After"] == "172800"


def test_what_is_given_back_can_be_taken_again(now: datetime) -> None:
    take(TWICE, "a", now=now)
    take(TWICE, "a", now=now)
    give_back(TWICE, "a")

    take(TWICE, "a", now=now)

    with pytest.raises(RateLimited):
        take(TWICE, "a", now=now)


def test_nothing_is_given_back_that_was_not_taken(now: datetime) -> None:
    give_back(TWICE, "a")
    take(TWICE, "a", now=now)
    give_back(TWICE, "a")
    give_back(TWICE, "a")

    assert Quota.objects.get().used == 0


def test_it_can_look_without_counting(now: datetime) -> None:
    refuse_used_up(TWICE, "a", now=now)
    take(TWICE, "a", now=now)
    refuse_used_up(TWICE, "a", now=now)
    take(TWICE, "a", now=now)

    with pytest.raises(RateLimited):
        refuse_used_up(TWICE, "a", now=now)
    refuse_used_up(TWICE, "a", now=now + timedelta(minutes=10))


def test_a_count_cannot_be_rolled_back(now: datetime) -> None:
    with pytest.raises(RuntimeError, match="durable"), transaction.atomic():
        take(TWICE, "a", now=now)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_racing_takes_stay_within_the_limit() -> None:
    now = utc_now()
    answers = at_once([lambda: take(TWICE, "a", now=now)] * 16)

    assert answers.count(None) == 2
    assert sum(isinstance(answer, RateLimited) for answer in answers) == 14
