"""Codes that strangers ask for: they cost us no more than a budget, and cost owners no code."""

from datetime import datetime, timedelta

import pytest
from pytest_django import Settings

from core.errors import RateLimited
from core.models import Quota
from customers.code_budgets import Budget, refused, sent
from customers.codes import request_code
from customers.erasure import erase_customer
from customers.errors import CountryNotServed
from customers.models import CodePurpose, SignInCode
from customers.services import find_or_create
from messages import sms
from messages.errors import Fault, MessageNotSent
from messages.models import Channel, Message, Outage
from messages.send_loop import send_due_messages
from tests.customers.texts import PHONE, TextBox, ask
from tests.messages.conftest import plan

pytestmark = pytest.mark.django_db
JAMAICA, UKRAINE = "+18762345678", "+380501234567"


def phone(number: int) -> str:
    return f"+124235912{number:02}"


def refusals(budget: str) -> float:
    return refused.labels(budget=budget)._value.get()


def ask_from_known_browser(now: datetime, number: str = PHONE, browser: str = "laptop") -> str:
    return request_code(
        phone=number,
        livemode=True,
        purpose=CodePurpose.SIGN_IN,
        address="203.0.113.7",
        now=now,
        browser=browser,
    )


def test_strangers_cannot_take_the_codes_of_a_phones_owner(texts: TextBox, now: datetime) -> None:
    for number in range(15):
        ask(now + timedelta(hours=number), address=f"203.0.{number}.7")
    later = now + timedelta(hours=15)
    with pytest.raises(RateLimited):
        ask(later, address="203.0.99.7")

    ask_from_known_browser(later)

    assert len(texts.texts) == 16


def test_a_known_browser_has_no_more_codes_than_a_phone(texts: TextBox, now: datetime) -> None:
    for _ in range(5):
        ask_from_known_browser(now)

    with pytest.raises(RateLimited):
        ask_from_known_browser(now)


def test_known_browsers_of_a_phone_have_three_times_its_codes_together(
    texts: TextBox, now: datetime
) -> None:
    for number in range(15):
        ask_from_known_browser(now, browser=f"browser {number // 5}")

    with pytest.raises(RateLimited):
        ask_from_known_browser(now, browser="another")
    assert len(texts.texts) == 15


def test_no_count_of_a_known_browser_keeps_the_number_of_the_erased(
    texts: TextBox, now: datetime
) -> None:
    person = find_or_create(phone="+12423591234", now=now)
    ask_from_known_browser(now, person.phone)
    of_number = Quota.objects.filter(key__contains=person.phone)
    assert of_number.count() == 4  # an hour and a day, of two
    erase_customer(customer_id=person.pk, actor="staff:ann", cause="asked", now=now)

    assert not of_number.exists()


def test_a_known_browser_is_not_kept_from_its_codes_by_its_network(
    texts: TextBox, now: datetime, settings: Settings
) -> None:
    settings.SMS_PER_NETWORK = settings.SMS_IN_ALL = [1, 1]
    ask(now, phone=phone(1), address="203.0.113.8")

    ask_from_known_browser(now)

    assert len(texts.texts) == 2


@pytest.mark.parametrize("budget", ["country", "all"])
def test_marks_of_many_known_browsers_do_not_pump_texts(
    texts: TextBox, now: datetime, settings: Settings, budget: str
) -> None:
    """Who signs in once with each of many numbers keeps a mark for each, good for half a year."""
    setattr(settings, "SMS_PER_COUNTRY" if budget == "country" else "SMS_IN_ALL", [1, 1])
    before = refusals(f"known-{budget}")
    for number in range(3):
        ask_from_known_browser(now, phone(number))

    with pytest.raises(RateLimited):
        ask_from_known_browser(now + timedelta(hours=2), phone(3))

    assert (len(texts.texts), refusals(f"known-{budget}")) == (3, before + 1)
    ask(now, phone=phone(4))  # what strangers have is their own


@pytest.mark.parametrize(
    ("addresses", "elsewhere"),
    [
        (("203.0.113.1", "203.0.113.254"), "203.0.112.1"),
        (("2001:db8:1:1::1", "2001:db8:1:ffff::1"), "2001:db8:2::1"),
    ],
)
def test_a_network_is_one_caller_however_many_addresses_it_has(
    texts: TextBox, now: datetime, settings: Settings, addresses: tuple[str, str], elsewhere: str
) -> None:
    settings.SMS_PER_NETWORK = [1, 300]
    ask(now, phone=phone(1), address=addresses[0])

    with pytest.raises(RateLimited):
        ask(now, phone=phone(2), address=addresses[1])
    ask(now, phone=phone(2), address=elsewhere)


def test_a_country_has_a_budget(texts: TextBox, now: datetime, settings: Settings) -> None:
    settings.SMS_PER_COUNTRY = [2, 5000]
    for number in range(2):
        ask(now, phone=phone(number), address=f"203.0.{number}.7")

    with pytest.raises(RateLimited):
        ask(now, phone=phone(2), address="203.0.2.7")
    ask(now, phone=JAMAICA, address="203.0.2.7")


def test_all_countries_have_a_budget(texts: TextBox, now: datetime, settings: Settings) -> None:
    settings.SMS_IN_ALL = [2, 10_000]
    ask(now, phone=phone(1))
    ask(now, phone=JAMAICA)

    with pytest.raises(RateLimited):
        ask(now, phone=phone(2))


def test_the_day_has_a_budget_too(texts: TextBox, now: datetime, settings: Settings) -> None:
    settings.SMS_IN_ALL = [2, 2]
    ask(now, phone=phone(1))
    ask(now, phone=phone(2))

    with pytest.raises(RateLimited):
        ask(now + timedelta(hours=2), phone=phone(3))
    ask(now + timedelta(days=1), phone=phone(3))


def test_an_exhausted_budget_sounds_an_alarm_without_the_number(
    texts: TextBox, now: datetime, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.SMS_IN_ALL = [1, 1]
    ask(now, phone=phone(1))
    before = refusals("all")

    with pytest.raises(RateLimited):
        ask(now, phone=phone(2))

    assert refusals("all") == before + 1
    [line] = [record for record in caplog.records if "code_refused" in record.getMessage()]
    assert line.levelname == "WARNING"
    assert "'budget': 'all'" in line.getMessage()
    assert "359" not in line.getMessage()


def test_a_country_that_is_not_served_gets_nothing(texts: TextBox, now: datetime) -> None:
    before = refusals("country_not_served")
    with pytest.raises(CountryNotServed) as refusal:
        ask(now, phone=UKRAINE)

    assert (refusal.value.status, refusal.value.code) == (422, "VALIDATION_FAILED")
    assert refusal.value.details == "phone: must not be a number of UA"
    assert refusals("country_not_served") == before + 1
    assert (texts.texts, SignInCode.objects.count(), Quota.objects.count()) == ([], 0, 0)


def test_every_country_may_be_served(texts: TextBox, now: datetime, settings: Settings) -> None:
    settings.SMS_COUNTRIES = ["*"]
    before = sent.labels(country="UA")._value.get()

    ask(now, phone=UKRAINE)

    assert sent.labels(country="UA")._value.get() == before + 1
    assert texts.to == [UKRAINE]


@pytest.mark.parametrize("fault", Fault)
def test_only_a_gateway_that_was_not_reached_is_noted_as_away(
    now: datetime, monkeypatch: pytest.MonkeyPatch, fault: Fault
) -> None:
    """Other messages then wait untouched, and staff read since when."""

    def fail(**_: object) -> None:
        raise MessageNotSent(fault, "SMS gateway: ConnectTimeout")

    monkeypatch.setattr(sms, "send", fail)
    with pytest.raises(MessageNotSent):
        ask(now)

    noted = list(Outage.objects.values_list("channel", "reason", "since"))
    is_away = fault is Fault.UNREACHED
    assert noted == [(Channel.SMS, "SMS gateway: ConnectTimeout", now)] * is_away


# The switch that stops all texts


def test_while_it_is_set_no_code_leaves_or_is_counted(
    texts: TextBox, now: datetime, settings: Settings
) -> None:
    settings.SMS_STOP = True
    before = refusals("stopped")

    with pytest.raises(MessageNotSent) as refusal:
        ask(now)

    assert refusal.value.status == 503
    assert refusals("stopped") == before + 1
    assert (texts.texts, Quota.objects.count()) == ([], 0)


def test_while_it_is_set_notices_wait_untouched(
    texts: TextBox, now: datetime, settings: Settings
) -> None:
    settings.SMS_STOP = True
    plan(now, channel=Channel.SMS, recipient="+12423591234")
    assert send_due_messages(now=now) == 0
    assert Message.objects.get().attempts == 0

    settings.SMS_STOP = False
    assert send_due_messages(now=now) == 1


def test_while_it_is_set_nothing_goes_past_it(settings: Settings) -> None:
    settings.SMS_STOP = True

    with pytest.raises(MessageNotSent) as refusal:
        sms.send(to="+12423591234", text="Hello.")
    assert refusal.value.fault == Fault.TEMPORARY


def test_a_budget_has_an_hour_and_a_day() -> None:
    limits = [(limit.name, limit.times) for limit in Budget("phone", "x", [5, 15]).limits()]

    assert limits == [("code-phone-hour", 5), ("code-phone-day", 15)]
    with pytest.raises(ValueError, match="zip"):
        list(Budget("phone", "x", [5]).limits())
