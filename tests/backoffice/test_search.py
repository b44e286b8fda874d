"""The one search box."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from config.logging import redact
from core.clock import utc_now
from core.ids import new_id
from customers.models import Customer
from funding.models import FundingWay, TopUp
from funding.services import open_top_up
from merchants.models import Merchant
from payments.models import Payment
from payments.numbers import number_of
from payouts.models import Payout
from tests.backoffice.conftest import Office
from tests.backoffice.rows import one_of_each, paid_payment
from tests.client import Api
from tests.factories import MerchantFactory, PaymentFactory
from webhooks.models import Event

pytestmark = pytest.mark.django_db

MAX_STATEMENTS = 25


def look_for(office: Office, text: str, role: Role = Role.SUPPORT) -> str:
    """Return where a search leads; empty where it shows a list."""
    response = office(role).get("/admin/search/", {"q": text})
    assert response.status_code in (200, 302)
    return response.headers.get("Location", "")


def shown(office: Office, text: str) -> list[str]:
    """Return the payments that a search shows, or the one that it opens."""
    response = office(Role.SUPPORT).get("/admin/search/", {"q": text})
    page = response.headers.get("Location", "") or response.content.decode()
    return [pk for pk in Payment.objects.values_list("pk", flat=True) if pk in page]


@pytest.fixture
def paid(merchant: Merchant) -> Payment:
    for amount in (100, 200):
        PaymentFactory(merchant=merchant, amount=amount)
    return paid_payment(
        merchant,
        reference="A-1001",
        order_id="Order 7",
        invoice_number="2026/17",
        customer_email="Pat@Example.com",
        metadata={"cart": "c991", "table": 12},
    )


@pytest.mark.parametrize(
    "text",
    [
        "A-1001",
        "a-1001",
        "order 7",
        "2026/17",
        "pat@example.com",
        "c991",
        "cart=c991",
        "table: 12",
        "12.50",
        "12.50 0100",
        "12.50 0100 today",
        "0100 today",
    ],
)
def test_it_finds_a_payment_by_what_the_caller_knows(
    office: Office, paid: Payment, text: str
) -> None:
    assert shown(office, text) == [paid.pk]


@pytest.mark.parametrize(
    "text", ["TWICE-2", "twice-2", "49,99", "B$49.99", "cart=42", "0123-TWICE"]
)
def test_what_names_one_payment_opens_it_though_others_are_alike(
    office: Office, merchant: Merchant, text: str
) -> None:
    paid_payment(merchant, 4_998, order_id="TWICE-1", description="twice-2 latte, cart 42")
    wanted = paid_payment(
        merchant,
        4_999,
        order_id="TWICE-2",
        invoice_number="0123-twice",
        metadata={"cart": 42},
    )

    assert look_for(office, text) == page_of(wanted)


@pytest.mark.parametrize("text", ["49,99", "B$49.99", "49.99 today"])
def test_money_that_a_customer_adds_is_found_by_its_amount(
    office: Office, paid: Payment, text: str
) -> None:
    ordered = ordered_top_up(paid, 4_999)
    ordered_top_up(paid, 4_998)

    assert look_for(office, text) == page_of(ordered)
    assert look_for(office, "49,99 yesterday") == ""


def test_a_list_of_what_was_added_says_by_whom(office: Office, paid: Payment) -> None:
    for _ in range(2):
        ordered_top_up(paid, 4_999)

    page = office(Role.VIEWER).get("/admin/search/", {"q": "49,99"}).content.decode()

    assert "Top-ups of this amount" in page
    assert page.count("+1 242 ••• 0100") == 2


def ordered_top_up(payment: Payment, amount: int) -> TopUp:
    return open_top_up(
        customer=payment.paying_customer,
        way=FundingWay.AGENT,
        amount=amount,
        currency="BSD",
        expires_at=utc_now() + timedelta(days=3),
        actor="customer:x",
        now=utc_now(),
    )


@pytest.mark.parametrize("text", ["island cof", "and cof", "FFEE"])
def test_a_part_of_a_name_opens_the_merchant(office: Office, merchant: Merchant, text: str) -> None:
    merchant.name = "Island Coffee"
    merchant.save()

    assert look_for(office, text) == page_of(merchant)


def test_one_order_of_two_merchants_is_a_list(office: Office, merchant: Merchant) -> None:
    both = [PaymentFactory(merchant=shop, order_id="A-7") for shop in (merchant, MerchantFactory())]

    assert look_for(office, "A-7") == ""
    assert set(shown(office, "A-7")) == {payment.pk for payment in both}
    tables = office(Role.SUPPORT).get("/admin/search/", {"q": "A-7"}).context["tables"]
    assert [table.title for table in tables] == ["Payments: order “A-7”"]  # by words as well


@pytest.mark.parametrize("number", ["2026-0017", "2425550177", "20260017"])
def test_a_number_of_an_invoice_that_could_be_a_phone_is_found(
    office: Office, merchant: Merchant, number: str
) -> None:
    invoice = PaymentFactory(merchant=merchant, invoice_number=number)

    assert look_for(office, number) == page_of(invoice)


def test_the_number_on_a_receipt_opens_its_payment(office: Office, paid: Payment) -> None:
    number = number_of(paid.id)

    for typed in (number, number.lower(), number.replace("-", " "), number.replace("-", "")):
        assert look_for(office, typed) == page_of(paid)
    assert look_for(office, "00000-00000") == ""


def test_an_id_opens_its_page(office: Office) -> None:
    for model, row in one_of_each().items():
        if "_" in str(row.pk) and model.__name__ not in ("ResendRun", "PayoutBatch"):
            expected = row
            if model.__name__ in ("Refund",):
                expected = row.payment  # type: ignore[attr-defined]  # a Refund
            if model.__name__ in ("Event", "Delivery"):
                continue
            assert look_for(office, str(row.pk), Role.ADMINISTRATOR) == page_of(expected)


def test_what_the_log_shows_of_an_id_finds_it(office: Office, paid: Payment) -> None:
    assert look_for(office, f"GET {redact(paid.hosted_url)}/status") == page_of(paid)
    assert look_for(office, "pay_00000000") == ""


def test_a_transaction_an_event_a_refund_lead_to_the_payment(office: Office, paid: Payment) -> None:
    page = page_of(paid)
    event = Event.objects.filter(resource_id=paid.pk).latest("pk")

    assert look_for(office, str(paid.transaction_id)) == page
    assert look_for(office, event.pk) == page
    assert look_for(office, f"https://x.example/checkout/{paid.pk}") == page


def test_the_request_that_made_a_payment_leads_to_it(
    office: Office, api: Api, merchant: Merchant
) -> None:
    response = api(merchant).post("/v1/payments", {"amount": 900}, x_request_id="shop-call-77")

    assert look_for(office, "shop-call-77").endswith(f"/{response.json()['id']}/change/")


def test_a_phone_shows_the_customer_and_what_they_paid(office: Office, paid: Payment) -> None:
    page = office(Role.SUPPORT).get("/admin/search/", {"q": "+1 242 555 0100"}).content.decode()

    assert paid.pk in page
    assert reverse("admin:customers_customer_change", args=[paid.customer_id]) in page
    assert "+12425550100" not in page.replace('value="+1 242 555 0100"', "")


def test_another_day_is_not_found(office: Office, paid: Payment) -> None:
    early = utc_now() - timedelta(days=3)
    PaymentFactory(id=new_id("pay", early), merchant=paid.merchant, amount=1_250, created_at=early)

    assert shown(office, "12.50 today") == [paid.pk]
    assert len(shown(office, "12.50")) == 2


def test_the_number_of_a_false_receipt_is_no_ones(office: Office, paid: Payment) -> None:
    number = number_of(paid.pk)
    other = number[:-1] + ("A" if number[-1] != "A" else "B")
    said = "If it is the number of a receipt, have it read out again: no payment here has it."
    viewer = office(Role.VIEWER)

    assert said in viewer.get("/admin/search/", {"q": other}).content.decode()
    assert said not in viewer.get("/admin/search/", {"q": "no such thing"}).content.decode()


def test_nothing_is_said_kindly(office: Office) -> None:
    page = office(Role.VIEWER).get("/admin/search/", {"q": "no such thing"}).content.decode()

    assert "Nothing was found for “no such thing”." in page


def test_an_id_that_others_alone_may_see_is_not_said_to_be_missing(office: Office) -> None:
    payout = one_of_each()[Payout]
    developer = office(Role.DEVELOPER)

    for wanted in (payout.pk, f"{payout.pk[:-4]}0000"):  # whether there is one is not said either
        page = developer.get("/admin/search/", {"q": wanted}).content.decode()
        assert "Your role does not see what has an id like" in page
        assert "Nothing was found" not in page


def test_a_role_finds_what_it_may_see(office: Office) -> None:
    rows = {model.__name__: row for model, row in one_of_each().items()}

    assert look_for(office, str(rows["ApiKey"].pk), Role.VIEWER) == ""
    assert look_for(office, str(rows["ApiKey"].pk), Role.DEVELOPER) != ""
    assert look_for(office, str(rows["Payout"].pk), Role.DEVELOPER) == ""
    assert look_for(office, str(rows["Payout"].pk), Role.SUPPORT) != ""


@pytest.mark.parametrize(
    "text",
    [
        "'; DROP TABLE payments_payment; --",
        "%",
        '"',
        '$.* == "x"',
        "pay_",
        "1e999",
        "NaN",
        'a="',
        "=",
        "\u202e",
        "%00",
    ],
)
def test_odd_texts_do_no_harm(office: Office, paid: Payment, text: str) -> None:
    assert shown(office, text) == []
    assert office(Role.SUPPORT).get(f"/admin/search/?q={text}%00").status_code == 400


def test_it_takes_few_statements(office: Office, paid: Payment) -> None:
    browser = office(Role.SUPPORT)
    for text in ("A-1001", "pat@example.com", "+1 242 555 0100", "12.50 0100 today", "nothing"):
        with CaptureQueriesContext(connection) as statements:
            browser.get("/admin/search/", {"q": text})
        assert len(statements) <= MAX_STATEMENTS


def test_live_and_test_are_told_apart(office: Office, paid: Payment) -> None:
    Customer.objects.create(
        id=new_id("cus", utc_now()),
        phone="+12425550100",
        livemode=True,
        created_at=utc_now(),
        updated_at=utc_now(),
    )

    page = office(Role.SUPPORT).get("/admin/search/", {"q": "+12425550100"}).content.decode()

    assert page.count("/admin/customers/customer/") >= 2
