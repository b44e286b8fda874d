"""A PIN is changed by who still may when the change is stored."""

from datetime import datetime

import pytest

from core.errors import Conflict
from customers import pins
from customers.models import Customer
from customers.pins import change_pin, replace_pin
from customers.sessions import start_session

pytestmark = pytest.mark.django_db
ADDRESS = "203.0.113.9"


def test_who_was_shut_out_meanwhile_does_not_change_it_back(
    holder: Customer, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thief who knows the PIN changes it in the very instant in which its owner does."""
    replace_pin(holder, "7351", now=now)
    thief, own = (start_session(customer=holder, now=now).session for _ in range(2))
    checked = pins.check_pin

    def the_owner_is_quicker(**given: object) -> None:
        monkeypatch.setattr(pins, "check_pin", checked)
        checked(**given)  # type: ignore[arg-type]
        change_pin(
            customer_id=holder.pk,
            pin="7351",
            new_pin="9264",
            address=ADDRESS,
            now=now,
            session_id=own.pk,
        )

    monkeypatch.setattr(pins, "check_pin", the_owner_is_quicker)
    with pytest.raises(Conflict):
        change_pin(
            customer_id=holder.pk,
            pin="7351",
            new_pin="1857",
            address=ADDRESS,
            now=now,
            session_id=thief.pk,
        )

    monkeypatch.undo()
    checked(customer_id=holder.pk, pin="9264", address=ADDRESS, now=now)
