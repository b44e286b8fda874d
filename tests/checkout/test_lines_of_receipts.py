"""Words of a shop that would cover the sum on a receipt that is printed."""

import pytest

from core.clock import utc_now
from customers.services import test_customer
from merchants.models import Merchant
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification
from tests.checkout.pdf_text import bands_of, text_of
from tests.checkout.shopper import Shopper

MARKS = "\u0301" * 4 + "\u0323" * 4  # as many as are accepted
PILE = "\u0323" * 60


@pytest.fixture
def receipt_path(payment_of) -> str:
    """Pay B$12.50 for a cake, and return the path of its receipt."""
    items = [{"name": "Cake", "quantity": 1, "price": 1_000}]
    payment = payment_of(1_250, payment_mode="ORDER_PAY", line_items=items, order_id="A-7")
    tester = test_customer("+12425550177", utc_now(), merchant_id=payment.merchant_id)
    by = Verification.PASSKEY
    pay(payment_id=payment.id, customer=tester, verified=by, actor="test", now=utc_now())
    return f"/receipts/{payment.id}.pdf"


def test_no_line_of_a_receipt_is_drawn_over_another(receipt_path):
    """Eight marks on each letter reach as far as the next line; a pile of before, off the page."""
    name = "".join(f"{letter}{MARKS}" for letter in "Cake and tea") + PILE
    Merchant.objects.update(name=name)
    items = [{"name": name, "quantity": 1, "price": 1_000}]
    Payment.objects.update(paid_description=name, line_items=items)
    pdf = Shopper().visit(receipt_path).content

    assert text_of(pdf).count("B$12.50") == 1
    bands = bands_of(pdf)
    assert len(bands) > 12
    for bottom, top, written_at in bands:
        assert {line for _, _, line in bands if bottom < line < top} == {written_at}


def test_a_receipt_shows_no_pile_of_marks_higher_than_a_letter_may_have(receipt_path):
    Merchant.objects.update(name=f"Cake{PILE}")
    pdf = Shopper().visit(receipt_path).content

    assert text_of(pdf).count("\u0323") <= 8
