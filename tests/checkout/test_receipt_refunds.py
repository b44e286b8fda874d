"""The receipt of what was given back: on the page and on paper, from asked for to arrived."""

import re
from datetime import UTC, datetime

import pytest
from django.conf import settings

from core.clock import utc_now
from customers.services import test_customer
from merchants.callers import Caller
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund
from refunds.tasks import retry_refunds
from tests.checkout.pdf_text import text_of
from tests.checkout.shopper import Shopper
from tests.payouts.merchant_balance import credit


@pytest.fixture
def paid(payment_of):
    payment = payment_of(3_500)
    return pay(
        payment_id=payment.id,
        customer=test_customer("+12425550177", utc_now(), merchant_id=payment.merchant_id),
        verified=Verification.PASSKEY,
        actor="test",
        now=utc_now(),
    )


def refund(payment: Payment, amount: int, reason: str = "Came back") -> None:
    caller = Caller(payment.merchant, livemode=False, actor="test")
    draft = RefundDraft(amount=amount, reason=reason)
    create_refund(caller=caller, payment_id=payment.id, draft=draft, now=utc_now())


@pytest.mark.parametrize(
    ("amount", "words"), [(500, "Paid, partly refunded"), (3_500, "Refunded in full")]
)
def test_it_shows_money_that_went_back_as_soon_as_it_did(paid, amount, words):
    shopper = Shopper()
    shopper.visit(f"/receipts/{paid.id}")
    assert words not in shopper.text
    refund(paid, amount)
    shopper.visit(f"/receipts/{paid.id}")

    for path in (f"/receipts/{paid.id}", paid.hosted_url):
        shopper.visit(path)
        assert f"<h1>{words}</h1>" in shopper.text
        assert f"<title>{words} · B$35.00 · {paid.merchant.name} " in shopper.text
        assert f"B${amount / 100:.2f} refunded, " in shopper.text
        assert "Came back" in shopper.text
    shopper.visit(f"/receipts/{paid.id}/proof")
    assert f"<strong>{words}</strong>" in shopper.text


def test_money_that_is_still_on_its_way_back_is_not_called_refunded(paid):
    credit(paid.merchant, -3_400)
    refund(paid, 500)
    page, pdf = Shopper(), f"/receipts/{paid.id}.pdf"
    page.visit(f"/receipts/{paid.id}")

    assert "<h1>Paid</h1>" in page.text
    assert "<dt>Refund on its way<br>Came back</dt><dd>B$5.00</dd>" in page.text
    assert "Refund on its way" in text_of(page.visit(pdf).content)
    assert "Refunded" not in text_of(page.visit(pdf).content)

    credit(paid.merchant, 3_400)
    retry_refunds()
    assert re.search(r"Refunded \d.+\nCame back\n", text_of(page.visit(pdf).content), re.DOTALL)
    assert "on its way" not in text_of(page.visit(pdf).content)


def test_on_paper_long_reasons_are_cut_to_one_length_and_none_leaves_a_line(paid):
    for number in range(20):
        refund(paid, 1, reason=f"{number}\nab" + 160 * " ab")
    refund(paid, 1, reason="")

    text = text_of(Shopper().visit(f"/receipts/{paid.id}.pdf").content)

    assert all(f"\n{number} ab ab" in text for number in range(20))
    assert text.count("…") == 20


def test_on_paper_it_names_its_address_and_its_time(paid):
    """The words "this page" say nothing there."""
    page = Shopper().visit(f"/receipts/{paid.id}").content.decode()
    styles = (settings.BASE_DIR / "static/checkout/checkout.css").read_text()

    [on_paper] = re.findall(r'<span class="on-paper">(.*?)</span>', page)
    assert re.match(r"As of [^<]+ \(GMT\u2212\d\d:\d\d\)\. The page ", on_paper)
    assert f"{settings.CHECKOUT_URL}/receipts/{paid.id} always shows" in on_paper
    assert '<span class="on-screen">This page is the proof' in page
    assert "@media screen { .on-paper { display: none; } }" in styles
    hidden = styles.partition("@media print {")[2].partition("display: none")[0]
    assert ".on-screen" in hidden


def test_it_names_the_offset_of_each_of_its_times(paid, monkeypatch):
    """What is paid in winter and refunded in summer has two: the name of one would be wrong."""
    refund(paid, 1_000)
    Refund.objects.update(succeeded_at=datetime(2026, 7, 1, 18, tzinfo=UTC))
    Payment.objects.update(completed_at=datetime(2026, 1, 5, 18, tzinfo=UTC))
    shopper = Shopper()
    page = shopper.visit(f"/receipts/{paid.id}").content.decode().replace("\u00a0", " ")
    french = shopper.visit(f"/receipts/{paid.id}?lang=fr").content.decode()

    assert "<dd>5 Jan 2026, 1:00 pm (GMT\u221205:00)</dd>" in page
    assert "<dt>1 Jul 2026, 2:00 pm (GMT\u221204:00)" in page
    assert french.count("(UTC\u221205:00)") == 1
    assert french.count("(UTC\u221204:00)") == 2  # and when it is printed, in March
