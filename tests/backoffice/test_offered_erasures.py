"""Before anyone presses Erase, the page says what would refuse it, or why there is no button."""

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create, top_up
from funding.models import FundingWay
from funding.services import open_top_up
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office
from tests.factories import CustomerFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def person() -> Customer:
    return find_or_create(phone="+12424570123", now=utc_now())


def test_the_form_says_before_the_press_what_refuses(office: Office, person: Customer) -> None:
    browser, now = office(Role.FINANCE), utc_now()
    assert browser.get(page_of_act(person, "erase")).context["form"].warnings() == []
    top_up(customer=person, amount=500, currency="BSD", now=now)
    open_top_up(
        customer=person,
        way=FundingWay.AGENT,
        amount=700,
        currency="BSD",
        expires_at=now,
        actor="customer:x",
        now=now,
    )

    said = browser.get(page_of_act(person, "erase")).context["form"].warnings()

    assert said == [
        "The wallet holds B$5.00 BSD: empty it by “Adjust wallet” first.",
        "Top-ups still on their way: 1.",
    ]
    refused = act(browser, person, "erase", reason="Asked for it").content.decode()
    assert [refused.count(words) for words in said] == [1, 1]


def test_a_customer_of_tests_has_no_button_and_the_page_says_why(
    office: Office, person: Customer
) -> None:
    browser, tester = office(Role.FINANCE), CustomerFactory()

    shown = [browser.get(page_of(row)).content.decode() for row in (tester, person)]

    said = "not offered: a customer of tests is no person"
    assert [said in page for page in shown] == [True, False]
    assert [">Erase</a>" in page for page in shown] == [False, True]
