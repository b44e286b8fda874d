"""While the database is away, every route says 503 and what to do, to every caller."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any
from unittest import mock

import pytest
from django.db import DataError, OperationalError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from backoffice.registry import ADMINS
from backoffice.roles import Role
from checkout.browser_session import session_cookie
from core.clock import utc_now
from customers.services import find_or_create
from customers.sessions import start_session
from tests.backoffice.conftest import rows, sign_in  # noqa: F401  # a fixture
from tests.client import Api
from tests.factories import MerchantFactory
from tests.nights import at_night
from tests.routes import address_of, routes

pytestmark = pytest.mark.django_db

ADDRESSES = sorted({address_of(route) for route, _ in routes()})
PROGRAM: dict[str, str] = {}
PERSON = {"accept": "text/html,application/xhtml+xml"}
REASON = "connection refused\n\tIs the server running on that host?"
SERVICE_UNAVAILABLE = 503
# Those that need no database, or speak of it in their own way.
NEED_NONE = {"/healthz", "/metrics"}


@contextmanager
def database_away() -> Iterator[None]:
    def refuse(_: BaseDatabaseWrapper) -> None:
        raise OperationalError(REASON)

    with mock.patch.object(BaseDatabaseWrapper, "ensure_connection", refuse):
        yield


def stranger() -> Client:
    return Client()


def merchant() -> Client:
    secret = Api()(MerchantFactory.create()).secret
    return Client(headers={"authorization": f"Bearer {secret}"})


def customer() -> Client:
    owner = find_or_create(phone="+12423591234", now=utc_now())
    browser = Client()
    token = start_session(customer=owner, now=utc_now()).token
    browser.cookies[session_cookie(livemode=True)] = token
    return browser


def staff() -> Client:
    return sign_in(Role.ADMINISTRATOR)


BY_DAY = [
    (stranger, "GET", PERSON),
    (merchant, "GET", PROGRAM),
    (customer, "POST", PERSON),
    (staff, "GET", PERSON),
    (staff, "POST", PROGRAM),
]
OTHERS = [
    case
    for case in product((stranger, merchant, customer, staff), ("GET", "POST"), (PROGRAM, PERSON))
    if case not in BY_DAY
]


@pytest.mark.parametrize(
    ("caller", "method", "headers"),
    [*BY_DAY, *at_night(*OTHERS, why="by day every caller asks, in one form or the other")],
)
def test_every_route_says_so(
    caller: Callable[[], Client], method: str, headers: dict[str, str]
) -> None:
    client = caller()
    client.raise_request_exception = False
    wrong = {}
    with database_away():
        for address in ADDRESSES:
            response = client.generic(method, address, headers=headers)
            if not _is_answer(response):
                wrong[address] = (response.status_code, response.text[:300])

    assert wrong == {}


def _is_answer(response: Any) -> bool:
    """Return whether it was answered without the database, or refused in a way that helps."""
    if response.status_code < 500:
        return True
    says_what_to_do = "SERVICE_UNAVAILABLE" in response.text or "<h1" in response.text
    return (
        response.status_code == SERVICE_UNAVAILABLE
        and response["Retry-After"] == "1"
        and says_what_to_do
    )


def test_staff_are_not_sent_to_sign_in_again() -> None:
    browser = staff()
    browser.raise_request_exception = False
    with database_away():
        response = browser.get(reverse("admin:index"), headers=PERSON)

    assert response.status_code == SERVICE_UNAVAILABLE
    assert response["Content-Type"].startswith("text/html")
    assert response["Cache-Control"] == "no-store"
    assert "The service cannot answer right now" in response.text
    assert f'<a href="{reverse("admin:index")}">' in response.text
    assert response["X-Request-Id"] in response.text
    assert browser.get(reverse("admin:index")).status_code == 200


def test_a_form_is_not_said_to_be_saved_or_lost() -> None:
    browser = staff()
    browser.raise_request_exception = False
    with database_away():
        response = browser.post(reverse("admin:index"), {}, headers=PERSON)

    assert "We cannot tell whether what you sent was saved" in response.text
    assert "<a " not in response.text


def test_a_value_unfit_for_the_database_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A form or a filter that lets it through is to be mended; the answer alone names neither."""
    browser = staff()
    browser.raise_request_exception = False

    def refuse(*_: Any) -> None:
        raise DataError("value too long")

    with connection.execute_wrapper(refuse):
        response = browser.get(reverse("admin:index"), headers=PERSON)

    assert response.status_code == 400
    logged = [each.getMessage() for each in caplog.records if each.exc_info]
    assert logged == ["unfit for the database"]


def test_the_api_answers_a_browser_in_json_as_well(
    monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    """Also where what surrounds its views fails."""

    def fail(*_: Any) -> None:
        raise OperationalError(REASON)

    settings.VISITOR_SECONDS_PER_NETWORK = 6
    monkeypatch.setattr("config.visitors._payer_of", fail)
    browser = Client()
    browser.raise_request_exception = False

    response = browser.get("/v1/payments", headers=PERSON)

    assert response.status_code == SERVICE_UNAVAILABLE
    assert response.json()["code"] == "SERVICE_UNAVAILABLE"


def test_each_request_logs_the_reason_in_a_line(caplog: pytest.LogCaptureFixture) -> None:
    browser = staff()
    browser.raise_request_exception = False
    with database_away(), caplog.at_level(logging.WARNING):
        browser.get(reverse("admin:index"))

    said = [each for each in caplog.records if "did not answer" in each.getMessage()]
    assert [each.getMessage() for each in said] == ["database did not answer: connection refused"]
    assert not any(each.exc_info for each in caplog.records)


MODELS: list[type[Model]] = sorted(ADMINS, key=lambda model: model.__name__)


@pytest.mark.parametrize("model", MODELS)
def test_a_page_of_staff_may_lose_it_at_any_statement(
    rows: dict[type[Model], Model],  # noqa: F811
    model: type[Model],
) -> None:
    browser = staff()
    browser.raise_request_exception = False
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    pages = [reverse(f"{name}_changelist"), reverse(f"{name}_change", args=[rows[model].pk])]
    for page in pages:
        _lost_after(None, browser, page)  # what the first visit remembers, later ones do not ask
        statements = _lost_after(None, browser, page)[1]
        for first in {0, 1, statements // 2, statements - 1}:
            assert _lost_after(first, browser, page)[0] == SERVICE_UNAVAILABLE, (page, first)


def _lost_after(most: int | None, browser: Client, page: str) -> tuple[int, int]:
    """Return the status of a page whose database answers so many statements; and their number."""
    asked = 0

    def answer(run: Callable[..., Any], *statement: Any) -> Any:
        nonlocal asked
        asked += 1
        if most is not None and asked > most:
            raise OperationalError("server closed the connection unexpectedly")
        return run(*statement)

    with connection.execute_wrapper(answer):
        status = browser.get(page).status_code
    transaction.set_rollback(False)  # what was refused has not reached the database
    return status, asked
