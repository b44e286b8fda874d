"""What anyone gets by asking exempts no one from what visitors may cost: a test key or session.

A stranger registers for a key, or signs in as a test customer, whose code is 000000 for everyone.
"""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

import config.settings
from checkout.browser_session import session_cookie
from core.clock import utc_now
from core.visitor_budget import TESTER_BURST_SECONDS, testers, visitors
from customers.services import test_customer as customer_for_tests
from customers.sessions import start_session
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api
from tests.factories import MerchantFactory

NETWORK = "127.0.0.0/24"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def limited(settings: Settings) -> None:
    """Let the limit be that of production."""
    settings.VISITOR_SECONDS_PER_NETWORK = config.settings.VISITOR_SECONDS_PER_NETWORK


def test_a_session_of_test_mode_exempts_no_one(merchant: Merchant) -> None:
    customer = customer_for_tests("+12425550100", utc_now(), merchant_id=merchant.id)
    browser = Client()
    browser.cookies[session_cookie(livemode=False)] = start_session(
        customer=customer, now=utc_now()
    ).token
    visitors.charge(NETWORK, 10)

    assert browser.get("/checkout/nothing").status_code == 429


def test_a_session_of_test_mode_costs_one_statement_to_refuse(
    merchant: Merchant, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    """Sent as a live one, it was looked up as a whole session: a dozen times a refusal's cost."""
    customer = customer_for_tests("+12425550100", utc_now(), merchant_id=merchant.id)
    token = start_session(customer=customer, now=utc_now()).token
    browser = Client()
    browser.cookies[session_cookie(livemode=True)] = token
    visitors.charge(NETWORK, 10)

    with django_assert_num_queries(1):
        assert browser.get("/checkout/nothing").status_code == 429


@pytest.fixture
def self_service_key(settings: Settings) -> Client:
    """A client with the test key of a merchant that has just registered itself."""
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    body = {"name": "Shop", "email": "thief@example.com"}
    made = Client().post("/v1/merchants", body, content_type="application/json").json()
    visitors.clear()
    return Client(headers={"authorization": f"Bearer {made['api_keys']['test']}"})


@pytest.mark.parametrize("path", ["/v1/balance", "/v1/payments?limit=100", "/v1/nothing"])
def test_a_self_service_key_pays_for_what_it_costs(self_service_key: Client, path: str) -> None:
    testers.charge(NETWORK, TESTER_BURST_SECONDS + 6)

    refused = self_service_key.get(path)

    assert (refused.status_code, refused.json()["code"]) == (429, "RATE_LIMITED")
    assert refused["Retry-After"] == "60"


def test_a_self_service_key_spends_its_networks_second_budget(self_service_key: Client) -> None:
    for path in ("/v1/balance", "/v1/nothing", "/v1/openapi.json"):
        self_service_key.get(path)

        assert testers._debts[NETWORK][0] > 0.0004
        assert NETWORK not in visitors._debts
        testers.clear()


def test_a_self_service_key_is_served_beside_visitors_and_charged(self_service_key: Client) -> None:
    visitors.charge(NETWORK, 10)
    assert Client().get("/v1/openapi.json").status_code == 429

    assert self_service_key.get("/v1/openapi.json").status_code == 200
    assert testers._debts[NETWORK][0] > 0.0004


def test_a_self_service_key_pays_for_the_rows_that_time_moves(
    api: Api, merchant: Merchant, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database writes each into thirty indexes, which takes none of our processor time."""
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    monkeypatch.setattr("sandbox.views.ROW_SECONDS", 2.6)
    answers = []
    for caller in (api(merchant), api(MerchantFactory(status="unverified"))):
        for _ in range(2):
            caller.post("/v1/payments", {"amount": 100})
        for _ in range(2):
            answers.append(caller.post("/v1/test/advance", {"hours": 1}).status_code)

    assert answers == [200, 200, 200, 429]


@pytest.mark.usefixtures("self_service_key")
def test_testers_keep_no_one_else_from_being_served(api, merchant) -> None:
    testers.charge(NETWORK, 100)

    assert Client().get("/v1/openapi.json").status_code == 200
    assert api(merchant).get("/v1/balance").status_code == 200
    visitors.charge(NETWORK, 100)
    assert api(merchant).get("/v1/balance").status_code == 200
    assert api(merchant, live=True).get("/v1/balance").status_code == 200


def test_a_live_key_is_known_where_no_one_is_verified(api, settings: Settings) -> None:
    settings.REQUIRE_VERIFIED_MERCHANTS = False
    unverified = MerchantFactory(status="unverified")
    for each in (visitors, testers):
        each.charge(NETWORK, 100)

    assert api(unverified, live=True).get("/v1/balance").status_code == 200
    assert api(unverified).get("/v1/balance").status_code == 429


@pytest.mark.postgres
def test_a_self_service_key_pays_for_slow_statements(
    self_service_key: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search takes the database a hundred times what it takes the process that asks."""
    monkeypatch.setattr("config.visitors.time.thread_time", lambda: 0.0)
    monkeypatch.setattr("core.statement_time.ORDINARY_SECONDS", 0)

    assert self_service_key.get("/v1/payments?q=rare").status_code == 200

    assert testers._debts[NETWORK][0] > 0.0004


@pytest.mark.postgres
def test_a_visitor_does_not_pay_for_a_database_that_is_slow(
    payment: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("config.visitors.time.thread_time", lambda: 0.0)
    monkeypatch.setattr("core.statement_time.ORDINARY_SECONDS", 0)

    assert Client().get(payment.hosted_url).status_code == 200

    assert visitors._debts[NETWORK][0] == pytest.approx(0.0004)
