"""The page of a payment link, and the payments that come of it."""

from datetime import timedelta

import pytest
from django.http import HttpResponse

from checkout.browser_session import remember_device
from core.clock import utc_now
from customers.models import Customer, CustomerSession
from links.models import PaymentLink
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper
from tests.factories import CustomerFactory, MerchantFactory
from tests.nights import ITS_OWN


@pytest.fixture
def link_of(merchant):
    caller = Caller(merchant, livemode=False, actor="test")
    return lambda amount=150, **more: create_link(
        caller=caller, draft=LinkDraft(currency="BSD", amount=amount, **more), now=utc_now()
    )


def path_of(link: PaymentLink) -> str:
    return f"/pay/{link.merchant.slug}/{link.id}"


def test_a_link_shows_what_it_asks_for_and_looking_opens_nothing(link_of):
    shopper = Shopper()
    shopper.visit(path_of(link_of(description="Donation")))

    assert "Donation" in shopper.text
    assert ">Pay B$1.50</button>" in shopper.text
    assert Payment.objects.count() == 0


def test_one_press_of_pay_on_a_link_leads_to_the_phone_number(link_of):
    """An identical page with the same button came between."""
    shopper = Shopper()
    shopper.visit(path_of(link_of()))

    shopper.send()

    payment = Payment.objects.get()
    assert shopper.path == f"{payment.hosted_url}/phone"
    assert f'<a href="{payment.hosted_url}">Back</a>' in shopper.text


def test_who_is_signed_in_sees_the_wallet_before_a_link_is_paid(link_of):
    shopper = Shopper()
    shopper.visit(path_of(link_of()))
    shopper.send()
    shopper.sign_in()
    shopper.visit(path_of(link_of(amount=200)))

    shopper.send()

    payment = Payment.objects.latest("pk")
    assert shopper.path == payment.hosted_url
    assert "From the wallet of" in shopper.text
    assert payment.status == PaymentStatus.CREATED


@pytest.mark.parametrize(
    ("is_theirs", "step"), [(True, ""), (False, "/phone")], ids=["their shop", "another shop"]
)
def test_a_device_with_a_passkey_that_can_pay_is_asked_for_no_phone_number_after_a_link(
    link_of, merchant, is_theirs, step
):
    """A test customer, whose passkey it holds, pays at the shop that made them."""
    customer = CustomerFactory(merchant=merchant if is_theirs else MerchantFactory())
    device, shopper = HttpResponse(), Shopper()
    remember_device(device, customer)
    shopper.client.cookies.update(device.cookies)
    shopper.visit(path_of(link_of()))

    shopper.send()

    assert shopper.path == f"{Payment.objects.get().hosted_url}{step}"


def test_a_link_is_handed_over_to_a_phone_by_its_own_code(link_of):
    link = link_of()
    shopper = Shopper()
    shopper.visit(path_of(link))

    assert f'<img src="{path_of(link)}/qr.svg"' in shopper.text
    assert "This page updates by itself" not in shopper.text
    assert shopper.client.get(f"{path_of(link)}/qr.svg").status_code == 200
    assert Payment.objects.count() == 0


@pytest.mark.each_on_postgres(ITS_OWN)
def test_it_is_paid_from_link_to_receipt(link_of):
    link = link_of(success_url="https://shop.example/ok", metadata={"a": "b"})
    shopper = Shopper()
    shopper.visit(path_of(link))
    shopper.send()
    shopper.sign_in()
    shopper.send(to="/pay")

    payment = Payment.objects.get(link=link)
    assert payment.status == PaymentStatus.COMPLETED
    assert (payment.amount, payment.metadata) == (150, {"a": "b"})
    assert "https://shop.example/ok?payment_id=" in shopper.text
    assert PaymentLink.objects.with_uses().get().uses == 1


def test_an_open_amount_is_entered(link_of):
    link = link_of(amount=None)
    shopper = Shopper()
    shopper.visit(path_of(link))
    assert shopper.send(amount="0").status_code == 422
    shopper.send(amount="12.50")

    payment = Payment.objects.get(link=link)
    assert payment.amount == 1_250
    assert shopper.path == payment.hosted_url, "where it is seen once more before it is paid"


def test_a_double_click_opens_one_payment(link_of):
    link = link_of()
    shopper = Shopper()
    shopper.visit(path_of(link))
    fields = shopper.form().fields
    answers = {shopper.client.post(path_of(link), fields)["Location"] for _ in range(2)}

    assert len(answers) == 1
    assert Payment.objects.filter(link=link).count() == 1


def test_the_last_use_is_paid_by_one(link_of):
    link = link_of(max_uses=1)
    shoppers = [Shopper(), Shopper()]
    for shopper in shoppers:
        shopper.visit(path_of(link))
        shopper.send()
        shopper.sign_in()
    for shopper in shoppers:
        shopper.send(to="/pay")

    assert "<h1>Paid</h1>" in shoppers[0].text
    assert "<h1>This link takes no more payments</h1>" in shoppers[1].text
    assert "Continue with the payment" not in shoppers[1].text
    assert Payment.objects.filter(status="completed").count() == 1


def test_a_payment_already_open_says_when_its_link_was_used_up(link_of):
    link = link_of(max_uses=1)
    payer, other = Shopper(), Shopper()
    for shopper in (payer, other):
        shopper.visit(path_of(link))
        shopper.send()
    own = other.path.removesuffix("/phone")
    other.visit(own)
    assert "Pay B$" in other.text
    payer.sign_in()
    payer.send(to="/pay")

    other.visit(own)
    assert "<h1>This link takes no more payments</h1>" in other.text
    assert "Pay B$" not in other.text


def test_who_paid_by_a_link_that_has_ended_sees_the_receipt_there(link_of):
    link = link_of(max_uses=1)
    payer, other = Shopper(), Shopper()
    payer.visit(path_of(link))
    payer.send()
    payer.sign_in()
    payer.send(to="/pay")

    payer.visit(path_of(link))
    assert payer.path == f"/receipts/{Payment.objects.get(link=link).id}"
    assert "<h1>Paid</h1>" in payer.text
    other.visit(path_of(link))
    assert "<h1>This link takes no more payments</h1>" in other.text
    assert "Nothing has been taken now." in other.text


def test_who_pays_again_by_a_link_that_has_ended_is_not_told_that_it_is_paid(link_of):
    link = link_of(max_uses=2)
    payer = Shopper()
    payer.visit(path_of(link))
    payer.send()
    payer.sign_in()
    payer.send(to="/pay")
    payer.visit(path_of(link))
    on_open_page = payer.form().fields
    PaymentLink.objects.update(status="deactivated", ended_at=utc_now())

    answer = payer.client.post(path_of(link), on_open_page).content.decode()
    assert "<h1>This link takes no more payments</h1>" in answer


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize("is_by_new_pin", [False, True])
def test_a_phone_alone_is_not_shown_what_was_paid_by_a_link(merchant, browser, is_by_new_pin):
    caller, draft = (
        Caller(merchant, livemode=True, actor="test"),
        LinkDraft(currency="BSD", amount=150, max_uses=1),
    )
    link = create_link(caller=caller, draft=draft, now=utc_now())
    browser.visit(path_of(link))
    browser.send()
    browser.send(to="/pay")
    long_ago = utc_now() - timedelta(days=2)
    Customer.objects.update(created_at=long_ago)
    browser.visit(path_of(link))
    assert "<h1>Paid</h1>" in browser.text  # in this very session

    CustomerSession.objects.update(created_at=utc_now())
    if is_by_new_pin:
        CustomerSession.objects.update(pin_verified_at=utc_now())
        browser.visit(path_of(link))
        assert "<h1>Paid</h1>" in browser.text  # by the owner's own
        Customer.objects.update(proof_changed_at=utc_now())
    browser.visit(path_of(link))
    assert "<h1>This link takes no more payments</h1>" in browser.text


@pytest.mark.parametrize("status", ["deactivated", "expired"])
def test_an_ended_link_says_so(link_of, status):
    link = link_of()
    PaymentLink.objects.update(status=status, ended_at=utc_now())
    response = Shopper().visit(path_of(link))

    assert response.status_code == 422
    assert "<h1>This link takes no more payments</h1>" in response.content.decode()


def test_a_link_is_found_at_its_own_merchant_only(link_of, stranger):
    link = link_of()

    assert Shopper().visit(f"/pay/{stranger.slug}/{link.id}").status_code == 404
    assert Shopper().visit(f"/pay/{link.merchant.slug}/link_x").status_code == 404


@pytest.mark.parametrize(("form", "start"), [("pdf", b"%PDF-"), ("svg", b"<svg ")])
def test_a_link_has_posters(link_of, form, start):
    response = Shopper().visit(f"{path_of(link_of())}/poster-card.{form}")

    assert response.content.startswith(start)
    assert Shopper().visit(f"/pay/nobody/{link_of().id}/poster-card.{form}").status_code == 404


@pytest.mark.parametrize("source", ["link", "counter"])
@pytest.mark.parametrize("is_suspended", [True, False])
def test_there_is_no_poster_of_what_cannot_be_paid(
    link_of, payment_of, merchant, source, is_suspended
):
    """It said "Scan to pay", and our name, for a merchant that staff had stopped."""
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    page = path_of(link_of()) if source == "link" else counter.hosted_url
    assert Shopper().visit(f"{page}/poster-card.svg").status_code == 200

    if is_suspended:
        set_status(merchant_id=merchant.id, status=MerchantStatus.SUSPENDED, now=utc_now())
    else:
        PaymentLink.objects.update(status="deactivated", ended_at=utc_now())
        Payment.objects.update(status="canceled", canceled_at=utc_now())

    for form in ("svg", "pdf"):
        answer = Shopper().visit(f"{page}/poster-card.{form}")
        assert (answer.status_code, answer.headers["Content-Type"][:9]) == (422, "text/html")


@pytest.mark.parametrize("status", ["deactivated", "expired"])
def test_no_text_asks_anyone_to_pay_through_a_link_that_has_ended(merchant, texts, status):
    """A visitor enters a stranger's phone on what is left of a link that a stolen key made."""
    caller = Caller(merchant, livemode=True, actor="test")
    draft = LinkDraft(currency="BSD", amount=99_900)
    link = create_link(caller=caller, draft=draft, now=utc_now())
    visitor = Shopper()
    visitor.visit(path_of(link))
    visitor.send()
    phone_page = visitor.path
    PaymentLink.objects.update(status=status, ended_at=utc_now())

    visitor.send(phone="+1 242 456 7890")

    assert texts.texts == []
    assert "<h1>This link takes no more payments</h1>" in visitor.text
    assert visitor.visit(phone_page).status_code == 422
