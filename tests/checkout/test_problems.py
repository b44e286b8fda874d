"""Report a problem on a receipt, and read the answer."""

import pytest

from core.clock import utc_now
from customers.models import Customer
from customers.services import freeze
from payments.models import Payment
from refunds.models import Inquiry, InquiryEntry
from tests.checkout.shopper import Shopper
from tests.client import Api
from tests.factories import PaymentFactory
from tests.refunds.refunding import sell

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(merchant) -> Payment:
    return sell(merchant, 1_250)


def page_of(payment: Payment) -> Shopper:
    shopper = Shopper()
    shopper.visit(f"/receipts/{payment.id}/problem")
    return shopper


def test_it_is_reported_from_the_receipt(paid):
    shopper = Shopper()
    shopper.visit(f"/receipts/{paid.id}")
    assert f'href="/receipts/{paid.id}/problem"' in shopper.text

    shopper = page_of(paid)
    shopper.send(to="", reason="not_received", text="Two tickets\r\nare missing <b>")

    assert shopper.path == f"/receipts/{paid.id}/problem"
    assert f"We have received it and told {paid.merchant.name}." in shopper.text
    assert "Two tickets<br>are missing &lt;b&gt;" in shopper.text
    inquiry = Inquiry.objects.get()
    assert (inquiry.payment_id, inquiry.reason, inquiry.status) == (paid.id, "not_received", "open")
    assert InquiryEntry.objects.get().text == "Two tickets\nare missing <b>"


def test_the_answer_stands_on_the_page(api: Api, paid):
    page_of(paid).send(reason="duplicate", text="Twice")
    inquiry = Inquiry.objects.get()
    api(paid.merchant).post(f"/v1/inquiries/{inquiry.id}/answer", {"text": "Looking into it"})

    shopper = page_of(paid)

    assert "Looking into it" in shopper.text
    assert f"<strong>{paid.merchant.name}</strong>" in shopper.text
    assert "Write again" in shopper.text


def test_the_receipt_leads_to_the_messages_about_a_problem(paid):
    page_of(sell(paid.merchant, 900)).send(reason="duplicate", text="Another payment")
    receipt = Shopper()
    receipt.visit(f"/receipts/{paid.id}")
    assert '/problem">Report a problem</a>' in receipt.text
    page_of(paid).send(reason="duplicate", text="Twice")

    receipt.visit(f"/receipts/{paid.id}")

    assert '/problem">Messages about a problem</a>' in receipt.text


BY_MESSAGE = "The answer will come by e-mail or text message, and appear on this page."
ON_THE_PAGE = "The answer will appear on this page, which the receipt leads to."


@pytest.mark.parametrize(
    ("email", "words"), [("pat@example.com", BY_MESSAGE), ("", ON_THE_PAGE)], ids=["email", "none"]
)
def test_a_message_with_the_answer_is_promised_only_if_one_can_be_sent(paid, email, words):
    payer = payer_of(paid)
    Customer.objects.filter(pk=paid.customer_id).update(email=email)
    payer.visit(f"/receipts/{paid.id}/problem")

    payer.send(to="", reason="other", text="Where is it?")

    assert words in payer.text


def test_a_visitor_who_reports_is_promised_no_message(paid):
    Customer.objects.filter(pk=paid.customer_id).update(email="pat@example.com")
    visitor = page_of(paid)

    visitor.send(to="", reason="other", text="Found this")

    assert ON_THE_PAGE in visitor.text


@pytest.mark.parametrize("reason", ["", "made_up"])
def test_what_is_wrong_has_to_be_chosen(paid, reason):
    shopper = page_of(paid)
    shopper.send(reason=reason, text="x" * 500)

    assert "Choose what the problem is." in shopper.text
    assert "x" * 500 in shopper.text
    assert Inquiry.objects.count() == 0


def test_a_text_has_its_limits(paid):
    shopper = page_of(paid)
    shopper.send(reason="other", text="x" * 501)
    assert Inquiry.objects.count() == 0

    for text, why in (
        ("\u202egnp", "This contains a character that cannot be stored."),
        ("cake" + "\u0323" * 9, "A letter has too many marks above or below it."),
    ):
        shopper.send(reason="other", text=text)
        assert why in shopper.text
    assert Inquiry.objects.count() == 0


def test_a_report_of_many_lines_is_as_long_as_the_browser_lets_it_be(paid):
    """A browser counts a line break as one character, and sends two."""
    lines = "\r\n".join(["x" * 9] * 50)
    shopper = page_of(paid)
    shopper.send(to="", reason="", text=lines)
    assert shopper.text.count("x" * 9) == 50

    shopper.send(to="", reason="other", text=lines)

    assert InquiryEntry.objects.get().text == lines.replace("\r\n", "\n")


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "Write at most 500 characters."), ("ht", "Pa ekri plis pase 500 karaktè.")],
)
def test_too_long_a_report_is_refused_in_the_readers_language(paid, language, words):
    shopper = Shopper(accept_language=language)
    shopper.visit(f"/receipts/{paid.id}/problem")
    shopper.send(to="", reason="other", text="x" * 501)

    assert words in shopper.text
    assert Inquiry.objects.count() == 0


def test_it_is_reported_five_times_a_day_at_most(paid):
    for _ in range(6):
        shopper = page_of(paid)
        shopper.send(reason="other", text="Again")

    assert InquiryEntry.objects.count() == 5
    assert "try again" in shopper.text.lower()


def test_what_is_not_paid_has_no_such_page(merchant):
    payment = PaymentFactory(merchant=merchant, created_at=utc_now())
    shopper = Shopper()
    shopper.visit(f"/receipts/{payment.id}/problem")

    assert shopper.path == payment.hosted_url


def test_a_merchant_does_not_write_in_its_customers_name(api: Api, paid):
    """It has the address of the receipt, too: words of its own stood there as the customer's."""
    page_of(paid).send(reason="other", text="My mistake, all is well")

    inquiry = Inquiry.objects.get()
    read = api(paid.merchant).get(f"/v1/inquiries/{inquiry.id}").json()
    assert [entry["author"] for entry in read["entries"]] == ["visitor"]
    shown = page_of(paid).text
    assert "Someone with this receipt" in shown
    assert "<strong>You</strong>" not in shown


def test_another_customer_is_a_visitor(paid):
    other = payer_of(paid, phone="+1 242 555 0105")
    other.visit(f"/receipts/{paid.id}/problem")
    other.send(to="", reason="other", text="Not mine")

    assert InquiryEntry.objects.get().author == "visitor"
    assert "Someone with this receipt" in other.text


def test_the_customer_who_paid_writes_under_their_name(api: Api, paid):
    payer = payer_of(paid)
    payer.visit(f"/receipts/{paid.id}/problem")
    assert "Was it you who paid?" not in payer.text
    payer.send(to="", reason="other", text="Where is it?")

    assert InquiryEntry.objects.get().author == "customer"
    assert "<strong>You</strong>" in payer.text
    assert 'class="wrote own"' in payer.text
    visitor = page_of(paid)
    assert "<strong>The customer</strong>" in visitor.text
    assert 'class="wrote own"' not in visitor.text


def test_visitors_do_not_use_up_the_customers_reports(paid):
    for _ in range(6):
        page_of(paid).send(reason="other", text="Again")
    payer = payer_of(paid)
    payer.visit(f"/receipts/{paid.id}/problem")
    payer.send(to="", reason="other", text="It is me")

    assert InquiryEntry.objects.latest("pk").text == "It is me"


def payer_of(payment: Payment, phone: str = "+1 242 555 0100") -> Shopper:
    """Return a browser in which a customer of the merchant has signed in."""
    shopper = Shopper()
    another = PaymentFactory(merchant=payment.merchant, created_at=utc_now())
    shopper.visit(another.hosted_url)
    shopper.sign_in(phone=phone)
    return shopper


def test_a_session_that_was_ended_meanwhile_writes_in_no_ones_name(paid):
    """Its form was open when the account was frozen: it is a visitor's, as from any browser."""
    stolen = payer_of(paid)
    stolen.visit(f"/receipts/{paid.id}/problem")
    freeze(customer_id=paid.customer_id, actor="staff:support", now=utc_now())

    stolen.send(to="", reason="other", text="My mistake, all is well")

    assert InquiryEntry.objects.get().author == "visitor"
    assert "<strong>You</strong>" not in stolen.text
