"""Wrong PINs are counted beyond the one customer: per address, and in all."""

from contextlib import suppress
from datetime import datetime, timedelta

import pytest

from core.attempt_limits import AttemptLimit
from core.errors import RateLimited
from core.models import Quota
from customers import pins
from customers.errors import InvalidPin
from customers.models import Customer
from customers.pins import check_pin
from customers.services import test_customer
from merchants.models import Merchant
from tests.customers.guessing import ADDRESS, PIN, WRONG_PIN, check, guess_wrong

pytestmark = pytest.mark.django_db


def test_one_address_cannot_try_many_customers(db: None, now: datetime, hashes: list[str]) -> None:
    for number in range(20):
        with pytest.raises(InvalidPin):
            check_pin(customer_id=f"cus_{number}", pin=PIN, address=ADDRESS, now=now)

    with pytest.raises(RateLimited) as refusal:
        check_pin(customer_id="cus_20", pin=PIN, address=ADDRESS, now=now)

    assert refusal.value.headers["Retry-After"] == "3600"
    assert len(hashes) == 20
    with pytest.raises(InvalidPin):
        check_pin(customer_id="cus_20", pin=PIN, address="203.0.113.8", now=now)
    with pytest.raises(InvalidPin):
        check_pin(customer_id="cus_20", pin=PIN, address=ADDRESS, now=now + timedelta(hours=1))


def test_right_pins_from_one_address_are_not_limited(holder: Customer, now: datetime) -> None:
    for _ in range(21):
        check(holder, PIN, now)

    guess_wrong(holder, 1, now)
    assert Quota.objects.get(key="wrong-pin-address:203.0.113.7").used == 1


def test_too_many_wrong_pins_in_all_close_the_pin(
    holder: Customer, now: datetime, hashes: list[str]
) -> None:
    Quota.objects.create(
        key="wrong-pin:everywhere", used=9_999, ends_at=now + timedelta(minutes=10)
    )
    guess_wrong(holder, 1, now)

    with pytest.raises(RateLimited):
        check(holder, PIN, now)

    assert len(hashes) == 1
    check(holder, PIN, now + timedelta(minutes=10))


def test_one_customer_does_not_use_up_what_all_may_get_wrong(
    holder: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four wrong ones and the right one, again and again, from one /64 after another."""
    monkeypatch.setattr(pins, "WRONG_IN_ALL", AttemptLimit("wrong-pin", 40, timedelta(hours=1)))

    for network in range(12):
        for pin in (*[WRONG_PIN] * 4, PIN):
            with suppress(InvalidPin, RateLimited):
                check(holder, pin, now, f"2001:db8:0:{network:x}::1")

    with pytest.raises(RateLimited):
        check(holder, PIN, now)
    assert Quota.objects.get(key="wrong-pin:everywhere").used == 30
    with pytest.raises(InvalidPin):
        check_pin(customer_id="cus_another", pin=PIN, address=ADDRESS, now=now)
    check(holder, PIN, now + timedelta(days=1))


def test_a_test_customer_is_not_limited_by_address(merchant: Merchant, now: datetime) -> None:
    for number in range(30):
        tester = test_customer(f"+1242555{2000 + number}", now, merchant_id=merchant.id)
        with pytest.raises(InvalidPin):
            check(tester, PIN, now)

    assert Quota.objects.count() == 0
