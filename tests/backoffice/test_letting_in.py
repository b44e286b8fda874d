"""What an Administrator would try in order to have a friend as the second person."""

from datetime import timedelta
from html import unescape
from importlib import import_module

import pytest
import time_machine
from django.apps import apps
from django.contrib.auth.models import User
from django.db import connection

from backoffice.audit import AuditAction, AuditRecord, append_entry
from backoffice.errors import IndependentApproverRequired
from backoffice.models import AuditEntry, AuditOutcome, Instruction
from backoffice.resource.page_urls import page_of
from backoffice.roles import Right, Role
from backoffice.services.accounts import give_roles
from backoffice.services.decisions import approve
from backoffice.services.independence import DEPENDENT_FOR
from backoffice.services.instructions import instruct
from backoffice.staff import roles_of
from core.clock import utc_now
from payments.models import Payment
from tests.backoffice.acting import act
from tests.backoffice.colleagues import (
    FIRST,
    SECOND,
    ask_for_account,
    at_desk,
    decide,
    let_in,
    staff_named,
    two_administrators,
    waiting,
)
from tests.backoffice.conftest import Office, make_user
from tests.backoffice.rows import refund_request

pytestmark = pytest.mark.django_db

DAYS = timedelta(days=1)
MIGRATION = import_module("backoffice.migrations.0010_was_administrator")


@pytest.fixture
def administrators(db: None) -> None:
    two_administrators()


def approves(asks: str, decides: str, paid: Payment, *, after: timedelta = 2 * DAYS) -> bool:
    """Let one ask for a refund that takes two people, and another approve it, days later."""
    later = utc_now() + after
    asked = instruct(staff=staff_named(asks), request=refund_request(paid, 200_000), now=later)
    try:
        approve(staff=staff_named(decides), instruction_id=asked.pk, note="", now=later)
    except IndependentApproverRequired:
        return False
    return True


def test_it_takes_two_to_add_a_colleague(administrators: None) -> None:
    ask_for_account(at_desk(), "friend")
    assert not User.objects.filter(username="friend").exists()
    assert waiting().status == "waiting"

    decide(SECOND)

    assert roles_of(User.objects.get(username="friend")) == {Role.FINANCE}
    entry = AuditEntry.objects.get(act="approve")
    assert (entry.actor, entry.outcome) == (SECOND, AuditOutcome.DONE)


def test_one_does_not_add_a_friend_alone(administrators: None) -> None:
    ask_for_account(at_desk(), "friend")

    response = decide(FIRST)

    assert response.status_code == 422
    assert "You cannot decide on your own request, or" in response.content.decode()
    assert not User.objects.filter(username="friend").exists()


@pytest.mark.parametrize(
    ("action", "values"),
    [
        ("roles", {"roles": ["Administrator"]}),
        ("reset", {"email": "friend@example.com"}),
        ("reopen", {}),
    ],
)
def test_one_does_not_take_over_an_account_alone(
    administrators: None, action: str, values: dict[str, object]
) -> None:
    colleague = make_user(Role.SUPPORT)
    User.objects.filter(pk=colleague.pk).update(is_active=action != "reopen")
    before = User.objects.values().get(pk=colleague.pk)

    act(at_desk(), colleague, action, reason="Because", **values)

    assert waiting().subject_id == "support"
    [said] = at_desk().get(page_of(colleague)).context["answer"].words
    assert "waits for a colleague's approval" in unescape(said)
    assert User.objects.values().get(pk=colleague.pk) == before
    assert [group.name for group in colleague.groups.all()] == ["Support"]


@pytest.mark.parametrize("decision", ["approve", "decline"])
def test_no_one_decides_on_what_is_about_themselves(administrators: None, decision: str) -> None:
    act(at_desk(), User.objects.get(username=SECOND), "roles", reason="x", roles=["Viewer"])

    assert decide(SECOND, decision).status_code == 422
    assert waiting().subject_id == SECOND


def test_closing_the_accounts_of_the_others_leaves_no_one_alone_in_charge(
    administrators: None,
) -> None:
    browser = at_desk()
    act(browser, User.objects.get(username=SECOND), "close", reason="Left")

    ask_for_account(browser, "friend")

    assert waiting().subject_id == "friend"


@pytest.mark.parametrize("is_closed", [False, True])
def test_breaking_the_glass_once_leaves_no_one_alone_in_charge(
    administrators: None, is_closed: bool
) -> None:
    second, why = User.objects.get(username=SECOND), {"note": "Cannot be reached"}
    act(at_desk(), second, "roles", reason="x", roles=["Viewer"])
    asked = waiting()
    act(at_desk(), asked, "break-glass", **why)
    if is_closed:
        act(at_desk(), second, "close", reason="Left")

    with time_machine.travel(utc_now() + 2 * DAYS, tick=False):
        act(at_desk(), asked, "carry-out", **why)
        assert [group.name for group in second.groups.all()] == ["Viewer"]
        ask_for_account(at_desk(), "friend", Role.ADMINISTRATOR)

    assert waiting().subject_id == "friend"
    assert not User.objects.filter(username="friend").exists()


def test_a_superuser_who_lost_the_role_counts_as_well(administrators: None) -> None:
    second = User.objects.get(username=SECOND)
    second.groups.clear()
    User.objects.filter(pk=second.pk).update(is_superuser=True)
    second.refresh_from_db()

    give_roles(second, frozenset({Role.VIEWER}))
    ask_for_account(at_desk(), "friend")

    assert waiting().subject_id == "friend"


def test_what_an_older_release_wrote_of_a_demoted_administrator_counts(
    administrators: None,
) -> None:
    demoted = User.objects.get(username=SECOND)
    action = AuditAction(
        act="decline", right=Right.APPROVE, subject_type="instruction", subject_id="ins_1"
    )
    append_entry(staff=staff_named(SECOND), action=action, record=AuditRecord(), now=utc_now())
    demoted.groups.clear()

    MIGRATION.mark_former(apps, connection.schema_editor())
    ask_for_account(at_desk(), "friend")

    assert waiting().subject_id == "friend"


@pytest.mark.parametrize("sponsor", [FIRST, SECOND])
def test_a_friend_approves_nothing_for_those_who_let_them_in(
    administrators: None, paid: Payment, sponsor: str
) -> None:
    let_in("friend")

    assert not approves(sponsor, "friend", paid)
    assert not approves("friend", sponsor, paid)
    entry = AuditEntry.objects.latest("sequence")
    assert entry.outcome == AuditOutcome.REFUSED
    assert f"{sponsor} has let one of you in within the last 7 days" in entry.error


def test_a_friend_of_a_friend_approves_nothing(administrators: None, paid: Payment) -> None:
    make_user(Role.ADMINISTRATOR, "third")
    let_in("friend", Role.ADMINISTRATOR)
    with time_machine.travel(utc_now() + 2 * DAYS, tick=False):
        let_in("friend.of.friend", asks="friend", approves="third")

    assert not approves(FIRST, "friend.of.friend", paid, after=4 * DAYS)
    assert not approves("friend.of.friend", FIRST, paid, after=4 * DAYS)


def test_two_friends_approve_nothing_for_each_other(administrators: None, paid: Payment) -> None:
    let_in("friend")
    let_in("another.friend")

    assert not approves("friend", "another.friend", paid)


def test_on_the_eighth_day_a_colleague_is_independent(administrators: None, paid: Payment) -> None:
    let_in("friend")

    assert not approves(FIRST, "friend", paid, after=DEPENDENT_FOR - timedelta(seconds=1))
    assert approves(FIRST, "friend", paid, after=DEPENDENT_FOR)


def test_two_who_let_someone_in_stay_independent_of_each_other(
    administrators: None, paid: Payment
) -> None:
    let_in("friend")

    assert approves(FIRST, SECOND, paid)


def test_a_new_role_lets_in_as_a_new_account_does(administrators: None, paid: Payment) -> None:
    colleague = make_user(Role.SUPPORT)
    act(at_desk(), colleague, "roles", reason="Promoted", roles=["Finance"])
    decide(SECOND)

    assert roles_of(User.objects.get(pk=colleague.pk)) == {Role.FINANCE}
    assert not approves(FIRST, "support", paid)


def test_what_an_older_release_wrote_of_letting_in_counts_as_well(
    administrators: None, paid: Payment
) -> None:
    make_user(Role.FINANCE)
    action = AuditAction(
        act="reset access", right=Right.STAFF, subject_type="staff", subject_id="finance"
    )
    append_entry(staff=staff_named(FIRST), action=action, record=AuditRecord(), now=utc_now())

    assert not approves(FIRST, "finance", paid)
    assert approves(SECOND, "finance", paid)


@pytest.mark.parametrize(
    ("act", "outcome", "days", "lets_in"),
    [
        ("reset access", AuditOutcome.DONE, 0, True),
        ("reset access", AuditOutcome.REFUSED, 0, False),
        ("reset access", AuditOutcome.DONE, 8, False),
        ("close account", AuditOutcome.DONE, 0, False),
    ],
)
def test_what_let_no_one_in_makes_no_one_depend(
    administrators: None, paid: Payment, act: str, outcome: AuditOutcome, days: int, lets_in: bool
) -> None:
    make_user(Role.FINANCE)
    action = AuditAction(act=act, right=Right.STAFF, subject_type="staff", subject_id="finance")
    record, at = AuditRecord(outcome=outcome), utc_now() - days * DAYS
    append_entry(staff=staff_named(FIRST), action=action, record=record, now=at)

    assert approves(FIRST, "finance", paid) is not lets_in


def test_who_was_declined_was_let_in_by_no_one(administrators: None, paid: Payment) -> None:
    let_in("friend")
    Instruction.objects.update(status="declined")

    assert approves(FIRST, "friend", paid)


def test_two_let_in_without_a_second_person_do_not_share_one(
    administrators: None, paid: Payment
) -> None:
    let_in("friend", asks=FIRST, approves=SECOND)
    let_in("another", asks=SECOND, approves=FIRST)
    Instruction.objects.update(decided_by=None)

    assert approves("friend", "another", paid)


def test_names_that_are_taken_or_cannot_be_are_refused_at_once(administrators: None) -> None:
    make_user(Role.SUPPORT)

    for name in ("support", "With Spaces", "a"):
        assert ask_for_account(at_desk(), name).status_code == 422

    assert not Instruction.objects.exists()


def test_addresses_of_staff_are_for_administrators(administrators: None, office: Office) -> None:
    ask_for_account(at_desk(), "friend")
    page = f"/admin/backoffice/instruction/{waiting().pk}/change/"

    assert "friend@example.com" in at_desk(SECOND).get(page).content.decode()
    for role in (Role.VIEWER, Role.SUPPORT, Role.FINANCE, Role.DEVELOPER):
        assert office(role).get(page).status_code == 404
