"""An account that is closed or reset leaves nothing that others, or it itself, could finish."""

from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client

from backoffice.models import AuditEntry, Instruction
from backoffice.roles import Role
from backoffice.services.accounts import close_account
from backoffice.services.staff_mail import INVITATION, invitation_url
from core.clock import utc_now
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.backoffice.acting import act
from tests.backoffice.colleagues import (
    FIRST,
    LINK_ENDED,
    SECOND,
    ask_for_account,
    at_desk,
    let_in,
    staff_named,
    two_administrators,
    waiting,
)
from tests.backoffice.conftest import make_user
from tests.races import held_up

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("closed", [FIRST, SECOND])
def test_whom_it_has_invited_gets_in_no_more(closed: str, mailoutbox) -> None:
    """The link lasts three days, and gave the dishonest one's friend an account of Finance."""
    two_administrators()
    let_in("friend")
    send_due_messages(now=utc_now())
    [mail] = [mail for mail in mailoutbox if "/admin/invitation/" in mail.body]
    link = next(word for word in mail.body.split() if "/admin/invitation/" in word)
    let_in("late")  # whose e-mail is not written yet

    other = SECOND if closed == FIRST else FIRST
    act(at_desk(other), User.objects.get(username=closed), "close", reason="Dishonest")
    send_due_messages(now=utc_now())

    page = Client().get(link.removeprefix("http://testserver"), follow=True).content.decode()
    assert LINK_ENDED in page
    assert set(Message.objects.filter(kind=INVITATION).values_list("recipient", "status")) == {
        ("friend@example.com", "sent"),
        ("late@example.com", "not_needed"),
    }
    entry = AuditEntry.objects.latest("sequence")
    assert entry.after == {"is_active": False, "invitations_withdrawn": "friend, late"}


@pytest.mark.postgres
@pytest.mark.real_clock
@pytest.mark.django_db(transaction=True)
def test_whom_it_has_invited_chooses_no_password_while_it_is_closed() -> None:
    """The link had been looked at; a password is hashed for long, and was stored all the same."""
    two_administrators()
    let_in("friend")
    browser, link = Client(), urlsplit(invitation_url(User.objects.get(username="friend")))
    form = browser.get(link.path, follow=True).request["PATH_INFO"]
    fields = dict.fromkeys(("new_password1", "new_password2"), "tall ship sails")
    first = User.objects.get(username=FIRST)

    answer = held_up(
        lambda: close_account(
            staff=staff_named(SECOND), user_id=first.pk, reason="Dishonest", now=utc_now()
        ),
        lambda: browser.post(form, fields),
    )

    assert not isinstance(answer, Exception)
    assert LINK_ENDED in answer.content.decode()
    assert not User.objects.get(username="friend").has_usable_password()


def test_what_it_has_requested_does_not_wait_until_it_is_reopened() -> None:
    two_administrators()
    ask_for_account(at_desk(), "friend")
    of_another = at_desk(SECOND)
    ask_for_account(of_another, "colleague")

    act(of_another, User.objects.get(username=FIRST), "close", reason="Dishonest")

    declined, waiting = Instruction.objects.order_by("asked_at")
    second = User.objects.get(username=SECOND)
    assert (declined.status, declined.decided_by_id) == ("declined", second.pk)
    assert declined.decision_note == "The account that requested this was closed."
    assert waiting.status == "waiting"
    after = AuditEntry.objects.latest("sequence").after
    assert after["requests_declined"] == declined.pk


def test_an_account_that_has_chosen_a_password_keeps_its_address() -> None:
    two_administrators()
    let_in("friend")
    friend = User.objects.get(username="friend")
    friend.set_password("tall ship sails")
    friend.save()

    act(at_desk(SECOND), User.objects.get(username=FIRST), "close", reason="Left")

    assert User.objects.get(username="friend").email == "friend@example.com"


def test_what_a_thief_began_ends_when_access_is_reset() -> None:
    """It waited on under the honest one's name, and its friend's link was valid for days."""
    two_administrators()
    User.objects.filter(pk=make_user(Role.ADMINISTRATOR, "third").pk).update(email="3@example.com")
    let_in("friend")
    ask_for_account(at_desk(), "another")
    begun = waiting()
    stolen, third = User.objects.get(username=FIRST), User.objects.get(username="third")
    act(at_desk("third"), stolen, "reset", reason="Stolen", email="new@example.com")
    assert User.objects.get(username="friend").email == "friend@example.com"  # it waits itself

    approved = act(
        at_desk(SECOND), Instruction.objects.get(task="reset_access"), "approve", note="Known"
    )

    assert approved.status_code == 302
    begun.refresh_from_db()
    assert (begun.status, begun.decided_by_id) == ("declined", third.pk)
    assert begun.decision_note == "The access of the account that requested this was reset."
    emails = dict(User.objects.values_list("username", "email"))
    assert (emails["friend"], emails[FIRST]) == ("", "new@example.com")
    entry = AuditEntry.objects.get(act="end what was begun")
    assert (entry.actor, entry.subject_id) == ("third", FIRST)
    assert entry.after == {"requests_declined": begun.pk, "invitations_withdrawn": "friend"}
