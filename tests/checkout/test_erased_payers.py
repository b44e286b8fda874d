"""What pages show of a payer who has been erased."""

import re

from checkout.formats import ending
from core.clock import utc_now
from customers.erasure import erase_customer
from customers.services import test_customer
from payments.paying import pay
from payments.verification import Verification
from tests.checkout.shopper import Shopper


def test_it_names_no_number_of_a_payer_who_was_erased(payment_of):
    """It showed the last four digits of what replaces the number, which is drawn at random."""
    payment = payment_of(3_500)
    payer = test_customer("+12425550177", utc_now(), merchant_id=payment.merchant_id)
    verified = Verification.PASSKEY
    pay(payment_id=payment.id, customer=payer, verified=verified, actor="test", now=utc_now())
    erase_customer(customer_id=payer.id, actor="staff", cause="asked", now=utc_now())
    shopper = Shopper()
    shopper.visit(f"/receipts/{payment.id}")

    assert re.findall(r"••••[ \d]*", shopper.text) == ["••••"]
    assert [ending(phone) for phone in ("+12425550177", "+0123")] == ["•••• 0177", "••••"]
