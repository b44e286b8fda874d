"""Cash: taken by staff, confirmed by a code on the customer's phone, limited"""

import re
from datetime import UTC, datetime, timedelta
from inspect import signature

import pytest
import time_machine
from django.db import connection

from backoffice.models import AuditEntry
from backoffice.roles import Role
from core.clock import utc_now
from customers.models import Customer
from funding.cash import check_cash_code, send_cash_code, take_cash, taken_in_cash
from funding.errors import CashCodeMissing, CashLimitReached, FundingLimitReached, TopUpStatusUnfit
from funding.models import TopUp
from funding.services import cancel_top_up
from messages.models import Message
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import sign_in
from tests.customers.texts import ask
from tests.funding.money_in import LIVE, customer_with, held, ordered
from tests.lone_index import leave_only

pytestmark = pytest.mark.django_db


@pytest.fixture
def customer():
    return customer_with(0, LIVE, livemode=True)


def test_it_is_taken_by_the_customers_code(customer, texts):
    top_up = ordered(customer, 2_000, "agent")
    browser = sign_in(Role.FINANCE)

    act(browser, top_up, "cash-code")
    assert "confirms that you have paid in B$20.00 BSD in cash" in texts.texts[-1]
    act(browser, top_up, "cash", code=texts.code)

    top_up.refresh_from_db()
    assert (top_up.status, top_up.taken_by, top_up.amount_received) == (
        "succeeded",
        "staff:finance",
        2_000,
    )
    assert held(customer) == 2_000
    written = AuditEntry.objects.latest("sequence")
    assert (written.act, written.outcome, written.subject_id) == ("take cash", "done", top_up.pk)
    assert "B$20.00 BSD was added to your" in Message.objects.get(kind="top_up").text


def test_its_code_speaks_the_customers_language_not_that_of_staff(customer, texts):
    Customer.objects.update(language="fr")
    act(sign_in(Role.FINANCE), ordered(customer, 2_000, "agent"), "cash-code")

    assert "20,00 B$ BSD" in texts.texts[-1].replace("\u00a0", " ")
    assert "confirms that" not in texts.texts[-1]


def test_strangers_do_not_use_up_the_codes_of_who_stands_at_the_counter(customer, texts, settings):
    settings.SMS_PER_NUMBER = [1, 1]
    ask(utc_now(), phone=customer.phone)
    top_up = ordered(customer, 2_000, "agent")

    send_cash_code(top_up_id=top_up.pk, agent="staff:ann", address="", now=utc_now())

    assert texts.to == [customer.phone] * 2


def test_a_wrong_code_fills_nothing_and_is_recorded(customer, texts):
    top_up = ordered(customer, 2_000, "agent")
    browser = sign_in(Role.FINANCE)
    act(browser, top_up, "cash-code")
    wrong = f"{(int(texts.code) + 1) % 1_000_000:06}"

    answer = act(browser, top_up, "cash", code=wrong)

    assert answer.status_code == 422
    assert held(customer) == 0
    written = AuditEntry.objects.latest("sequence")
    assert (written.act, written.outcome) == ("take cash", "refused")


def test_cash_is_not_taken_without_the_right(customer, texts):
    top_up = ordered(customer, 2_000, "agent")

    answer = sign_in(Role.SUPPORT).post(page_of_act(top_up, "cash"), {"code": "000000"})

    assert answer.status_code == 403
    assert held(customer) == 0


def test_no_one_takes_more_cash_than_the_daily_limit(customer, texts, settings):
    settings.FUNDING_CASH_DAY_AMOUNT = 3_000
    first, second = ordered(customer, 2_000, "agent"), ordered(customer, 1_001, "agent")
    browser = sign_in(Role.FINANCE)
    act(browser, first, "cash-code")
    act(browser, first, "cash", code=texts.code)

    answer = act(browser, second, "cash-code")

    assert answer.status_code == 422
    assert "more cash than one person may take in a day" in answer.content.decode()
    assert (len(texts.texts), held(customer)) == (1, 2_000)


def test_midnight_does_not_double_the_cash_that_one_person_takes(customer, settings):
    """The limit began anew with the day: all of it was taken before midnight, and again after."""
    settings.FUNDING_CASH_DAY_AMOUNT, settings.STAFF_TIME_ZONE = 3_000, "America/Nassau"
    before, after = ordered(customer, 3_000, "agent"), ordered(customer, 1_000, "agent")
    TopUp.objects.update(expires_at=utc_now() + timedelta(days=9))
    midnight = datetime(2026, 3, 20, 4, tzinfo=UTC)

    take_cash(top_up_id=before.pk, agent="staff:ann", now=midnight - timedelta(seconds=1))
    for now in (midnight + timedelta(seconds=1), midnight + timedelta(hours=23)):
        with pytest.raises(CashLimitReached):
            take_cash(top_up_id=after.pk, agent="staff:ann", now=now)
        with pytest.raises(CashLimitReached):
            send_cash_code(top_up_id=after.pk, agent="staff:ann", address="", now=now)
    assert held(customer) == 3_000

    take_cash(top_up_id=after.pk, agent="staff:ann", now=midnight + timedelta(hours=24))
    assert held(customer) == 4_000


def test_as_much_as_one_person_may_take_in_a_day(customer, texts, settings):
    settings.FUNDING_CASH_DAY_AMOUNT = 3_000
    all_at_once, first, rest = (ordered(customer, sum_, "agent") for sum_ in (3_000, 2_000, 1_000))

    send_cash_code(top_up_id=all_at_once.pk, agent="staff:ann", address="", now=utc_now())
    take_cash(top_up_id=first.pk, agent="staff:ann", now=utc_now())
    sent = send_cash_code(top_up_id=rest.pk, agent="staff:ann", address="", now=utc_now())

    handles = dict(TopUp.objects.values_list("pk", "code_handle"))
    assert handles[first.pk] == ""
    assert handles[all_at_once.pk] != handles[rest.pk] != ""
    rest.refresh_from_db()
    assert rest.updated_at > sent.updated_at
    check_cash_code(top_up_id=rest.pk, code=texts.code, now=utc_now())
    assert take_cash(top_up_id=rest.pk, agent="staff:ann", now=utc_now()).code_handle == ""
    assert held(customer) == 3_000


def test_cash_ordered_on_three_days_does_not_come_on_one(customer, texts, settings):
    settings.FUNDING_CASH_DAY_AMOUNT = 1_000_000
    with time_machine.travel(utc_now(), tick=False) as clock:
        orders = []
        for amount in (99_000, 98_000):
            orders.append(ordered(customer, amount, "agent"))
            clock.shift(timedelta(hours=25))
        take_cash(top_up_id=orders[0].pk, agent="staff:ann", now=utc_now())
        with pytest.raises(FundingLimitReached):
            take_cash(top_up_id=orders[1].pk, agent="staff:ben", now=utc_now())
        with pytest.raises(FundingLimitReached):
            send_cash_code(top_up_id=orders[1].pk, agent="staff:ben", address="", now=utc_now())
        assert (held(customer), len(texts.texts)) == (99_000, 0)
        clock.shift(timedelta(hours=25))
        take_cash(top_up_id=orders[1].pk, agent="staff:ben", now=utc_now())
    assert held(customer) == 197_000


@pytest.mark.parametrize("step", [send_cash_code, check_cash_code, take_cash])
def test_no_cash_is_taken_for_a_canceled_top_up(customer, texts, step):
    top_up = ordered(customer, 2_000, "agent")
    cancel_top_up(top_up_id=top_up.pk, customer_id=customer.pk, now=utc_now())
    agent = {"agent": "staff:ann", "address": "", "code": "000000"}
    wanted = {name: agent[name] for name in agent if name in signature(step).parameters}

    with pytest.raises(TopUpStatusUnfit) as refusal:
        step(top_up_id=top_up.pk, now=utc_now(), **wanted)

    assert refusal.value.details == "status: is not waited for any more"
    assert held(customer) == 0


def test_no_code_is_right_before_one_was_sent(customer):
    top_up = ordered(customer, 2_000, "agent")

    with pytest.raises(CashCodeMissing):
        check_cash_code(top_up_id=top_up.pk, code="000000", now=utc_now())


def test_no_cash_is_taken_for_a_bank_transfer(customer, texts):
    top_up = ordered(customer, 2_000)

    with pytest.raises(TopUpStatusUnfit):
        send_cash_code(top_up_id=top_up.pk, agent="staff:ann", address="", now=utc_now())
    with pytest.raises(TopUpStatusUnfit):
        take_cash(top_up_id=top_up.pk, agent="staff:ann", now=utc_now())

    assert (texts.texts, held(customer)) == ([], 0)


def test_staff_find_it_by_the_code_that_the_customer_shows(customer):
    top_up = ordered(customer, 2_000, "agent")

    found = sign_in(Role.SUPPORT).get("/admin/search/", {"q": top_up.reference}, follow=True)

    assert found.redirect_chain[-1][0].endswith(f"{top_up.pk}/change/")
    assert "Top-up of B$20.00" in found.content.decode()


def test_the_customers_page_shows_what_was_added(customer):
    ordered(customer, 2_000, "agent")
    address = f"/admin/customers/customer/{customer.pk}/change/"

    page = sign_in(Role.SUPPORT).get(address).content.decode()

    assert "Money added" in page
    assert re.search(r">\s*cash\s*<", page)
    assert TopUp.objects.get().status == "pending"


def test_what_one_person_has_taken_is_found_by_its_index() -> None:
    taken = taken_in_cash("staff:ann", since=utc_now())
    if connection.vendor == "postgresql":
        leave_only("top_up_in_cash", TopUp)

    assert "top_up_in_cash" in taken.explain()
