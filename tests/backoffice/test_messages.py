"""Staff see every message that could not be sent, how old it is, and why."""

import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.urls import reverse

from backoffice.message_words import MESSAGE_KINDS
from backoffice.queues import queues_of
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from messages.models import Channel, Message
from tests.backoffice.conftest import Office, staff_as
from tests.messages.conftest import ADDRESS, PHONE, plan
from tests.nights import ITS_OWN
from webhooks.statuses import AlertKind

pytestmark = pytest.mark.django_db
LIST = "admin:messaging_message_changelist"
INTERRUPTED = "Interrupted while it was being sent: it may have arrived."


@pytest.fixture
def lost() -> dict[str, Message]:
    """One message of each fate, all of them live, and due an hour or more ago."""
    now = utc_now()
    fates: dict[str, dict[str, object]] = {
        "refused": {"status": "refused", "last_error": "550 No such user"},
        "failed": {"status": "failed", "last_error": "The connection was lost"},
        "interrupted": {"status": "sending", "lease_until": now - timedelta(minutes=1)},
        "being sent": {"status": "sending", "lease_until": now + timedelta(minutes=1)},
        "planned": {"status": "planned"},
        "sent": {"status": "sent", "sent_at": now},
        "needless": {"status": "not_needed"},
    }
    messages = {}
    for hours, (name, values) in enumerate(fates.items(), start=1):
        messages[name] = plan(now - timedelta(hours=hours))
        Message.objects.filter(pk=messages[name].pk).update(**values)
    return messages


def shown(html: str, rows: dict[str, Message]) -> set[str]:
    return {name for name, row in rows.items() if row.pk in html}


def test_the_queue_counts_what_waits_for_staff(lost: dict[str, Message]) -> None:
    [queue] = queues_of(staff_as(Role.SUPPORT), livemode=True, now=utc_now())

    assert (queue.title, queue.count, queue.oldest) == ("Messages not sent", 3, "3 hours")
    assert queues_of(staff_as(Role.SUPPORT), livemode=False, now=utc_now()) == []


@pytest.mark.each_on_postgres(ITS_OWN)
def test_the_queue_opens_its_list_with_causes(office: Office, lost: dict[str, Message]) -> None:
    [queue] = queues_of(staff_as(Role.SUPPORT), livemode=True, now=utc_now())

    html = office(Role.SUPPORT).get(queue.url).content.decode()

    assert shown(html, lost) == {"refused", "failed", "interrupted"}
    for words in ("550 No such user", "The connection was lost", INTERRUPTED):
        assert words in html


def test_the_page_says_why_and_for_how_long(office: Office, lost: dict[str, Message]) -> None:
    page = reverse("admin:messaging_message_change", args=[lost["interrupted"].pk])

    html = office(Role.VIEWER).get(page).content.decode()

    assert INTERRUPTED in html
    assert "interrupted" in html
    assert "<dt>Not sent for</dt><dd>3 hours</dd>" in html


@pytest.mark.parametrize("fate", ["being sent", "planned", "sent", "needless"])
def test_what_is_sent_or_will_be_is_not_said_to_grow_old(
    office: Office, lost: dict[str, Message], fate: str
) -> None:
    html = office(Role.VIEWER).get(page_of(lost[fate])).content.decode()

    assert "Not sent for" not in html


def test_what_became_of_it_is_said_in_words(office: Office, lost: dict[str, Message]) -> None:
    html = office(Role.SUPPORT).get(page_of(lost["refused"])).content.decode()

    assert ">refused<" in html
    assert "<dt>By</dt><dd>e\N{NON-BREAKING HYPHEN}mail</dd>" in html


def test_no_one_reads_an_address_or_what_was_written(office: Office) -> None:
    now = utc_now()
    rows = [plan(now), plan(now, channel=Channel.SMS, recipient=PHONE)]
    browser = office(Role.ADMINISTRATOR)
    pages = [reverse("admin:messaging_message_change", args=[row.pk]) for row in rows]

    for page in [f"{reverse(LIST)}?mode=live", *pages]:
        html = browser.get(page).content.decode()
        assert ADDRESS not in html
        assert PHONE[2:] not in html
        assert "Good morning." not in html


@pytest.mark.each_on_postgres(ITS_OWN)
def test_every_kind_has_its_words(office: Office) -> None:
    kinds = {*settings.MESSAGE_WRITERS, *settings.URGENT_MESSAGES, *AlertKind.values}
    assert kinds <= set(MESSAGE_KINDS)
    message = plan(utc_now(), kind="unhealthy")
    browser = office(Role.SUPPORT)

    listed = browser.get(f"{reverse(LIST)}?mode=live").content.decode()
    page = browser.get(page_of(message)).content.decode()

    assert "Alert of a failing endpoint" in listed
    assert not re.search(r">\s*unhealthy\s*<", listed)
    assert "<h1>Alert of a failing endpoint to " in page


@pytest.mark.each_on_postgres(ITS_OWN)
def test_the_list_is_filtered(office: Office, lost: dict[str, Message]) -> None:
    browser = office(Role.SUPPORT)

    def listed(query: str) -> set[str]:
        return shown(browser.get(f"{reverse(LIST)}?{query}").content.decode(), lost)

    assert listed("mode=live") == set(lost)
    assert listed("mode=test") == set()
    assert listed("mode=live&status=sent") == {"sent"}
    assert listed("mode=live&channel=sms") == set()
    assert listed("mode=live&about=mer_1") == set(lost)
    assert listed("mode=live&about=mer_2") == set()
