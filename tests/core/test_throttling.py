"""Rate limits, switched on by RATE_LIMITS."""

import threading
import time
from unittest import mock

import pytest
import time_machine

from core import throttling
from core.errors import RateLimited
from core.throttling import MERCHANT_LIMITS

START = "2026-03-01T10:00:00Z"
LONG = 30  # seconds, where others have the machine


@pytest.fixture(autouse=True)
def _fresh_counts(settings):
    settings.RATE_LIMITS = True
    throttling._memory().reset()
    throttling._redis._paused_until = 0.0


def _use_up(client, merchant):
    """Spend all but the last of the burst by hand, and that one over HTTP."""
    for _ in range(MERCHANT_LIMITS[0].item.amount - 1):
        throttling.consume(MERCHANT_LIMITS, f"{merchant.id} test")
    response = client.get(f"/v1/merchants/{merchant.id}")
    assert response.status_code == 200
    return response


def test_it_counts_nothing_unless_switched_on(api, merchant, settings):
    _use_up(api(merchant), merchant)
    settings.RATE_LIMITS = False

    response = api(merchant).get(f"/v1/merchants/{merchant.id}")

    assert response.status_code == 200
    assert "RateLimit" not in response


def test_it_admits_a_burst_and_says_what_is_left(api, merchant):
    with time_machine.travel(START, tick=False):
        first = api(merchant).get(f"/v1/merchants/{merchant.id}")

    assert first["RateLimit-Policy"] == '"burst";q=200;w=120, "hour";q=10000;w=3600'
    assert first["RateLimit"] == '"burst";r=199;t=1'


def test_it_refuses_what_exceeds_the_burst_until_retry_after(api, merchant):
    path = f"/v1/merchants/{merchant.id}"
    with time_machine.travel(START, tick=False) as clock:
        client = api(merchant)
        last = _use_up(client, merchant)
        refused = client.get(path)
        clock.shift(0.5)
        still_refused = client.get(path)
        clock.shift(0.5)
        admitted = client.get(path)

    assert last["RateLimit"] == '"burst";r=0;t=1'
    assert refused.status_code == 429
    assert refused.json() == {
        "error": "Too many requests. Slow down and try again.",
        "code": "RATE_LIMITED",
        "details": "Try again in 1 second.",
    }
    assert refused["Retry-After"] == "1"
    assert refused["RateLimit"] == '"burst";r=0;t=1'
    assert still_refused.status_code == 429
    assert admitted.status_code == 200


def test_after_the_burst_one_is_admitted_each_six_tenths_of_a_second():
    burst = MERCHANT_LIMITS[:1]
    with time_machine.travel(START, tick=False) as clock:
        for _ in range(200):
            throttling.consume(burst, "busy")
        admitted = []
        for _ in range(12):
            clock.shift(0.3)
            try:
                throttling.consume(burst, "busy")
                admitted.append(True)
            except RateLimited:
                admitted.append(False)
        clock.shift(60)
        headers = throttling.consume(burst, "busy")

    assert admitted == [False, True] * 6
    assert headers["RateLimit"] == '"burst";r=99;t=1'


def test_it_holds_a_merchant_to_ten_thousand_an_hour():
    hour = MERCHANT_LIMITS[1]
    with time_machine.travel(START, tick=False):
        for _ in range(10_000):
            hour.algorithm(throttling._memory()).hit(hour.item, "busy")
        with pytest.raises(RateLimited) as refused:
            throttling.consume(MERCHANT_LIMITS, "busy")

    assert '"hour";r=0' in refused.value.headers["RateLimit"]


def test_it_counts_each_merchant_and_mode_for_itself(api, merchant, stranger):
    _use_up(api(merchant), merchant)

    assert api(merchant).get(f"/v1/merchants/{merchant.id}").status_code == 429
    assert api(merchant, live=True).get(f"/v1/merchants/{merchant.id}").status_code == 200
    assert api(stranger).get(f"/v1/merchants/{stranger.id}").status_code == 200


def test_it_shares_the_count_in_redis(redis, settings, monkeypatch):
    monkeypatch.setattr(throttling, "REDIS_TIMEOUT_SECONDS", LONG)
    _point_at(redis, settings)

    admitted = _use_until_refused("shared")
    throttling._redis_at.cache_clear()
    again = _use_until_refused("shared")

    assert (admitted >= 200, again < 100) == (True, True)
    assert throttling._memory().reset() == 0


@pytest.mark.parametrize("failure", ["stop", "freeze"])
def test_it_counts_for_itself_while_redis_does_not_answer(redis, settings, monkeypatch, failure):
    _point_at(redis, settings)
    throttling.consume(MERCHANT_LIMITS, "alone")
    throttling._redis._paused_until = 0.0  # if that has taken too long
    monkeypatch.setattr(throttling, "REDIS_PAUSE_SECONDS", LONG)
    asked = mock.Mock(wraps=throttling._redis_at)
    monkeypatch.setattr(throttling, "_redis_at", asked)
    getattr(redis, failure)()

    admitted = _use_until_refused("alone")

    assert admitted >= 200
    assert asked.call_count == 1  # and no other has waited


def test_while_one_waits_for_redis_no_other_joins_it(redis, settings, monkeypatch):
    monkeypatch.setattr(throttling, "REDIS_TIMEOUT_SECONDS", LONG)
    _point_at(redis, settings)
    throttling.consume(MERCHANT_LIMITS, "first")
    redis.freeze()
    waits = threading.Thread(target=throttling.consume, args=(MERCHANT_LIMITS, "first"))
    waits.start()
    _wait_until(lambda: not throttling._redis.is_usable())

    throttling.consume(MERCHANT_LIMITS, "second")

    assert waits.is_alive()
    redis.thaw()
    waits.join(LONG)
    assert throttling._redis._waiting_since == {}


def test_after_one_that_was_slow_redis_is_asked_again(redis, settings):
    _point_at(redis, settings)
    with throttling._redis.storage():
        time.sleep(throttling.REDIS_SLOW_SECONDS)
        assert not throttling._redis.is_usable()

    assert throttling._redis.is_usable()


def _wait_until(is_so):
    deadline = time.monotonic() + LONG
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def _use_until_refused(caller):
    """Return how many were admitted; one more for each 0.6 seconds that it takes."""
    for admitted in range(1_000):
        try:
            throttling.consume(MERCHANT_LIMITS, caller)
        except RateLimited:
            return admitted
    return pytest.fail("Nothing was refused.")


def _point_at(redis, settings):
    settings.SHARED_COUNTS = {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": redis.url,
    }
