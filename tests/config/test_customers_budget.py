"""One phone does not exempt a machine from what anyone may cost."""

from itertools import count

import pytest
from django.test import Client
from pytest_django import Settings

import config.settings
from checkout.browser_session import session_cookie
from core.clock import utc_now
from core.visitor_budget import BURST_SECONDS, customers, visitors
from customers.services import find_or_create
from customers.sessions import start_session

NETWORK = "127.0.0.0/24"
PHONES = ("+12423591234", "+12423591235")
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def limited(settings: Settings) -> None:
    """Let the limit be that of production, and the network have spent its own."""
    settings.VISITOR_SECONDS_PER_NETWORK = config.settings.VISITOR_SECONDS_PER_NETWORK
    customers.clear()
    visitors.charge(NETWORK, BURST_SECONDS + 6)


def browser_of(phone: str) -> Client:
    customer = find_or_create(phone=phone, now=utc_now())
    browser = Client()
    token = start_session(customer=customer, now=utc_now()).token
    browser.cookies[session_cookie(livemode=True)] = token
    return browser


def test_a_session_in_the_hands_of_a_machine_is_refused_at_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It was served without end, from any number of machines: no process had a thread left."""
    clock = count()
    monkeypatch.setattr("config.visitors.time.thread_time", lambda: float(next(clock)))
    machine = browser_of(PHONES[0])

    answers = [machine.get("/checkout/nothing") for _ in range(20)]

    assert {each.status_code for each in answers} == {404, 429}
    assert int(answers[-1]["Retry-After"]) <= 60


def test_no_other_customer_of_that_network_pays_for_it() -> None:
    machine, other = map(browser_of, PHONES)
    assert machine.get("/checkout/nothing").status_code == 404
    for payer in tuple(customers._debts):
        customers.charge(payer, 20)

    assert machine.get("/checkout/nothing").status_code == 429
    assert other.get("/checkout/nothing").status_code == 404


def test_a_person_costs_next_to_nothing_of_it() -> None:
    browser = browser_of(PHONES[0])
    browser.get("/account")  # the first page of a process loads what later ones find loaded
    customers.clear()
    for _ in range(10):
        assert browser.get("/account").status_code == 200

    assert max(debt for debt, _ in customers._debts.values()) < 2
