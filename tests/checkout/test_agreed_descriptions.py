"""What a customer has agreed to, and with whom, stays on the receipt, whatever comes later."""

from datetime import datetime, timedelta
from hashlib import sha256

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from checkout.agreements import AGREED_COOKIE, MOST_REMEMBERED, remember_agreed
from checkout.browser_session import cookie_name
from core.clock import utc_now
from merchants.evidence import approve_change, request_change
from merchants.models import Merchant, MerchantChange
from messages.models import Message
from payments.emails import plan_receipt_again, write
from payments.models import Payment
from payments.paying import lock_payable
from tests.checkout.descriptions import CHANGED, describe
from tests.checkout.pdf_text import text_of
from tests.checkout.shopper import Shopper, signed_in_at
from tests.factories import PaymentFactory
from tests.refunds.refunding import sell

pytestmark = pytest.mark.django_db
DIGEST = sha256(b"A phone").hexdigest()


@pytest.fixture
def small(merchant: Merchant) -> Payment:
    return PaymentFactory.create(merchant=merchant, amount=150, description="A phone")


def test_it_goes_on_saying_what_was_agreed_to(merchant: Merchant) -> None:
    """A shop could turn "Two lamps" into "One lamp" once it had the money."""
    paid = sell(merchant, 3_500)
    paid.description = "Two lamps"
    paid.save()
    for later in ("One lamp", "No lamp"):
        describe(paid, later)
    plan_receipt_again(payment_id=paid.id, recipient="ann@example.com", now=utc_now())
    mail = write(Message.objects.get(recipient="ann@example.com"), utc_now())
    assert mail is not None
    shopper = Shopper()
    shopper.visit(f"/receipts/{paid.id}")
    on_paper = text_of(Shopper().visit(f"/receipts/{paid.id}.pdf").content)

    for said in (shopper.text, on_paper, mail.text, mail.html):
        assert "Two lamps" in said
        assert "No lamp" not in said
    assert Payment.objects.get(pk=paid.pk).description == "No lamp"


def test_what_is_changed_before_it_is_paid_is_what_is_agreed_to(merchant: Merchant) -> None:
    payment = PaymentFactory.create(merchant=merchant, amount=150, description="Two lamps")
    describe(payment, "A lamp")
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    assert "A lamp" in shopper.text
    shopper.sign_in()
    shopper.send(to="/pay")

    assert "A lamp" in shopper.text
    assert Payment.objects.get(pk=payment.pk).paid_description is None


def test_what_is_changed_while_the_pin_is_typed_is_read_before_it_is_paid(
    merchant: Merchant,
) -> None:
    """A shop that polls sees that the PIN is asked for, and has seconds to change what is sold."""
    payment = PaymentFactory.create(merchant=merchant, amount=4_000, description="A phone")
    shopper = signed_in_at(payment)
    assert "A phone" in shopper.text
    describe(payment, "A box")
    shopper.send(pin="1234")

    assert (shopper.path, Payment.objects.get().completed_at) == (payment.hosted_url, None)
    assert CHANGED in shopper.text
    assert "A box" in shopper.text
    shopper.send(to="/pay")
    shopper.send(pin="1234")
    assert "<h1>Paid</h1>" in shopper.text
    assert "A box" in shopper.text


def test_what_is_changed_beside_the_review_is_read_before_it_is_paid(small: Payment) -> None:
    shopper = signed_in_at(small)
    describe(small, "A box")
    shopper.send(to="/pay")

    assert CHANGED in shopper.text
    assert Payment.objects.get().completed_at is None
    shopper.send(to="/pay")
    assert "<h1>Paid</h1>" in shopper.text


def test_what_is_changed_before_the_lock_that_pays_is_read_first(
    small: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    shopper = signed_in_at(small)

    def changed_before_the_lock(payment_id: str, now: datetime) -> Payment:
        describe(small, "A box")
        return lock_payable(payment_id, now)

    monkeypatch.setattr("payments.paying.lock_payable", changed_before_the_lock)
    shopper.send(to="/pay")

    assert CHANGED in shopper.text
    assert Payment.objects.get().completed_at is None


def test_a_press_in_another_tab_hides_no_change_from_the_first(
    merchant: Merchant, small: Payment
) -> None:
    """The browser knew what the last press agreed to: the other tab showed the change as read."""
    payment = PaymentFactory.create(merchant=merchant, amount=4_000, description="Two lamps")
    shopper = signed_in_at(payment)
    shopper.visit(small.hosted_url)
    shopper.send(to="/pay")
    assert "<h1>Paid</h1>" in shopper.text
    describe(payment, "A lamp")
    shopper.visit(f"{payment.hosted_url}/pin")

    assert shopper.path == payment.hosted_url
    assert CHANGED in shopper.text


def test_what_is_remembered_of_other_tabs_has_an_end(merchant: Merchant) -> None:
    shopper = Shopper()
    for _ in range(MOST_REMEMBERED + 2):
        payment = PaymentFactory.create(merchant=merchant, amount=150)
        shopper.visit(payment.hosted_url)
        shopper.send(to="/pay")

    presses = shopper.client.cookies[cookie_name(AGREED_COOKIE)].value.split("~")
    assert len(presses) == MOST_REMEMBERED
    assert presses[-1].startswith(payment.id)


def test_a_payment_pressed_again_takes_no_other_ones_place() -> None:
    request, name = RequestFactory().get("/"), cookie_name(AGREED_COOKIE)
    for payment_id in ("pay_a", *["pay_b"] * MOST_REMEMBERED):
        response = HttpResponse()
        remember_agreed(request, response, payment_id, DIGEST)
        request.COOKIES[name] = response.cookies[name].value

    assert request.COOKIES[name] == f"pay_a.{DIGEST}~pay_b.{DIGEST}"


def test_what_is_no_digest_is_not_remembered() -> None:
    response = HttpResponse()

    remember_agreed(RequestFactory().get("/"), response, "pay_a", DIGEST[1:])

    assert not response.cookies


@pytest.mark.parametrize("step", ["the phone", "the code"])
def test_what_is_changed_while_a_customer_signs_in_is_read_first(
    merchant: Merchant, step: str
) -> None:
    """From the press on Pay to the code in a text message a shop has a minute."""
    payment = PaymentFactory.create(merchant=merchant, amount=4_000, description="A phone")
    shopper = Shopper()
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    if step == "the code":
        shopper.send(phone="+1 242 555 0100")
    assert "A phone" in shopper.text
    describe(payment, "A box")
    shopper.send(**({"phone": "+1 242 555 0100"} if step == "the phone" else {"code": "000000"}))

    assert shopper.path == payment.hosted_url
    assert CHANGED in shopper.text
    shopper.sign_in()
    shopper.send(pin="1234")
    assert "<h1>Paid</h1>" in shopper.text


def test_after_a_new_pin_the_payment_is_read_again(merchant: Merchant) -> None:
    payment = PaymentFactory.create(merchant=merchant, amount=4_000, description="A phone")
    shopper = signed_in_at(payment)
    shopper.visit(f"/account/pin/forgotten?payment={payment.id}&test=1")
    shopper.send(again="1")
    describe(payment, "A box")
    shopper.send(code="000000", pin="8305")

    assert shopper.path == payment.hosted_url
    assert "A box" in shopper.text


def test_the_digest_of_what_is_read_is_whole(small: Payment) -> None:
    """A shop that writes both texts finds two that share their first 64 bits within hours."""
    shopper = Shopper()
    shopper.visit(small.hosted_url)

    assert shopper.form("/pay").fields["agreed"] == sha256(b"A phone").hexdigest()


@pytest.mark.parametrize("said", [None, "", "0" * 64], ids=["nothing", "empty", "another"])
@pytest.mark.parametrize(
    "path", ["pay", "prove", "pin", "pin/new", "passkey", "passkey/new", "passkey/device"]
)
def test_a_form_that_does_not_say_what_was_read_pays_nothing(
    merchant: Merchant, path: str, said: str | None
) -> None:
    payment = PaymentFactory.create(merchant=merchant, amount=4_000)
    shopper = signed_in_at(payment)
    fields = shopper.form().fields | {"pin": "1234", "credential": "{}", "agreed": said}
    sent = {name: value for name, value in fields.items() if value is not None}
    response = shopper.client.post(f"{payment.hosted_url}/{path}", sent)

    assert (response.status_code, response["Location"]) == (303, payment.hosted_url)
    assert CHANGED in shopper.visit(payment.hosted_url).content.decode()


def test_it_goes_on_saying_who_has_sold(merchant: Merchant) -> None:
    """Each number that staff approve stood on the receipts of years before."""
    Merchant.objects.update(status="verified", address="1 Bay Street", tax_id="100", name="Conch")
    sold = sell(Merchant.objects.get(), 3_500, at=utc_now() - timedelta(hours=1))
    for number in ("200", "300"):
        change = {"tax_id": number, "address": f"{number} New Street", "name": f"Shop {number}"}
        request_change(Merchant.objects.get(), change, actor="key_1", now=utc_now())
        approve_change(change_id=MerchantChange.objects.pending().get().pk, now=utc_now())
    plan_receipt_again(payment_id=sold.id, recipient="ann@example.com", now=utc_now())
    mail = write(Message.objects.get(recipient="ann@example.com"), utc_now())
    assert mail is not None
    shopper = Shopper()
    shopper.visit(f"/receipts/{sold.id}")
    on_paper = text_of(Shopper().visit(f"/receipts/{sold.id}.pdf").content)

    for said in (shopper.text.replace("<br>", "\n"), on_paper, mail.text):
        assert "Shop 300" in said
        assert "Conch\n1 Bay Street\nTax number 100" in said
        assert "New Street" not in said
    sold_now = sell(Merchant.objects.get(), 3_500)
    shopper.visit(f"/receipts/{sold_now.id}")
    assert "300 New Street<br>Tax number 300" in shopper.text
