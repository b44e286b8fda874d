"""A customer pays in Firefox, too."""

import pytest

from payments.statuses import PaymentStatus
from tests.firefox import PROGRAM, firefox_running
from tests.machine import need

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.night("Chromium has it by day; the scripts ask for what each browser has"),
]


def test_a_pin_pays_and_the_proof_stays(payment_of, site, tmp_path):
    need(PROGRAM, "Firefox")
    payment = payment_of(1_250)
    with firefox_running(tmp_path) as firefox:
        firefox.open(site + payment.hosted_url)
        assert firefox.text("button.pay") == "Pay B$12.50"
        firefox.click("button.pay")
        firefox.type("#id_phone", "+1 242 555 0100")
        firefox.click("button.pay")
        firefox.type("#id_code", "000000")
        firefox.click("button.pay")
        firefox.type("#id_pin", "9999")
        firefox.click("button.pay:not([aria-disabled])")
        assert firefox.text(".note li") == "That PIN is not right. 4 attempts left."
        firefox.type("#id_pin", "1234")
        firefox.click("button.pay:not([aria-disabled])")
        assert firefox.text(".end h1") == "Paid"
        firefox.open(site + payment.hosted_url)
        assert firefox.text(".end h1") == "Paid"

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
