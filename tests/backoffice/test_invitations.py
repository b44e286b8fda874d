"""A new colleague chooses a password by a link that no one else has seen."""

import re
from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client

from backoffice.models import AuditEntry, Instruction
from backoffice.pages import sign_in
from backoffice.roles import Role
from config.logging import redact
from core.clock import utc_now
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.backoffice.acting import act, address
from tests.backoffice.colleagues import (
    ADDRESS,
    LINK_ENDED,
    SECOND,
    ask_for_account,
    at_desk,
    decide,
    two_administrators,
    waiting,
)
from tests.backoffice.conftest import make_user
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db

PASSWORD = "tall ship sails"
LINK = re.compile(r"http://testserver(/admin/invitation/\S+)")


@pytest.fixture
def link(mailoutbox) -> str:
    """The address in the mail to a colleague whom two Administrators have let in."""
    two_administrators()
    ask_for_account(at_desk(), "friend")
    decide(SECOND)
    return mailed(mailoutbox)


def mailed(mailoutbox) -> str:
    send_due_messages(now=utc_now())
    [mail] = [mail for mail in mailoutbox if "/admin/invitation/" in mail.body]
    assert mail.to == [ADDRESS]
    found = LINK.search(mail.body)
    assert found
    return found[1]


def choose(link: str, password: str = PASSWORD, client: Client | None = None) -> str:
    """Open the link, choose a password, and return the page that comes of it."""
    client = client or Client()
    form = client.get(link, follow=True)
    assert link.split("/")[-2] not in form.request["PATH_INFO"]
    fields = {"new_password1": password, "new_password2": password}
    return client.post(form.request["PATH_INFO"], fields, follow=True).content.decode()


def test_it_lets_the_colleague_choose_a_password(link: str) -> None:
    assert "Sign in" in choose(link)

    user = User.objects.get(username="friend")
    assert user.check_password(PASSWORD)
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.act, entry.actor) == ("choose password", "friend")


def test_strangers_who_flood_the_sign_in_keep_no_one_out_who_was_just_invited(link: str) -> None:
    """So an Administrator helps a colleague to a new browser, by a reset of access."""
    colleague, stranger = Client(), Client()
    choose(link, client=colleague)
    fields = {"username": "friend", "password": PASSWORD}

    with sign_in._sign_ins.hold(), sign_in._sign_ins.hold():
        assert stranger.post("/admin/login/", fields).status_code == 200, "refused"
        assert colleague.post("/admin/login/", fields).status_code == 302


def test_a_password_that_is_refused_makes_no_browser_known(link: str) -> None:
    client = Client()

    choose(link, "short", client)

    assert "staff_browser" not in client.cookies


def test_it_works_once(link: str) -> None:
    choose(link)

    page = Client().get(link, follow=True).content.decode()

    assert LINK_ENDED in page
    assert User.objects.get(username="friend").check_password(PASSWORD)


def test_it_ends_after_three_days(link: str) -> None:
    with time_machine.travel(utc_now() + timedelta(days=3, seconds=1), tick=False):
        assert LINK_ENDED in Client().get(link).content.decode()


def test_no_one_else_sees_it(link: str, mailoutbox) -> None:
    """Neither those who let the colleague in, nor the list of messages, nor the log."""
    token = link.split("/")[-2]
    assert token not in str(list(Message.objects.values()))
    assert token not in str(list(Instruction.objects.values()))
    assert token not in str(list(AuditEntry.objects.values()))
    assert token not in redact(f"GET {link}")
    browser = at_desk()
    for page in ("/admin/backoffice/instruction/", "/admin/messages/message/?mode=both"):
        assert token not in browser.get(page).content.decode()


def test_a_weak_password_is_refused(link: str) -> None:
    assert "too short" in choose(link, "short")

    assert not User.objects.get(username="friend").has_usable_password()


def test_a_closed_account_is_no_longer_invited(link: str) -> None:
    User.objects.filter(username="friend").update(is_active=False)

    assert LINK_ENDED in Client().get(link).content.decode()


def test_a_made_up_link_is_worth_nothing(link: str) -> None:
    stranger = make_user(Role.SUPPORT)
    for made_up in (
        f"{link[:-3]}x/",
        link.replace(link.split("/")[3], "MQ"),
        "/admin/invitation/x/y/",
    ):
        assert LINK_ENDED in Client().get(made_up).content.decode()
    assert User.objects.get(pk=stranger.pk).password == stranger.password


def test_a_reset_sends_a_link_and_tells_the_address_before(mailoutbox) -> None:
    two_administrators()
    colleague = make_user(Role.SUPPORT)
    User.objects.filter(pk=colleague.pk).update(email="colleague@example.com")
    act(at_desk(), colleague, "reset", reason="Lost phone", email=ADDRESS)
    assert waiting().arguments == {"email": ADDRESS}

    decide(SECOND)

    choose(mailed(mailoutbox))
    colleague.refresh_from_db()
    assert colleague.check_password(PASSWORD)
    told = [mail for mail in mailoutbox if mail.to == ["colleague@example.com"]]
    assert "tell an Administrator at once" in told[0].body


@pytest.mark.each_on_postgres(ITS_OWN)
def test_who_approves_a_reset_reads_the_address_in_force() -> None:
    """One letter of it led to the thief, and stood there alone."""
    two_administrators()
    colleague = make_user(Role.SUPPORT)
    User.objects.filter(pk=colleague.pk).update(email="friends@example.com")
    act(at_desk(), colleague, "reset", reason="Lost phone", email=ADDRESS)
    place = address(Instruction, "change", waiting().pk)

    page = at_desk(SECOND).get(place).content.decode()

    assert ADDRESS in page
    assert "friends@example.com" in page
    decide(SECOND)
    assert "in force now" not in at_desk(SECOND).get(place).content.decode()


def test_the_server_prints_a_link_for_the_first_administrator() -> None:
    output = StringIO()
    call_command("create_staff", "anna", role="administrator", stdout=output)

    found = LINK.search(output.getvalue())
    assert found
    choose(found[1])

    assert User.objects.get(username="anna").check_password(PASSWORD)


def test_with_an_address_it_prints_none(mailoutbox) -> None:
    output = StringIO()
    call_command("create_staff", "anna", role="administrator", email=ADDRESS, stdout=output)

    assert "/admin/invitation/" not in output.getvalue()
    choose(mailed(mailoutbox))
    assert User.objects.get(username="anna").check_password(PASSWORD)
