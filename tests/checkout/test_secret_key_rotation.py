"""A new SECRET_KEY darkens no till, and leaves browsers and links as they were for a while."""

from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection
from django.utils.crypto import salted_hmac
from pytest_django import Settings

from core import address_keys
from core.clock import utc_now
from core.ids import base62
from core.models import AddressKey
from customers.errors import CustomerNotFound
from customers.security_alerts import read_stop_link, stop_link
from payments.counters import DIGEST_CHARACTERS, screen_token, screen_url
from payments.models import Payment
from payments.modes import PaymentMode
from tests.factories import CustomerFactory, PaymentFactory

pytestmark = pytest.mark.django_db

NEW = "another secret key of the tests, fifty characters or more of it"


@pytest.fixture(autouse=True)
def _fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address_keys, "_known", {})


@pytest.fixture
def counter() -> Payment:
    return PaymentFactory.create(payment_mode=PaymentMode.STATIC_PAY, amount=None, expires_at=None)


def test_the_screen_of_a_counter_stays_where_it_is(
    counter: Payment, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = screen_url(counter)
    settings.SECRET_KEY = NEW
    monkeypatch.setattr(address_keys, "_known", {})

    assert screen_url(counter) == address


def test_it_is_where_it_was_before_the_key_was_stored(counter: Payment) -> None:
    digest = salted_hmac("payments.counter", counter.id, algorithm="sha256").digest()

    assert screen_token(counter) == base62(int.from_bytes(digest), DIGEST_CHARACTERS)


def test_the_migration_keeps_the_key_of_the_counters_there_are(
    counter: Payment, settings: Settings
) -> None:
    digest = salted_hmac("payments.counter", counter.id, algorithm="sha256").digest()
    migration = import_module("payments.migrations.0007_counter_screens_key")
    settings.BOUND_SECRETS_ONLY = False  # as it is until what an upgrade brings along is bound

    migration.keep_key(apps, connection.schema_editor())

    settings.SECRET_KEY = NEW
    assert AddressKey.objects.count() == 1
    assert screen_token(counter) == base62(int.from_bytes(digest), DIGEST_CHARACTERS)


def test_links_in_messages_work_while_the_old_key_is_a_fallback(settings: Settings) -> None:
    customer = CustomerFactory.create()
    token = stop_link(customer.id).rpartition("/")[2]
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], NEW

    assert read_stop_link(token, now=utc_now())[0] == customer.id

    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(CustomerNotFound):
        read_stop_link(token, now=utc_now())
