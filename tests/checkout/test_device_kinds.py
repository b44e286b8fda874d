"""The kind of device that a session was opened on, as its browser names it."""

import pytest
from django.test import RequestFactory

from checkout.devices import device_of
from customers.models import CustomerSession
from tests.checkout.shopper import Shopper

ANDROID = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 Chrome/126.0 Mobile"


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15", "iPhone"),
        ("Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15", "iPad"),
        (ANDROID, "Android"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15", "Mac"),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) Gecko/20100101 Firefox/127.0", "Windows"),
        ("Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/127.0", "Linux"),
        ("curl/8.5.0", ""),
        ("", ""),
    ],
)
def test_the_kind_of_a_device_is_what_its_browser_names(agent: str, device: str) -> None:
    assert device_of(RequestFactory().get("/", headers={"user-agent": agent})) == device


def test_who_signs_in_to_pay_has_a_session_of_that_kind_of_device(payment) -> None:
    shopper = Shopper(user_agent=ANDROID)
    shopper.visit(payment.hosted_url)
    shopper.sign_in()

    assert CustomerSession.objects.get().device == "Android"
