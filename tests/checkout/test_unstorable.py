"""What no database can hold, from a stranger, is no fault of ours, which would wake someone."""

import pytest
from django.test import Client

from payments.counters import screen_url

pytestmark = pytest.mark.django_db
PLACES = [
    *("/checkout/{}", "/checkout/{}/status", "/checkout/{}/qr.png", "/checkout/{}/poster-a4.pdf"),
    *("/checkout/{}/replacement", "/checkout/{}/pay", "/receipts/{}", "/receipts/{}.pdf"),
    *("/checkout/logo/{}-abc.png", "/pay/shop/{}", "/pay/shop/{}/poster-a4.svg", "/top-ups/{}"),
    *("/top-ups/{}/status", "/counter/{}/x", "/not-me/{}", "/account?test={}", "/pay/{}/x"),
    "/confirm-address/{}",
    *("/confirm-email?token={}", "/admin/invitation/{}/x/", "/v1/payments/{}"),
]


@pytest.mark.parametrize("place", PLACES)
def test_an_address_that_cannot_be_stored_is_no_fault_of_ours(place: str) -> None:
    answer = Client().get(place.format("a%00b"))

    assert answer.status_code < 500


@pytest.mark.parametrize("name", ["withdraw", "ticket", "key", "amount", "quantity0", "quantity-0"])
def test_a_field_that_cannot_be_stored_is_no_fault_at_the_till(payment_of, name: str) -> None:
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    screen = screen_url(counter).removeprefix("http://testserver")

    assert Client().post(screen, {name: "tkt_\0"}).status_code < 500
