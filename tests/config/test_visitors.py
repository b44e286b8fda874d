"""Callers without a key cannot keep a process from its merchants: their network pays for them."""

import sys
from collections import Counter
from collections.abc import Callable

import pytest
from django.db import OperationalError, connection
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

import config.settings
from backoffice.roles import Role
from checkout.browser_session import session_cookie
from config.visitors import refuse_before_django
from core.clock import utc_now
from core.signed_tokens import sign_token
from core.visitor_budget import BURST_SECONDS, VisitorBudget, testers, visitors
from customers.models import CustomerSession
from customers.services import find_or_create
from customers.services import test_customer as customer_for_tests
from customers.sessions import end_session, start_session
from customers.tokens import hash_of, new_token
from merchants.keys import new_secret
from merchants.models import ApiKey, Merchant
from tests.backoffice.conftest import sign_in

NETWORK = "127.0.0.0/24"
ELSEWHERE = "198.51.100.9"
PAGE = {"PATH_INFO": "/account"}
MADE_UP = f"Bearer {new_secret(livemode=False)}"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def limited(settings: Settings) -> None:
    """Let the limit be that of production."""
    settings.VISITOR_SECONDS_PER_NETWORK = config.settings.VISITOR_SECONDS_PER_NETWORK


@pytest.fixture
def spent() -> None:
    """Let the network of the tests have spent what it may, and a minute's worth more."""
    visitors.charge(NETWORK, BURST_SECONDS + 6)


@pytest.mark.parametrize(
    "path", ["/v1/openapi.json", "/docs", "/account/phone", "/checkout/nothing", "/admin/login/"]
)
@pytest.mark.usefixtures("spent")
def test_a_network_that_has_spent_its_budget_is_refused(path: str) -> None:
    refused = Client().get(path)

    assert refused.status_code == 429
    assert refused["Retry-After"] == "60"


@pytest.mark.parametrize(
    ("headers", "is_refused"),
    [
        ({}, True),
        ({"HTTP_COOKIE": "csrf=abc; colour=blue"}, True),
        (PAGE | {"HTTP_COOKIE": f"customer={new_token()}; session={'a' * 32}"}, True),
        (PAGE | {"HTTP_COOKIE": f"customer={sign_token(new_token())}"}, False),
        (PAGE | {"HTTP_COOKIE": f"customer-test={sign_token(new_token())}"}, True),
        (PAGE | {"HTTP_COOKIE": f"a=b; session={sign_token('a' * 24)}"}, False),
        (PAGE | {"HTTP_COOKIE": f"customer={sign_token('a')}; customer=b"}, True),
        ({"HTTP_COOKIE": f"customer={sign_token(new_token())}"}, True),
        (PAGE | {"HTTP_AUTHORIZATION": MADE_UP}, True),
        ({"HTTP_AUTHORIZATION": MADE_UP}, False),
        ({"PATH_INFO": "/readyz"}, False),
        ({"REMOTE_ADDR": ELSEWHERE}, False),
    ],
)
@pytest.mark.usefixtures("spent")
def test_callers_without_credentials_are_refused_before_django(
    headers: dict[str, str], is_refused: bool
) -> None:
    answers: list[tuple[str, dict[str, str]]] = []

    def start(status: str, sent: list[tuple[str, str]]) -> None:
        answers.append((status, dict(sent)))

    def served(environ: dict[str, str], start_response: object) -> list[bytes]:
        return [b"served"]

    environ = {"PATH_INFO": "/v1/balance", "REMOTE_ADDR": "127.0.0.1", **headers}
    application = refuse_before_django(served)
    body = b"".join(application(environ, start))  # type: ignore[arg-type]

    assert (body != b"served") == is_refused
    if is_refused:
        ((status, sent),) = answers
        assert status == "429 Too Many Requests"
        kind = "application/json" if environ["PATH_INFO"] == "/v1/balance" else "text/plain"
        assert sent["Content-Type"].startswith(kind)
        assert sent["Retry-After"] == "60"


def test_a_request_pays_for_what_the_server_does_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """No thread's time of ours counts what granian and WSGI take, which is half of a wrong key."""
    monkeypatch.setattr("config.visitors.time.thread_time", lambda: 0.0)
    monkeypatch.setattr("core.visitor_budget.time.monotonic", lambda: 100.0)

    for _ in range(5):
        assert Client().get("/v1/balance", headers={"Authorization": MADE_UP}).status_code == 401

    assert visitors._debts[NETWORK][0] == pytest.approx(0.002)


@pytest.mark.usefixtures("spent")
def test_nothing_is_done_for_it(merchant: Merchant) -> None:
    body = {"name": "Shop", "email": "a@example.com"}
    refused = Client().post("/v1/merchants", body, content_type="application/json")

    assert refused.status_code == 429
    assert refused.json()["code"] == "RATE_LIMITED"
    assert Merchant.objects.count() == 1


@pytest.mark.usefixtures("spent")
def test_other_networks_are_served(settings: Settings) -> None:
    assert Client(REMOTE_ADDR=ELSEWHERE).get("/v1/openapi.json").status_code == 200
    assert Client(REMOTE_ADDR="127.0.0.200").get("/v1/openapi.json").status_code == 429
    settings.VISITOR_SECONDS_PER_NETWORK = 0
    assert Client().get("/v1/openapi.json").status_code == 200


@pytest.mark.usefixtures("spent")
def test_probes_are_answered_whatever_their_network_has_spent() -> None:
    assert Client().get("/healthz").status_code == 200
    assert Client().get("/readyz").status_code == 200
    assert Client().get("/metrics").status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_probes_by_way_of_the_proxy_are_visits(settings: Settings, path: str) -> None:
    """Anyone can send them, without end; monitoring asks from inside."""
    settings.TRUSTED_PROXIES = 1
    world = Client(headers={"x-forwarded-for": ELSEWHERE})
    assert world.get(path).status_code == (404 if path == "/metrics" else 200)
    assert visitors._debts["198.51.100.0/24"][0] > 0
    visitors.charge("198.51.100.0/24", 10)

    assert world.get(path).status_code == 429
    assert Client().get(path).status_code == 200


@pytest.mark.usefixtures("spent")
@pytest.mark.parametrize("path", ["/checkout/nothing", "/admin/login/"])
def test_made_up_sessions_are_refused_without_a_statement(
    path: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    browser = browser_with(new_token())

    with django_assert_num_queries(0):
        assert browser.get(path).status_code == 429


@pytest.mark.usefixtures("spent")
@pytest.mark.parametrize("path", ["/checkout/nothing", "/admin/login/"])
def test_sessions_that_have_ended_do_not_make_a_refusal_dear(path: str) -> None:
    """A visitor who has spent the budget could otherwise cost more by being refused than before."""
    browser = browser_with(sign_token(new_token()))
    assert browser.get(path).status_code == 429

    calls = calls_of(lambda: browser.get(path))

    assert calls - calls_of(lambda: Client().get(path)) < 600


def browser_with(token: str) -> Client:
    browser = Client()
    for name in (session_cookie(livemode=True), session_cookie(livemode=False), "session"):
        browser.cookies[name] = token
    return browser


def calls_of(visit: Callable[[], object]) -> int:
    """Count the functions of Python that a visit calls."""
    calls = Counter[str]()
    sys.setprofile(lambda frame, event, about: calls.update([event]))
    try:
        visit()
    finally:
        sys.setprofile(None)
    return calls["call"]


def test_no_cookie_is_a_fault_of_ours() -> None:
    browser = Client()
    browser.cookies["session"] = "a\0bcdefghij"

    assert browser.get("/admin/login/").status_code == 400


@pytest.mark.parametrize("path", ["/account/phone", "/v1/openapi.json", "/admin/login/"])
def test_what_a_visitor_costs_is_charged(path: str) -> None:
    Client().get(path)

    assert visitors._debts[NETWORK][0] > 0


@pytest.mark.usefixtures("spent")
def test_a_merchant_of_that_network_is_served_with_the_first_request(api, merchant) -> None:
    for _ in range(3):
        assert Client(headers={"authorization": MADE_UP}).get("/v1/balance").status_code == 429

    assert api(merchant).get("/v1/balance").status_code == 200


def test_a_merchant_costs_its_network_nothing(api, merchant) -> None:
    assert api(merchant).get("/v1/balance").status_code == 200

    assert NETWORK not in visitors._debts


@pytest.mark.usefixtures("spent")
def test_a_key_that_has_ended_is_a_made_up_one(api, merchant) -> None:
    client = api(merchant)
    ApiKey.objects.update(revoked_at=utc_now())

    assert client.get("/v1/balance").status_code == 429


@pytest.mark.parametrize("path", ["/v1/balance", "/v1/balance%00", "/v1/openapi.json"])
def test_a_made_up_key_is_charged(path: str) -> None:
    client = Client(headers={"authorization": MADE_UP})
    assert client.get(path).status_code in (200, 400, 401)
    assert visitors._debts[NETWORK][0] > 0
    visitors.charge(NETWORK, 10)

    assert client.get(path).status_code == 429


@pytest.mark.usefixtures("spent")
def test_a_customer_who_is_signed_in_is_served() -> None:
    customer = find_or_create(phone="+12423591234", now=utc_now())
    token = start_session(customer=customer, now=utc_now()).token
    browser = Client()
    browser.cookies[session_cookie(livemode=True)] = token
    assert browser.get("/checkout/nothing").status_code == 404
    end_session(token, now=utc_now())

    assert browser.get("/checkout/nothing").status_code == 429


def test_a_session_from_before_signatures_goes_on(merchant: Merchant) -> None:
    customer = customer_for_tests("+12425550100", utc_now(), merchant_id=merchant.id)
    start_session(customer=customer, now=utc_now())
    token = new_token()
    CustomerSession.objects.update(token_hash=hash_of(token))
    browser = Client()
    browser.cookies[session_cookie(livemode=False)] = token

    assert browser.get("/account?test=1").status_code == 200


def test_staff_who_are_signed_in_cost_nothing_and_are_served() -> None:
    browser = sign_in(Role.SUPPORT)
    visitors.clear()
    assert browser.get("/admin/").status_code == 200
    assert NETWORK not in visitors._debts
    visitors.charge(NETWORK, 10)

    assert browser.get("/admin/").status_code == 200
    browser.cookies["session"] = "made-up"
    assert browser.get("/admin/").status_code == 429


@pytest.mark.parametrize("budgets", [[], [visitors, testers]], ids=["not spent", "spent"])
@pytest.mark.parametrize(("path", "status"), [("/v1/payments", 503), ("/v1/nothing", 404)])
def test_while_the_database_is_away_the_view_says_so(
    budgets: list[VisitorBudget], path: str, status: int
) -> None:
    for each in budgets:
        each.charge(NETWORK, BURST_SECONDS + 6)
    asked = []

    def refuse(_run: object, sql: str, *_rest: object) -> None:
        asked.append(sql)
        raise OperationalError("the connection is closed")

    with connection.execute_wrapper(refuse):
        response = Client().get(path, headers={"Authorization": MADE_UP})

    assert response.status_code == status
    assert len(asked) <= 2
