"""Two merchants test with the same documented phone and code: neither meets the other's tests."""

import pytest
from django.db import IntegrityError, transaction

from core.clock import utc_now
from customers.errors import CustomerNotFound
from customers.models import Customer, CustomerSession
from customers.services import freeze, wallet
from ledger.models import Transfer
from ledger.services import balance_of
from payments.models import Payment
from payments.paying import pay
from payments.statuses import PaymentStatus
from payments.verification import Verification
from tests.checkout.shopper import Shopper, signed_in_at
from tests.factories import CustomerFactory, PaymentFactory

PHONE = "+1 242 555 0100"


def shopped_at(merchant, amount: int = 1_234, pin: str = "1234") -> Shopper:
    """Pay a payment of the merchant as the documented customer; return the browser."""
    payment = PaymentFactory(merchant=merchant, amount=amount, description=f"By {merchant.slug}")
    shopper = signed_in_at(payment, PHONE)
    shopper.send(pin=pin)
    return shopper


def own_page(merchant) -> Shopper:
    """Sign in on the customer's own page, coming from a payment of the merchant."""
    shopper = Shopper()
    shopper.visit(f"/account?test={PaymentFactory(merchant=merchant).id}")
    shopper.send(phone=PHONE)
    shopper.send(code="000000")
    return shopper


def test_the_own_page_shows_what_was_tested_for_this_merchant_only(merchant, stranger):
    shopped_at(merchant)

    seen = own_page(stranger)
    assert "B$12.34" not in seen.text
    assert "B$100,000.00" in seen.text
    assert 'href="/receipts/' not in seen.text
    assert "B$12.34" in own_page(merchant).text


def test_a_session_of_one_merchant_is_none_at_another(merchant, stranger):
    browser = shopped_at(merchant)
    payment = PaymentFactory(merchant=stranger, amount=150)

    browser.visit(payment.hosted_url)
    assert "0100" not in browser.text.partition("<main")[0]
    browser.send(to="/pay")

    assert browser.path == f"{payment.hosted_url}/phone"
    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED


@pytest.mark.parametrize("named", ["{slug}", "{merchant}", "{live}", "pay_none"])
def test_the_own_page_cannot_be_entered_by_what_is_public(merchant, stranger, named):
    shopped_at(merchant)
    live = PaymentFactory(merchant=merchant, livemode=True)
    named = named.format(slug=merchant.slug, merchant=merchant.id, live=live.id)

    for page in ("account/phone", "account/code"):
        assert Shopper().visit(f"/{page}?test={named}").status_code == 404


@pytest.mark.parametrize("named", ["1", ""])
def test_test_mode_alone_names_no_merchant_to_sign_in_at(merchant, named):
    shopped_at(merchant)

    for page in ("account", "account/phone", "account/code"):
        shopper = Shopper()
        assert shopper.visit(f"/{page}?test={named}").status_code == 200
        assert "Sign in from a test payment" in shopper.text
        assert "<form" not in shopper.text
        assert merchant.name not in shopper.text


def test_a_session_does_not_open_the_page_of_another_merchants_customer(merchant, stranger):
    browser = shopped_at(stranger)
    shopped_at(merchant)

    browser.visit(f"/account?test={Payment.objects.get(merchant=merchant).id}")

    assert browser.path.startswith("/account/phone")
    assert "B$12.34" not in browser.text


def test_a_pin_that_is_changed_or_locked_is_so_for_one_merchant(merchant, stranger):
    browser = own_page(merchant)
    browser.visit("/account/pin?test=1")
    browser.send(old="1234", pin="7392", repeat="7392")
    assert "Your PIN has been changed." in browser.text

    shopped_at(stranger, 500)
    assert Payment.objects.get(merchant=stranger).status == PaymentStatus.COMPLETED
    for _ in range(5):
        shopped_at(stranger, 500, pin="8888")
    assert Customer.objects.get(merchant=merchant).pin_failures == 0


def test_a_frozen_customer_of_one_merchant_pays_at_another(api, merchant, stranger):
    for shop in (merchant, stranger):
        payment = PaymentFactory(merchant=shop)
        assert api(shop).post(f"/v1/payments/{payment.id}/confirm").status_code == 200
    frozen = Customer.objects.get(merchant=merchant)
    freeze(customer_id=frozen.id, actor="staff:ada", now=utc_now())

    assert shopped_at(stranger, 500).response.status_code == 200
    assert Payment.objects.filter(merchant=stranger, status=PaymentStatus.COMPLETED).count() == 2


def test_confirms_of_two_merchants_are_of_two_customers_with_wallets(api, merchant, stranger):
    for shop in (merchant, stranger):
        payment = PaymentFactory(merchant=shop, amount=1_000)
        api(shop).post(f"/v1/payments/{payment.id}/confirm", {"customer_phone": PHONE})

    mine, theirs = (Customer.objects.get(merchant=shop) for shop in (merchant, stranger))
    assert mine.phone == theirs.phone
    assert [balance_of(wallet(it, "BSD")) for it in (mine, theirs)] == [9_999_000] * 2
    listed = api(merchant).get("/v1/payments", {"customer_id": theirs.id}).json()
    assert listed["payments"] == []


def test_another_merchants_customer_cannot_pay_whatever_a_page_forgets(merchant, payment):
    customer = CustomerFactory()

    with pytest.raises(CustomerNotFound):
        pay(
            payment_id=payment.id,
            customer=customer,
            verified=Verification.PASSKEY,
            actor="test",
            now=utc_now(),
        )

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.CREATED
    assert Transfer.objects.count() == 0


def test_the_database_refuses_a_live_customer_of_a_merchant(merchant):
    with pytest.raises(IntegrityError), transaction.atomic():
        CustomerFactory(merchant=merchant, livemode=True)


def test_no_session_opens_a_customer_that_was_shared_before(payment):
    browser = shopped_at(payment.merchant)
    Customer.objects.update(merchant=None)

    for page in (payment.hosted_url, "/account?test=1"):
        browser.visit(page)
        assert "•••" not in browser.text
    assert CustomerSession.objects.get().ended_at is None
