"""Send again: a message that could not be sent goes out at the word of staff, once a press."""

from datetime import datetime, timedelta

import pytest
from django.core import mail

from backoffice.actions import ActionContext, run
from backoffice.admin.messages import SEND_AGAIN
from backoffice.audit import MOST_AN_HOUR
from backoffice.errors import ActionLimitReached, Forbidden, MessageNotWaiting
from backoffice.models import AuditEntry, AuditOutcome
from backoffice.roles import Role
from backoffice.staff import Staff
from core.clock import utc_now
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.messages.conftest import ADDRESS, plan

pytestmark = pytest.mark.django_db


@pytest.fixture
def now() -> datetime:
    return utc_now()


def send_message_again(*, staff: Staff, message: Message, now: datetime) -> None:
    run(SEND_AGAIN, ActionContext(staff, message, {}, now))


def plan_as(now: datetime, status: str, **values: object) -> Message:
    message = plan(now)
    Message.objects.filter(pk=message.pk).update(status=status, **values)
    message.refresh_from_db()
    return message


def test_it_sends_a_refused_message_again(office: Office, now: datetime) -> None:
    refused = plan_as(now, "refused", attempts=1, last_error="550 No such user")

    assert act(office(Role.SUPPORT), refused, "send-again").status_code == 302
    assert [send_due_messages(now=utc_now()) for _ in range(2)] == [1, 0]

    [sent] = mail.outbox
    assert (sent.to, sent.body) == ([ADDRESS], "Good morning.")
    refused.refresh_from_db()
    assert (refused.status, refused.attempts) == ("sent", 2)
    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.act, entry.outcome) == (
        "support",
        "send message again",
        AuditOutcome.DONE,
    )
    assert (entry.subject_type, entry.subject_id) == ("message", refused.pk)
    assert (entry.before, entry.after) == ({"status": "refused"}, {"status": "planned"})


@pytest.mark.parametrize("status", ["failed", "sending"])
def test_what_may_have_arrived_takes_a_tick(office: Office, now: datetime, status: str) -> None:
    lease = {"lease_until": now - timedelta(seconds=1)} if status == "sending" else {}
    message, browser = plan_as(now, status, **lease), office(Role.SUPPORT)

    assert act(browser, message, "send-again").status_code == 422
    assert send_due_messages(now=utc_now()) == 0
    assert act(browser, message, "send-again", sure="on").status_code == 302

    assert send_due_messages(now=utc_now()) == 1
    message.refresh_from_db()
    assert (message.status, message.lease_until) == ("sent", None)


def test_it_is_offered_where_a_message_waits_and_to_whom_may(office: Office, now: datetime) -> None:
    rows = {"refused": plan_as(now, "refused"), "planned": plan(now)}
    offered = {
        (role.value, status)
        for role in (Role.SUPPORT, Role.VIEWER)
        for status, row in rows.items()
        if page_of_act(row, "send-again")
        in office(role)
        .get(page_of_act(row, "send-again").replace("acts/send-again", "change"))
        .content.decode()
    }

    assert offered == {("Support", "refused")}


@pytest.mark.parametrize(
    ("status", "values"),
    [
        ("planned", {}),
        ("sending", {"lease_until": timedelta(minutes=1)}),
        ("sent", {"sent_at": timedelta()}),
        ("not_needed", {}),
    ],
)
def test_it_refuses_one_that_does_not_wait(
    now: datetime, status: str, values: dict[str, timedelta]
) -> None:
    message = plan_as(now, status, **{name: now + later for name, later in values.items()})

    with pytest.raises(MessageNotWaiting):
        send_message_again(staff=staff_as(Role.SUPPORT), message=message, now=now)

    before = message.due_at
    message.refresh_from_db()
    assert (message.status, message.due_at) == (status, before)
    assert AuditEntry.objects.get().outcome == AuditOutcome.REFUSED


def test_of_two_presses_one_is_refused(now: datetime) -> None:
    message, support = plan_as(now, "failed"), staff_as(Role.SUPPORT)
    other, bystander = Message.objects.get(pk=message.pk), plan_as(now, "failed")
    send_message_again(staff=support, message=message, now=now)

    with pytest.raises(MessageNotWaiting):
        send_message_again(staff=support, message=other, now=now)

    bystander.refresh_from_db()
    assert bystander.status == "failed"


@pytest.mark.parametrize("role", [Role.VIEWER, Role.FINANCE, Role.DEVELOPER])
def test_it_takes_the_right(now: datetime, role: Role) -> None:
    message = plan_as(now, "refused")

    with pytest.raises(Forbidden):
        send_message_again(staff=staff_as(role), message=message, now=now)

    message.refresh_from_db()
    assert message.status == "refused"
    assert AuditEntry.objects.get().outcome == AuditOutcome.FORBIDDEN


def test_no_mailbox_is_flooded(now: datetime) -> None:
    message, support = plan_as(now, "refused"), staff_as(Role.SUPPORT)
    for _ in range(MOST_AN_HOUR):
        send_message_again(staff=support, message=message, now=now)
        Message.objects.update(status="refused")

    with pytest.raises(ActionLimitReached):
        send_message_again(staff=support, message=message, now=now)
