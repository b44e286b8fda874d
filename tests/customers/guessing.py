"""Trying PINs as the pages do."""

from datetime import datetime, timedelta

import pytest

from customers.errors import InvalidPin, PinLocked
from customers.models import Customer
from customers.pins import check_pin

ADDRESS = "203.0.113.7"
PIN, OTHER_PIN, WRONG_PIN = "8305", "4920", "7391"
HALF_AN_HOUR = timedelta(minutes=30)


def check(customer: Customer, pin: str, now: datetime, address: str = ADDRESS) -> None:
    check_pin(customer_id=customer.id, pin=pin, address=address, now=now)


def guess_wrong(customer: Customer, times: int, now: datetime) -> Exception:
    """Enter a wrong PIN so many times; return the last refusal."""
    error: Exception = AssertionError("no guess was made")
    for _ in range(times):
        with pytest.raises((InvalidPin, PinLocked)) as refusal:
            check(customer, WRONG_PIN, now)
        error = refusal.value
    return error
