"""A counter: the customer's keypad, the merchant's screen."""

import re
from datetime import timedelta

import pytest

from checkout import counter_screens
from checkout.flow import missing_amount, proof_for
from core.clock import utc_now
from core.errors import InvalidAmount
from core.formats import money
from customers.erasure import erase_customer
from customers.models import Customer
from customers.services import test_customer
from merchants.services import issue_key
from payments.counters import screen_token, screen_url
from payments.models import Payment
from payments.paying import pay
from payments.statuses import PaymentStatus
from payments.verification import Verification
from tests.checkout.shopper import Shopper
from tests.client import ApiClient
from tests.nights import ITS_OWN
from tests.query_counts import Statements


@pytest.fixture
def counter(payment_of):
    return payment_of(None, payment_mode="STATIC_PAY", expires_at=None, description="Bar")


def sell(counter, amount, phone=None):
    """Let a test customer pay at a counter."""
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    shopper.send(amount=amount)
    sale = Payment.objects.filter(static_payment=counter).latest("created_at")
    return pay(
        payment_id=sale.id,
        customer=test_customer(phone, utc_now(), merchant_id=sale.merchant_id),
        verified=Verification.PASSKEY,
        actor="test",
        now=utc_now(),
    )


def test_a_customer_cannot_close_a_counter(counter):
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    form = shopper.form()

    shopper.client.post(f"{counter.hosted_url}/cancel", form.fields)

    counter.refresh_from_db()
    assert counter.status == PaymentStatus.CREATED


def test_a_counter_without_a_sum_never_counts_as_one_of_nothing(counter):
    customer = test_customer(None, utc_now(), merchant_id=counter.merchant_id)

    with pytest.raises(InvalidAmount):
        proof_for(counter, customer, now=utc_now())
    with pytest.raises(InvalidAmount):
        missing_amount(counter, customer)


def test_a_customer_enters_the_amount_and_sees_it_once_more(counter):
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    shopper.send(amount="B$ 1,250.50")

    sale = Payment.objects.get(static_payment=counter)
    assert (sale.amount, sale.status) == (125_050, PaymentStatus.CREATED)
    assert shopper.path == sale.hosted_url
    assert ">Pay B$1,250.50</button>" in shopper.text
    counter.refresh_from_db()
    assert counter.status == PaymentStatus.CREATED


@pytest.mark.each_on_postgres(ITS_OWN)
def test_two_customers_pay_two_payments(counter):
    sell(counter, "1.50")
    sell(counter, "2.50", "+12425550177")

    amounts = Payment.objects.filter(static_payment=counter, status="completed")
    assert set(amounts.values_list("amount", flat=True)) == {150, 250}


@pytest.mark.parametrize("amount", ["", "0", "0.00", "-5", "abc", "1e3", "12.345", "1000000000"])
def test_it_refuses_what_is_no_amount_and_keeps_it(counter, amount):
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    response = shopper.send(amount=amount)

    assert response.status_code == 422
    assert "<title>Error: " in shopper.text
    assert shopper.form().fields["amount"] == amount
    assert Payment.objects.filter(static_payment=counter).count() == 0


def test_a_double_click_opens_one_payment(counter):
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    fields = shopper.form().fields | {"amount": "1.50"}
    answers = {shopper.client.post(counter.hosted_url, fields)["Location"] for _ in range(3)}

    assert len(answers) == 1
    assert Payment.objects.filter(static_payment=counter).count() == 1


def test_another_amount_under_the_same_form_is_another_payment(counter):
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    fields = shopper.form().fields
    for amount in ("1.50", "2.50", "1.50"):
        shopper.client.post(counter.hosted_url, fields | {"amount": amount})

    amounts = Payment.objects.filter(static_payment=counter).values_list("amount", flat=True)
    assert set(amounts) == {150, 250}


@pytest.mark.parametrize("key", ["", "forged", "WyJ4IiwieSJd:1abc:sig"])
def test_a_key_that_is_not_ours_names_no_payment(counter, payment, key):
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    shopper.send(amount="1.50", key=key or "x")

    sale = Payment.objects.get(static_payment=counter)
    assert sale.id.startswith("pay_")
    assert sale.amount == 150


def test_a_counter_with_a_fixed_amount_asks_for_none(payment_of):
    counter = payment_of(500, payment_mode="STATIC_PAY", expires_at=None)
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    assert ">Pay B$5.00</button>" in shopper.text
    shopper.send(amount="0.01")

    assert Payment.objects.get(static_payment=counter).amount == 500


def test_a_closed_counter_says_so_and_takes_nothing(counter):
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    Payment.objects.filter(pk=counter.pk).update(status="canceled", canceled_at=utc_now())
    shopper.send(amount="1.50")

    assert "<h1>This counter is closed</h1>" in shopper.text
    shopper.visit(counter.hosted_url)
    assert "<h1>This counter is closed</h1>" in shopper.text
    assert Payment.objects.filter(static_payment=counter).count() == 0


def test_an_ended_sale_leads_back_to_the_counter(counter):
    sale = sell(counter, "1.50")
    Payment.objects.filter(pk=sale.pk).update(
        status="canceled", completed_at=None, transaction_id=None, canceled_at=utc_now()
    )
    shopper = Shopper()
    shopper.visit(sale.hosted_url)

    assert f'href="{counter.hosted_url}" rel="noreferrer">Start again</a>' in shopper.text


def test_the_screen_shows_no_number_for_an_erased_payer(counter):
    sell(counter, "1.50", "+12425550177")
    payer = Customer.objects.get()
    erase_customer(customer_id=payer.pk, actor="staff", cause="asked", now=utc_now())
    shopper = Shopper()
    shopper.visit(f"/counter/{counter.id}/{screen_token(counter)}")

    assert '<span aria-hidden="true">•••• </span></span>' in shopper.text
    assert "Phone ending in" not in shopper.text


def test_the_screen_lists_what_was_paid_newest_first(counter, payment):
    sell(counter, "1.50", "+12425550177")
    sell(counter, "12.50", "+12425550188")
    shopper = Shopper()
    shopper.visit(f"/counter/{counter.id}/{screen_token(counter)}")

    assert shopper.text.index("B$12.50") < shopper.text.index("B$1.50")
    told = '<span class="away">Phone ending in 0188</span>'  # its words would fill a line in French
    assert f'<span aria-hidden="true">•••• 0188</span>{told}' in shopper.text
    assert "2425550188" not in shopper.text
    said = r'data-said="B\$12.50, Phone ending in 0188, (\d+:\d\d\s[ap]m)"'
    row = rf'data-sale="\w+" {said}><p>\1</p><p class="price">B\$12.50</p>'
    assert re.search(row, shopper.text)
    feed = shopper.visit(f"{shopper.path}/feed")
    assert feed.content.decode().startswith("<dl")


def test_the_screen_reads_no_more_of_the_past_than_what_was_paid_last(counter, monkeypatch):
    """It is drawn every two seconds, and read each sale that its counter had ever made."""
    now, hour = utc_now(), timedelta(hours=1)
    for opened, paid in ((72, 71), (23, 0), (2, 1), (1, 1)):
        sale = sell(counter, "1.50")
        times = {"created_at": now - opened * hour, "completed_at": now - paid * hour}
        Payment.objects.filter(pk=sale.pk).update(**times)
    monkeypatch.setattr(counter_screens, "SHOWN", 3)

    with Statements() as statements:
        shown = counter_screens.sales_at(counter)

    ages = [(now - Payment.objects.get(pk=sale.id).created_at) // hour for sale in shown]
    assert ages[0] == 23
    assert sorted(ages) == [1, 2, 23]
    assert '"created_at" >= ' in statements.work[-1]


def test_the_screen_is_found_by_its_secret_only(counter, payment_of):
    other = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)
    for token in ("x" * 43, "é" * 43, screen_token(other), screen_token(counter)[:-1]):
        assert Shopper().visit(f"/counter/{counter.id}/{token}").status_code == 404
        assert Shopper().visit(f"/counter/{counter.id}/{token}/feed").status_code == 404

    assert screen_url(counter).startswith("http://testserver/counter/pay_")


def test_the_merchant_reads_the_address_of_the_screen(api, merchant, counter, payment):
    calling = api(merchant)

    record = calling.get(f"/v1/payments/{counter.id}").json()
    assert record["counter_url"] == screen_url(counter)
    assert "counter_url" not in calling.get(f"/v1/payments/{payment.id}").json()


@pytest.mark.parametrize("scopes", ["*:read", "payments:read refunds:write"])
def test_a_key_that_only_reads_gets_no_screen_to_charge_at(merchant, counter, scopes):
    """Anyone who has the address of the screen puts sums on the code, and takes them off."""
    issued = issue_key(
        merchant=merchant, livemode=False, name="Reader", scopes=scopes, now=utc_now()
    )
    reader = ApiClient(issued.secret)

    assert "counter_url" not in reader.get(f"/v1/payments/{counter.id}").json()
    listed = reader.get("/v1/payments").json()["payments"]
    assert [one["id"] for one in listed if "counter_url" not in one] == [counter.id]


def test_a_key_of_a_till_gets_its_screen(merchant, counter):
    issued = issue_key(
        merchant=merchant, livemode=False, name="Till", scopes="payments:write", now=utc_now()
    )
    till = ApiClient(issued.secret)

    assert till.get(f"/v1/payments/{counter.id}").json()["counter_url"] == screen_url(counter)
    assert "counter_url" in till.get("/v1/payments").json()["payments"][0]


def test_a_payment_that_is_no_counter_has_no_screen(payment):
    assert Shopper().visit(f"/counter/{payment.id}/{screen_token(payment)}").status_code == 404


def test_a_currency_without_cents_has_no_key_for_them(payment_of):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None, currency="JPY")
    shopper = Shopper()
    shopper.visit(counter.hosted_url)

    assert 'data-point=""' in shopper.text
    assert f'placeholder="{money(0, "JPY")}"' in shopper.text


def test_the_field_for_an_amount_names_the_currency(payment_of):
    counter = payment_of(None, payment_mode="STATIC_PAY", expires_at=None)

    for language, nothing in (("en", "B$0.00"), ("fr", "0,00 B$")):
        page = Shopper().visit(f"{counter.hosted_url}?lang={language}").content.decode()
        assert f'placeholder="{nothing}"' in page.replace("\u00a0", " ")


@pytest.mark.parametrize("amount", [None, 500])
def test_without_javascript_the_screen_renews_itself_where_nothing_is_typed(payment_of, amount):
    counter = payment_of(amount, payment_mode="STATIC_PAY", expires_at=None)
    shopper = Shopper()
    shopper.visit(f"/counter/{counter.id}/{screen_token(counter)}")

    renews = '<noscript><meta http-equiv="refresh" content="10"></noscript>'
    assert (renews in shopper.text, "Update the list" in shopper.text) == (
        amount is not None,
        amount is None,
    )
