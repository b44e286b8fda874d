"""A customer of each mode and an instant."""

from dataclasses import replace
from datetime import datetime

import pytest

from core.clock import utc_now
from customers import security_alerts
from customers.models import Customer, CustomerSession
from customers.pin_hashing import Hasher
from customers.pins import set_pin
from customers.services import find_or_create, test_customer
from merchants.models import Merchant
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol, proven
from tests.customers.guessing import PIN

LIVE_PHONE = "+12423591234"
TEST_PHONE = "+12425550123"


@pytest.fixture
def now() -> datetime:
    return utc_now()


@pytest.fixture
def tester(merchant: Merchant, now: datetime) -> Customer:
    return test_customer(TEST_PHONE, now, merchant_id=merchant.id)


@pytest.fixture
def payer(db: None, now: datetime) -> Customer:
    return find_or_create(phone=LIVE_PHONE, now=now)


@pytest.fixture
def holder(payer: Customer, now: datetime) -> Customer:
    """A live customer whose PIN is `PIN`."""
    set_pin(customer_id=payer.id, pin=PIN, now=now)
    payer.refresh_from_db()
    return payer


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was hashed to be compared, in order."""
    seen: list[str] = []
    matches = Hasher.matches

    def spy(self: Hasher, stored: str, pin: str, pepper_id: str) -> bool:
        seen.append(pin)
        return matches(self, stored, pin, pepper_id)

    monkeypatch.setattr(Hasher, "matches", spy)
    return seen


@pytest.fixture
def many_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow more changes of passkeys in a day than a customer makes."""
    many = replace(security_alerts.CHANGES, times=100)
    monkeypatch.setattr(security_alerts, "CHANGES", many)


@pytest.fixture
def session(payer: Customer, now: datetime) -> CustomerSession:
    return proven(payer, now)


@pytest.fixture
def device(session: CustomerSession, now: datetime) -> VirtualAuthenticator:
    """The customer's device, whose passkey is registered."""
    device = VirtualAuthenticator()
    enrol(session, device, now)
    return device
