"""The way without a second person: a day late, and told to every Administrator."""

from datetime import timedelta
from functools import partial

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import call_command

from backoffice.errors import InstructionDecided
from backoffice.models import AuditEntry, Instruction
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.decisions import BREAK_GLASS_DELAY, break_glass
from backoffice.services.instructions import instruct
from core.clock import iso, utc_now
from messages.models import Message
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.colleagues import (
    FIRST,
    SECOND,
    ask_for_account,
    at_desk,
    decide,
    staff_named,
    two_administrators,
    waiting,
)
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment, refund_request

pytestmark = pytest.mark.django_db

WHY = {"note": "The other is on a plane"}


@pytest.fixture
def asked() -> Instruction:
    two_administrators()
    ask_for_account(at_desk(), "friend")
    return waiting()


def alarms() -> list[str]:
    sent = Message.objects.filter(kind="staff_alarm").order_by("recipient")
    return list(sent.values_list("recipient", flat=True))


def test_the_page_of_a_request_says_why_the_glass_was_broken(asked: Instruction) -> None:
    browser = at_desk()
    assert WHY["note"] not in browser.get(page_of(asked)).content.decode()

    act(browser, asked, "break-glass", **WHY)

    assert WHY["note"] in browser.get(page_of(asked)).content.decode()


def test_it_takes_effect_a_day_later_and_everyone_is_told_twice(asked: Instruction) -> None:
    act(at_desk(), asked, "break-glass", **WHY)
    everyone = ["administrator@example.com", "second@example.com"]
    assert alarms() == everyone
    assert "The other is on a plane" in Message.objects.filter(kind="staff_alarm")[0].text

    with time_machine.travel(utc_now() + BREAK_GLASS_DELAY, tick=False):
        act(at_desk(), asked, "carry-out", **WHY)

    assert User.objects.filter(username="friend").exists()
    assert sorted(alarms()) == sorted(everyone * 2)
    entries = AuditEntry.objects.filter(subject_id=asked.pk).order_by("sequence")
    asked.refresh_from_db()
    assert asked.glass_broken_at
    broken, later = iso(asked.glass_broken_at), iso(asked.glass_broken_at + BREAK_GLASS_DELAY)
    told = {"told": "all Administrators"}
    [text] = {each.text for each in Message.objects.filter(text__contains="may do it")}
    assert text.startswith(
        f"“Add staff” (friend): administrator may do it without a second person from {later} on,"
        " unless one of you declines.\nReason: Hired\nWhy no one else: The other is on a plane\n"
    )
    assert [(entry.act, entry.outcome, entry.before, entry.after) for entry in entries] == [
        ("break glass", "asked", {"glass_broken_at": None}, {"glass_broken_at": broken} | told),
        ("finish break glass", "done", {"status": "waiting"}, {"status": "carried_out"} | told),
    ]
    assert (asked.decided_by, asked.decision_note) == (None, "The other is on a plane")


def test_it_does_not_a_second_early(asked: Instruction) -> None:
    act(at_desk(), asked, "break-glass", **WHY)
    early = utc_now() + BREAK_GLASS_DELAY - timedelta(seconds=1)

    with time_machine.travel(early, tick=False):
        response = act(at_desk(), asked, "carry-out", **WHY)

    assert response.status_code == 422
    assert not User.objects.filter(username="friend").exists()


def test_it_does_not_without_the_alarm(asked: Instruction) -> None:
    with time_machine.travel(utc_now() + 2 * BREAK_GLASS_DELAY, tick=False):
        page = page_of_act(asked, "carry-out")
        at_desk().post(page, {"form_key": "1", "note": "x"})

    assert not User.objects.filter(username="friend").exists()


def test_another_administrator_stops_it(asked: Instruction) -> None:
    act(at_desk(), asked, "break-glass", **WHY)
    decide(SECOND, "decline")

    with time_machine.travel(utc_now() + BREAK_GLASS_DELAY, tick=False):
        at_desk().post(page_of_act(asked, "carry-out"), {"form_key": "1", "note": "x"})

    assert not User.objects.filter(username="friend").exists()
    asked.refresh_from_db()
    assert asked.status == "declined"


def test_to_close_the_accounts_of_the_others_first_is_heard(asked: Instruction) -> None:
    act(at_desk(), User.objects.get(username=SECOND), "close", reason="So that no one declines")

    assert alarms() == ["administrator@example.com", "second@example.com"]


def test_of_who_alone_manages_staff_all_others_hear(office: Office) -> None:
    office(Role.FINANCE)
    User.objects.filter(username="finance").update(email="finance@example.com")
    ask_for_account(at_desk(), "friend")

    act(at_desk(), waiting(), "break-glass", **WHY)

    assert alarms() == ["finance@example.com"]


@pytest.mark.parametrize(
    ("addresses", "told"),
    [
        ((FIRST, SECOND, "friend"), "all Administrators"),
        ((FIRST, "friend"), "all staff"),
        ((), "no one, for want of an e-mail address"),
    ],
)
def test_whom_the_alarm_has_told_is_on_the_page(
    asked: Instruction, addresses: tuple[str, ...], told: str
) -> None:
    User.objects.update(email="")
    for name in addresses:
        User.objects.filter(username=name).update(email=f"{name}@example.com")

    browser = at_desk()
    act(browser, asked, "break-glass", **WHY)
    begun = browser.get(page_of(asked)).content.decode()
    with time_machine.travel(utc_now() + BREAK_GLASS_DELAY, tick=False):
        act(at_desk(), asked, "carry-out", **WHY)
        done = at_desk().get(page_of(asked)).content.decode()

    assert f"Told: {told}. You can carry it out after the delay." in begun
    assert f"Glass broken: {told} told" in begun
    assert f"Glass broken: {told} told" in done


@pytest.mark.parametrize("action", ["break-glass", "carry-out"])
def test_only_the_requester_goes_this_way(asked: Instruction, action: str) -> None:
    if action == "carry-out":
        act(at_desk(), asked, "break-glass", **WHY)

    with time_machine.travel(utc_now() + BREAK_GLASS_DELAY, tick=False):
        page = page_of_act(asked, action)
        assert at_desk(SECOND).post(page, {"form_key": "1", "note": "x"}).status_code == 403

    assert not User.objects.filter(username="friend").exists()


def test_the_delay_does_not_begin_anew(asked: Instruction) -> None:
    act(at_desk(), asked, "break-glass", **WHY)
    asked.refresh_from_db()
    began = asked.glass_broken_at

    with time_machine.travel(utc_now() + timedelta(hours=1), tick=False):
        at_desk().post(page_of_act(asked, "break-glass"), {"form_key": "1", "note": "x"})

    asked.refresh_from_db()
    assert (asked.glass_broken_at, len(alarms())) == (began, 2)


def test_money_does_not_go_this_way(merchant) -> None:
    two_administrators()
    request = refund_request(paid_payment(merchant, 500_000), 200_000)
    asked = instruct(staff=staff_named(FIRST), request=request, now=utc_now())

    page = page_of_act(asked, "break-glass")
    assert at_desk().post(page, {"form_key": "1", "note": "x"}).status_code == 409

    asked.refresh_from_db()
    assert asked.glass_broken_at is None
    assert alarms() == []


def test_monitoring_sees_it(asked: Instruction, client) -> None:
    assert "staff_glass_broken 0.0" in client.get("/metrics").content.decode()

    act(at_desk(), asked, "break-glass", **WHY)

    assert "staff_glass_broken 1.0" in client.get("/metrics").content.decode()


def test_an_account_made_on_the_server_is_told_to_everyone(asked: Instruction) -> None:
    call_command("create_staff", "new.one", role="administrator", email="new@example.com")

    assert alarms() == ["administrator@example.com", "new@example.com", "second@example.com"]
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.act, entry.actor) == ("create staff", "system:backoffice.create_staff")
    assert Role.ADMINISTRATOR.value in str(entry.after)


def test_of_two_presses_the_second_is_refused_and_alarms_no_one(asked: Instruction) -> None:
    again = partial(break_glass, staff=staff_named(FIRST), instruction_id=asked.pk, note="Again")
    again(now=utc_now())

    with pytest.raises(InstructionDecided) as refused:
        again(now=utc_now() + timedelta(hours=1))

    assert refused.value.message == "This has already been decided."
    assert refused.value.details == "The delay has begun already."
    assert len(alarms()) == 2
