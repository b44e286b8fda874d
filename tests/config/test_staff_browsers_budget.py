"""Strangers keep no one of staff from signing in at a browser where they have signed in before."""

from datetime import timedelta
from itertools import count

import pytest
import time_machine
from django.http import HttpResponse
from django.test import Client
from pytest_django import DjangoAssertNumQueries, Settings

import config.settings
from backoffice.known_browsers import LIFETIME, marked_browser
from backoffice.roles import Role
from config.visitors import is_visitor
from core.clock import utc_now
from core.visitor_budget import BURST_SECONDS, staff_browsers, visitors
from tests.backoffice.conftest import PASSWORD, code_of, make_user, sign_in

NETWORK = "127.0.0.0/24"
SIGN_IN = "/admin/login/"
ENTERED = {"username": "support", "password": PASSWORD}
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def limited(settings: Settings) -> None:
    """Let the limit be that of production, and no browser have spent anything."""
    settings.VISITOR_SECONDS_PER_NETWORK = config.settings.VISITOR_SECONDS_PER_NETWORK
    staff_browsers.clear()


def known_browser_of(name: str) -> Client:
    """Return the browser in which someone of staff has signed in, and out again."""
    user, browser = make_user(Role.SUPPORT, name), Client()
    browser.post(SIGN_IN, ENTERED | {"username": name})
    browser.post("/admin/two-factor/", {"code": code_of(user, utc_now())})
    browser.post("/admin/two-factor/leave/")
    assert "session" not in browser.cookies or not browser.cookies["session"].value
    return browser


def mark_of(browser: str) -> str:
    response = HttpResponse()
    response.set_signed_cookie("staff_browser", browser, salt="staff_browser")
    return response.cookies["staff_browser"].value


def spend_the_networks() -> None:
    visitors.charge(NETWORK, BURST_SECONDS + 6)


@pytest.mark.parametrize("name", ["support", "ann@example.com"])
def test_a_known_browser_signs_in_whatever_its_network_has_spent(name: str) -> None:
    """Someone in the same network kept all of staff there from the page of the password."""
    own = known_browser_of(name)
    spend_the_networks()
    stranger = Client()

    assert stranger.get(SIGN_IN).status_code == 429
    assert own.get(SIGN_IN).status_code == 200
    assert own.post(SIGN_IN, ENTERED | {"username": name}).status_code == 302


def test_a_known_browser_waits_in_line_with_no_stranger() -> None:
    """With strangers of many networks in line, the page took as long as all of them together."""
    own = known_browser_of("ann@example.com")
    cookies = "; ".join(f"{name}={each.coded_value}" for name, each in own.cookies.items())

    assert not is_visitor({"PATH_INFO": SIGN_IN, "HTTP_COOKIE": cookies})


@pytest.mark.parametrize(
    "mark", ["", "support:made-up", "support:abc:1wHxyz:c2lnbmF0dXJl", "\xff\xfe:\0:"]
)
def test_a_made_up_mark_of_staff_is_a_visitors(mark: str) -> None:
    assert is_visitor({"PATH_INFO": SIGN_IN, "HTTP_COOKIE": f"a=b; staff_browser={mark}"})


def test_a_mark_counts_on_pages_of_staff_and_for_its_time() -> None:
    mark = {"HTTP_COOKIE": f'csrf=abc; staff_browser="{mark_of("support:a")}"'}

    assert not is_visitor(mark | {"PATH_INFO": SIGN_IN})
    for path in ("/account", "/v1/balance", "/administer"):
        assert is_visitor(mark | {"PATH_INFO": path})
    with time_machine.travel(utc_now() + LIFETIME + timedelta(minutes=1), tick=False):
        assert is_visitor(mark | {"PATH_INFO": SIGN_IN})


def test_of_two_marks_the_last_one_counts_as_in_django() -> None:
    cookies = "; ".join(f"staff_browser={mark_of(name)}" for name in ("support:a", "finance:b"))

    assert marked_browser(cookies) == "finance:b"


def test_a_known_browser_in_the_hands_of_a_machine_is_refused_at_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own, other = known_browser_of("support"), known_browser_of("colleague")
    spend_the_networks()
    clock = count()
    monkeypatch.setattr("config.visitors.time.thread_time", lambda: float(next(clock)))

    answers = [own.get(SIGN_IN) for _ in range(20)]

    assert {each.status_code for each in answers} == {200, 429}
    assert int(answers[-1]["Retry-After"]) <= 60
    assert other.get(SIGN_IN).status_code == 200


def test_a_copied_mark_is_worth_one_budget_wherever_it_is_sent_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each network has a budget of its own, and no line holds up who bears the mark."""
    own = known_browser_of("support")
    visitors.clear()
    clock = count()
    monkeypatch.setattr("config.visitors.time.thread_time", lambda: float(next(clock)))

    statuses = {own.get(SIGN_IN, REMOTE_ADDR=f"198.51.{n}.7").status_code for n in range(20)}

    assert statuses == {200, 429}
    assert not visitors._debts


def test_staff_who_are_signed_in_are_served_when_their_browser_has_spent_its_budget() -> None:
    browser = sign_in(Role.SUPPORT)
    browser.cookies["staff_browser"] = mark_of("support:a")
    staff_browsers.charge("support:a", 20)

    assert browser.get("/admin/").status_code == 200
    browser.cookies.pop("session")
    assert browser.get(SIGN_IN).status_code == 429


def test_staff_who_are_signed_in_spend_nothing_of_their_browsers_budget() -> None:
    browser = sign_in(Role.SUPPORT)
    browser.cookies["staff_browser"] = mark_of("support:a")
    staff_browsers.clear()

    assert browser.get("/admin/").status_code == 200
    assert not staff_browsers._debts


def test_made_up_marks_are_refused_without_a_statement(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    spend_the_networks()
    browser = Client()
    browser.cookies["staff_browser"] = "support:made-up:1wHxyz:c2lnbmF0dXJl"

    with django_assert_num_queries(0):
        assert browser.get(SIGN_IN).status_code == 429
