"""The lines of a receipt that is printed: how words break, and that none covers the sum."""

import re

import pytest

from checkout.paper import Paper
from core.clock import utc_now
from customers.services import test_customer
from merchants.models import Merchant
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification
from tests.checkout.pdf_text import bands_of, bold_text_of, text_of
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

    assert text_of(pdf).count("B$12.50") == 2
    bands = bands_of(pdf)
    assert len(bands) > 12
    for bottom, top, written_at in bands:
        assert {line for _, _, line in bands if bottom < line < top} == {written_at}


def test_a_receipt_shows_no_pile_of_marks_higher_than_a_letter_may_have(receipt_path):
    Merchant.objects.update(name=f"Cake{PILE}")
    pdf = Shopper().visit(receipt_path).content

    assert text_of(pdf).count("\u0323") <= 8


def test_a_word_wider_than_its_column_breaks_into_even_parts():
    """The head of the log ended with a line that had only its last letter."""
    paper = Paper(148, 210, title="Receipt", made_at=utc_now())
    paper.write_with(10, "#000000")
    head = "s1LRu3xd7+v1a+4NNt8jLLLLDYCYi52gpeg327z5Xx4="

    first, second = paper.wrapped(head, 80)

    assert first + second == head
    assert abs(len(first) - len(second)) <= 6


@pytest.mark.parametrize(
    ("change", "rows"),
    [
        ({}, ["Cake B$10.00", "Tax, delivery and other B$2.50", "Total B$12.50"]),
        ({"tip": 250}, ["Cake B$10.00", "Tip B$2.50", "Total B$12.50"]),
        ({"tip": 250, "line_items": []}, ["Amount B$10.00", "Tip B$2.50", "Total B$12.50"]),
        ({"line_items": []}, []),
    ],
)
def test_its_sums_are_those_of_the_page(receipt_path, change, rows):
    """The PDF had no total, and showed a tip without the amount that it was added to."""
    Payment.objects.update(**change)
    shopper = Shopper()
    page = shopper.visit(receipt_path.removesuffix(".pdf")).text
    on_page = re.findall(r"<dt>([^<]+)</dt><dd>(B\$[^<]+)</dd>", page)
    on_paper = re.findall(r"^(.+) (B\$\S+)$", text_of(shopper.visit(receipt_path).content), re.M)

    assert [" ".join(row) for row in on_page] == rows
    assert [" ".join(row) for row in on_paper] == rows


def test_its_total_stands_out(receipt_path):
    """As on the page, where it is bold; it was set like the items above it."""
    Payment.objects.update(tip=250)
    bold = bold_text_of(Shopper().visit(receipt_path).content).split()

    assert bold[-2:] == ["Total", "B$12.50"]
    assert not {"Cake", "Tip", "Order"} & set(bold)


def test_a_single_item_has_no_number(receipt_path):
    """As on the page of the receipt."""
    text = text_of(Shopper().visit(receipt_path).content)

    assert "Cake" in text
    assert "1 \u00d7" not in text


@pytest.mark.parametrize(("language", "label"), [("en", "Paid on"), ("ht", "Peye le")])
def test_its_day_is_labelled_as_one(receipt_path, language, label):
    """The words of the headline left the day no room on a small phone."""
    page = Shopper().visit(f"{receipt_path.removesuffix('.pdf')}?lang={language}")

    assert f"<dt>{label}</dt>" in page.text
