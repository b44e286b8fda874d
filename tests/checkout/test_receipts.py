"""The receipt: the live state, on a page, as PDF, by e-mail."""

import pytest

from core.clock import utc_now
from customers.services import test_customer
from merchants.callers import Caller
from messages.models import Message
from messages.send_loop import send_due_messages
from payments.models import Payment
from payments.numbers import number_of
from payments.paying import pay
from payments.verification import Verification
from refunds.services import RefundDraft, create_refund
from tests.checkout.pdf_text import fonts_of, text_of
from tests.checkout.shopper import Shopper, signed_in_at

ITEMS = [{"name": "Rum & <cake>", "quantity": 2, "price": 1_500}]


@pytest.fixture
def paid(payment_of):
    payment = payment_of(3_500, payment_mode="ORDER_PAY", line_items=ITEMS, order_id="A-7")
    return pay(
        payment_id=payment.id,
        customer=test_customer("+12425550177", utc_now(), merchant_id=payment.merchant_id),
        verified=Verification.PASSKEY,
        actor="test",
        now=utc_now(),
    )


def refund(payment: Payment, amount: int) -> None:
    caller = Caller(payment.merchant, livemode=False, actor="test")
    draft = RefundDraft(amount=amount, reason="Came back")
    create_refund(caller=caller, payment_id=payment.id, draft=draft, now=utc_now())


def test_it_shows_what_was_paid_for_and_by_whom(paid):
    shopper = Shopper()
    shopper.visit(f"/receipts/{paid.id}")

    assert "<h1>Paid</h1>" in shopper.text
    assert "B$35.00" in shopper.text
    assert "Rum &amp; &lt;cake&gt;" in shopper.text
    assert "<dt>Tax, delivery and other</dt><dd>B$5.00</dd>" in shopper.text
    assert paid.transaction_id in shopper.text
    assert "•••• 0177" in shopper.text
    assert "2425550177" not in shopper.text


@pytest.mark.parametrize("path", ["/receipts/", "/checkout/"])
def test_the_page_of_the_payment_and_the_receipt_are_one_proof(paid, path):
    paid.merchant.support_email = "help@shop.example"
    paid.merchant.save()
    shopper = Shopper()
    shopper.visit(f"{path}{paid.id}")

    assert "<h1>Paid</h1>" in shopper.text
    assert "Rum &amp; &lt;cake&gt;" in shopper.text
    assert "<dt>Order</dt><dd>A-7</dd>" in shopper.text
    assert 'href="mailto:help@shop.example"' in shopper.text
    shopper.send(to=f"/receipts/{paid.id}", email="ann@example.com")
    assert "The receipt is on its way to your inbox." in shopper.text


def test_a_merchant_without_a_support_address_is_named_as_the_one_to_ask(paid):
    shopper = Shopper()
    shopper.visit(paid.hosted_url)

    assert f"Questions? Ask {paid.merchant.name}." in shopper.text


def test_it_goes_on_to_the_shop_from_the_press_that_pays_only(payment_of):
    payment = payment_of(150, success_url="https://shop.example/ok")
    shopper = signed_in_at(payment)
    shopper.send(to="/pay")
    assert 'data-go="10" data-payer' in shopper.text
    assert "can see that you have paid." in shopper.text

    for path in (payment.hosted_url, f"/receipts/{payment.id}"):
        shopper.visit(path)
        assert "data-go" not in shopper.text
        assert 'href="https://shop.example/ok?payment_id=' in shopper.text


def test_the_payers_own_old_page_says_paid_and_no_more(payment_of):
    payment = payment_of(150)
    shopper = signed_in_at(payment)
    shopper.send(to="/pay")
    for step in ("/phone", "/code", "/pin", "/passkey", "/short", "/cancel"):
        shopper.visit(f"{payment.hosted_url}{step}")
        assert shopper.path == payment.hosted_url
        assert "<h1>Paid</h1>" in shopper.text
        assert "already paid" not in shopper.text
        assert "Someone else" not in shopper.text


def test_who_presses_too_late_is_told_that_someone_else_has_paid(payment_of):
    payment = payment_of(150)
    late, stranger, payer = Shopper(), Shopper(), Shopper()
    for shopper, phone in ((late, "+1 242 555 0177"), (payer, "+1 242 555 0178")):
        shopper.visit(payment.hosted_url)
        shopper.sign_in(phone)
    stranger.visit(payment.hosted_url)
    payer.send(to="/pay")
    late.send(to="/pay")
    stranger.send(to="/pay")

    assert "Someone else has paid this. Nothing has been taken from you." in late.text
    assert "This payment is already paid. Nothing has been taken a second time." in stranger.text
    assert "data-go" not in late.text + stranger.text


def test_who_waits_while_someone_else_pays_is_not_told_that_they_have(payment_of):
    payment = payment_of(150, success_url="https://shop.example/ok")
    waiting, payer, desktop = Shopper(), Shopper(), Shopper()
    for shopper, phone in ((waiting, "+1 242 555 0177"), (payer, "+1 242 555 0178")):
        shopper.visit(payment.hosted_url)
        shopper.sign_in(phone)
    payer.send(to="/pay")
    for shopper in (waiting, desktop):
        shopper.visit(f"{payment.hosted_url}?paid=1")

    assert "Someone else has paid this. Nothing has been taken from you." in waiting.text
    assert "can see that you have paid" not in waiting.text
    assert ("data-go" in waiting.text, "data-go" in desktop.text) == (False, True)
    assert "data-payer" not in desktop.text  # its script knows whether it has waited


def test_what_was_not_paid_has_no_receipt(payment):
    shopper = Shopper()
    shopper.visit(f"/receipts/{payment.id}")

    assert shopper.path == payment.hosted_url


def test_the_pdf_says_the_same(paid):
    refund(paid, 500)
    response = Shopper().visit(f"/receipts/{paid.id}.pdf")

    text = text_of(response.content)
    assert response["Content-Type"] == "application/pdf"
    assert "Paid, partly refunded" in text
    assert "Rum & <cake>" in text
    assert "B$35.00 BSD" in text


@pytest.mark.parametrize(
    ("name", "font"),
    [
        ("Boulanjri Lèt ak Siwo", "FiraSansBold"),
        ("Пекарня <b>&amp;</b>", "FiraSansBold"),
        ("مخبز", "NotoSansArabic"),
        ("北京饺子馆", "NotoSansCJKJP"),
        ("Pizza 🍕", "NotoEmoji"),
    ],
)
def test_the_pdf_bears_a_name_in_any_script(paid, name, font):
    paid.merchant.name = name
    paid.merchant.save()
    pdf = Shopper().visit(f"/receipts/{paid.id}.pdf").content

    assert font in fonts_of(pdf)
    assert name in text_of(pdf)
    assert Shopper().visit(f"/receipts/{paid.id}.pdf").content == pdf


def test_the_pdf_opens_no_font_that_it_does_not_need(paid):
    pdf = Shopper().visit(f"/receipts/{paid.id}.pdf").content

    assert fonts_of(pdf) == {"FiraSans", "FiraSansBold"}


def test_it_is_sent_by_e_mail(paid, mailoutbox):
    shopper = Shopper()
    shopper.visit(f"/receipts/{paid.id}")
    shopper.send(email="ann@example.com")

    assert "The receipt is on its way to your inbox." in shopper.text
    planned = Message.objects.get(about=paid.id)
    assert (planned.recipient, planned.kind) == ("ann@example.com", "receipt")

    send_due_messages(now=utc_now())
    (mail,) = mailoutbox
    assert f"http://testserver/receipts/{paid.id}" in mail.body
    assert f'href="http://testserver/receipts/{paid.id}"' in mail.alternatives[0][0]


@pytest.mark.parametrize("email", ["", "ann", "ann@example.com\nBcc: x@example.com", "@"])
def test_it_refuses_what_is_no_address(paid, email):
    shopper = Shopper()
    shopper.visit(f"/receipts/{paid.id}")
    response = shopper.send(email=email)

    assert response.status_code == 422
    assert Message.objects.count() == 0


def test_it_cannot_send_hundreds_of_mails(paid):
    shopper = Shopper()
    shopper.visit(f"/receipts/{paid.id}")
    for number in range(5):
        shopper.send(email=f"ann{number}@example.com")
    response = shopper.send(email="ann5@example.com")

    assert response.status_code == 422
    assert "Too many attempts." in shopper.text
    assert Message.objects.count() == 5


def test_a_receipt_is_sent_again_on_another_request(paid, mailoutbox):
    for _ in range(2):
        shopper = Shopper()
        shopper.visit(f"/receipts/{paid.id}")
        shopper.send(email="ann@example.com")
        send_due_messages(now=utc_now())

    assert ["would have gone to ann@example.com" in mail.body for mail in mailoutbox] == [True] * 2


def test_the_mail_is_in_the_language_of_the_page(paid, mailoutbox):
    shopper = Shopper(accept_language="fr")
    shopper.visit(f"/receipts/{paid.id}")
    shopper.send(email="ann@example.com")

    send_due_messages(now=utc_now())

    assert mailoutbox[0].subject == f"[Test] Reçu\u00a0: 35,00\u00a0B$ BSD à {paid.merchant.name}"


def test_the_pdf_of_a_test_says_that_it_is_one(paid):
    def pdf() -> str:
        return text_of(Shopper().visit(f"/receipts/{paid.id}.pdf").content)

    assert "Test: no money moves" in pdf()

    Payment.objects.update(livemode=True)
    assert "Test" not in pdf()


@pytest.mark.parametrize(("language", "written"), [("fr", "12 345,00 B$"), ("es", "B$12,345.00")])
def test_the_pdf_writes_thousands_as_its_language_does(paid, language, written):
    Payment.objects.update(amount=1_234_500)

    response = Shopper().visit(f"/receipts/{paid.id}.pdf?lang={language}")

    assert written in text_of(response.content)
    assert "?" not in text_of(response.content)


def test_one_short_number_stands_on_page_paper_and_mail(paid, mailoutbox):
    number = number_of(paid.id)
    shopper = Shopper()
    shopper.visit(f"/receipts/{paid.id}")
    assert f"<dt>Receipt number</dt><dd><code>{number}</code></dd>" in shopper.text

    pdf = shopper.visit(f"/receipts/{paid.id}.pdf")
    assert number in text_of(pdf.content)
    shopper.visit(f"/receipts/{paid.id}")
    shopper.send(email="ana@example.com")
    send_due_messages(now=utc_now())
    (mail,) = mailoutbox
    assert f"Receipt number: {number}" in mail.body
    assert f"Receipt number: {number}" in mail.alternatives[0][0]


def test_it_says_who_sold_and_what_tax_is_in_it(payment_of):
    items = [{"name": "Rum", "quantity": 2, "price": 1_500, "tax": 273}]
    payment = payment_of(3_000, payment_mode="ORDER_PAY", line_items=items)
    merchant = payment.merchant
    merchant.address, merchant.tax_id = "12 Bay Street\nNassau", "TIN 100-200"
    merchant.save()
    sold = pay(
        payment_id=payment.id,
        customer=test_customer(None, utc_now(), merchant_id=merchant.id),
        verified=Verification.PASSKEY,
        actor="test",
        now=utc_now(),
    )
    shopper = Shopper()
    shopper.visit(f"/receipts/{sold.id}")
    assert "12 Bay Street<br>Nassau<br>Tax number TIN 100-200" in shopper.text
    assert "<dt>Tax included</dt><dd>B$2.73</dd>" in shopper.text

    pdf = text_of(shopper.visit(f"/receipts/{sold.id}.pdf").content)
    for words in ("12 Bay Street", "Nassau", "Tax number TIN 100-200", "B$2.73"):
        assert words in pdf
