"""The link "this was not me", pressed once more, or of someone who was erased."""

from datetime import datetime, timedelta

import pytest
from django.test import Client

from customers.erasure import erase_customer
from customers.models import Customer
from customers.security_alerts import stop_link
from customers.services import freeze, unfreeze

pytestmark = pytest.mark.django_db


def freezes(customer: Customer) -> list[str]:
    """Return who has frozen the customer, in order."""
    changes = customer.changes.filter(change="frozen").order_by("pk")
    return [change.actor.partition(":")[0] for change in changes]


def frozen_at(customer: Customer) -> datetime | None:
    customer.refresh_from_db()
    return customer.frozen_at


def test_it_does_not_freeze_anew(client: Client, payer: Customer) -> None:
    """What two of staff were to decide, to unfreeze it, was void with each press."""
    link = stop_link(payer.pk)
    assert client.post(link).status_code == 200
    first = frozen_at(payer)

    again = client.post(link)

    assert (again.status_code, "frozen" in again.content.decode()) == (200, True)
    assert (frozen_at(payer), freezes(payer)) == (first, ["customer"])


def test_it_says_that_it_was_the_owner_even_if_staff_have_frozen_it(
    client: Client, payer: Customer, now: datetime
) -> None:
    freeze(customer_id=payer.pk, actor="staff:ada", now=now)

    client.post(stop_link(payer.pk))

    at = frozen_at(payer)
    assert at is not None
    assert (at > now, freezes(payer)) == (True, ["staff", "customer"])


def test_what_changed_once_it_was_unfrozen_can_be_denied_again(
    client: Client, payer: Customer, now: datetime
) -> None:
    client.post(stop_link(payer.pk))
    unfreeze(customer_id=payer.pk, actor="staff:ada", now=now - timedelta(hours=1))

    client.post(stop_link(payer.pk))

    assert frozen_at(payer) is not None
    assert freezes(payer) == ["customer", "customer"]


def test_nothing_more_is_done_with_someone_who_was_erased(
    client: Client, payer: Customer, now: datetime
) -> None:
    link = stop_link(payer.pk)
    erase_customer(customer_id=payer.pk, actor="staff:ada", cause="", now=now)
    before = Customer.objects.values().get()

    assert [client.get(link).status_code, client.post(link).status_code] == [404, 404]

    assert (Customer.objects.values().get(), freezes(payer)) == (before, [])
