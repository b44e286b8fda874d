"""A new PIN_PEPPER takes the place of an older one, PIN by PIN, and locks no one out."""

from datetime import datetime
from unittest import mock

import pytest
from pytest_django import Settings

from core.errors import ServiceUnavailable
from core.models import Quota
from customers import pin_hashing
from customers.errors import InvalidPin
from customers.models import Customer
from customers.pin_hashing import newest_pepper
from tests.customers.guessing import PIN, WRONG_PIN, check

pytestmark = pytest.mark.django_db


@pytest.fixture
def rotated(holder: Customer, settings: Settings) -> str:
    """Put a new pepper before the one of the holder's PIN; return the id of the old one."""
    old = newest_pepper()
    settings.PIN_PEPPER_FALLBACKS = [settings.PIN_PEPPER]
    settings.PIN_PEPPER = "a new pepper of thirty-two characters or more"
    return old


def test_it_moves_to_the_new_pepper_when_it_is_entered(
    holder: Customer, rotated: str, now: datetime, settings: Settings
) -> None:
    assert Customer.objects.get(pk=holder.pk).pin_pepper == rotated

    check(holder, PIN, now)

    assert Customer.objects.get(pk=holder.pk).pin_pepper == newest_pepper() != rotated
    settings.PIN_PEPPER_FALLBACKS = []
    check(holder, PIN, now)


def test_a_wrong_pin_under_the_old_pepper_is_wrong_once(
    holder: Customer, rotated: str, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = mock.Mock(side_effect=pin_hashing._verifies)
    monkeypatch.setattr(pin_hashing, "_verifies", compared)

    with pytest.raises(InvalidPin):
        check(holder, WRONG_PIN, now)

    holder.refresh_from_db()
    assert (holder.pin_failures, holder.pin_pepper) == (1, rotated)
    assert compared.call_count == 1


def test_one_from_before_ids_were_kept_is_tried_under_each(
    holder: Customer, rotated: str, now: datetime
) -> None:
    Customer.objects.filter(pk=holder.pk).update(pin_pepper="")

    with pytest.raises(InvalidPin):
        check(holder, WRONG_PIN, now)
    check(holder, PIN, now)

    holder.refresh_from_db()
    assert (holder.pin_failures, holder.pin_pepper) == (0, newest_pepper())


def test_a_missing_pepper_is_no_wrong_pin(
    holder: Customer, rotated: str, now: datetime, settings: Settings
) -> None:
    settings.PIN_PEPPER_FALLBACKS = []

    with pytest.raises(ServiceUnavailable):
        check(holder, PIN, now)

    holder.refresh_from_db()
    assert (holder.pin_failures, holder.pin_locked_until) == (0, None)
    assert not Quota.objects.filter(used__gt=0).exists()
