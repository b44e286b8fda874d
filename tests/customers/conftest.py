"""A customer of each mode and an instant."""

from datetime import datetime

import pytest

from core.clock import now as read_clock
from customers.models import Customer
from customers.services import find_or_create, test_customer

LIVE_PHONE = "+12423591234"
TEST_PHONE = "+12425550123"


@pytest.fixture
def now() -> datetime:
    return read_clock()


@pytest.fixture
def tester(db: None, now: datetime) -> Customer:
    return test_customer(TEST_PHONE, now)


@pytest.fixture
def payer(db: None, now: datetime) -> Customer:
    return find_or_create(phone=LIVE_PHONE, livemode=True, now=now)
