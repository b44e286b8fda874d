"""What each act changes of a colleague's account, column by column, and who hears of it."""

from collections.abc import Callable
from typing import Any

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import AnonymousUser, Group, User
from django.test import RequestFactory
from pytest_django import Settings

from backoffice.authenticators import Authenticator
from backoffice.errors import AccountNotEligible
from backoffice.models import AuditEntry, Instruction, StaffAccount
from backoffice.roles import Role
from backoffice.services import accounts
from backoffice.services.staff_mail import (
    is_first_of_staff,
    plan_invitation,
    staff_url,
    tell_administrators,
    write,
)
from backoffice.staff import Staff, roles_of, staff_of
from core.clock import utc_now
from core.errors import ValidationFailed
from merchants.callers import Caller
from messages.models import Message
from tests.backoffice.conftest import make_user, staff_as
from tests.row_changes import World, changed, rows_of

pytestmark = [pytest.mark.django_db, pytest.mark.each_on_postgres("acts have their own statements")]
CALLER = Caller.for_staff(livemode=True, actor="staff:administrator")


def colleague(name: str, **columns: Any) -> User:
    """Make someone of Support with an address, who has entered a wrong password."""
    user = make_user(Role.SUPPORT, name)
    User.objects.filter(pk=user.pk).update(**{"email": f"{name}@example.com"} | columns)
    AccessAttempt.objects.create(username=name, failures_since_start=1)
    user.refresh_from_db()
    return user


def rows(user: User) -> World:
    return rows_of(
        User.objects.filter(pk=user.pk),
        Authenticator.objects.filter(user=user),
        StaffAccount.objects.filter(user=user),
        User.groups.through.objects.filter(user=user),
        AccessAttempt.objects.filter(username=user.username),
        Message.objects.filter(about=f"usr_{user.pk}"),
    )


def asked(user: User, **arguments: str) -> Instruction:
    return Instruction(
        subject_id=user.username, asked_by=make_user(Role.ADMINISTRATOR), arguments=arguments
    )


def carry_out(act: Callable[..., None], **arguments: str) -> Callable[[User], None]:
    return lambda user: act(asked(user, **arguments), CALLER, utc_now())


def by_one(act: Callable[..., None]) -> Callable[[User], None]:
    admin = staff_as(Role.ADMINISTRATOR)
    return lambda user: act(staff=admin, user_id=user.pk, reason="Left", now=utc_now())


RESET = {
    "User": {"password"},
    "Authenticator": {"gone"},
    "AccessAttempt": {"gone"},
    "Message": {"new"},
}
ACTS: dict[str, tuple[Callable[[], Callable[[User], Any]], dict[str, set[str]]]] = {
    "set roles": (
        lambda: carry_out(accounts.set_roles, roles="Finance, Viewer"),
        {"User_groups": {"gone", "new"}},
    ),
    "reset access": (
        lambda: carry_out(accounts.reset_access, email="who@example.com"),
        RESET,
    ),
    "reset access to another address": (
        lambda: carry_out(accounts.reset_access, email="friend@example.com"),
        RESET | {"User": {"password", "email"}},
    ),
    "reopen": (
        lambda: carry_out(accounts.reopen_account),
        {"User": {"is_active"}},
    ),
    "close": (lambda: by_one(accounts.close_account), {"User": {"is_active"}}),
    "lift lock-out": (lambda: by_one(accounts.lift_lockout), {"AccessAttempt": {"gone"}}),
}


@pytest.mark.parametrize("name", ACTS)
def test_it_changes_these_columns_and_no_one_elses(name: str) -> None:
    act, expected = ACTS[name]
    closed = {"is_active": name != "reopen"}
    people = [colleague(username, **closed) for username in ("older", "who", "newer")]
    before = [rows(each) for each in people]

    act()(people[1])

    after = [rows(each) for each in people]
    assert [changed(*pair) for pair in zip(before, after, strict=True)] == [{}, expected, {}]


def test_one_persons_acts_are_written_down() -> None:
    who = colleague("who")
    for act in (accounts.close_account, accounts.lift_lockout):
        by_one(act)(who)

    entries = AuditEntry.objects.order_by("sequence").values_list("act", "before", "after")
    assert list(entries) == [
        ("close account", {"is_active": True}, {"is_active": False}),
        ("lift lock-out", {}, {"attempts_forgotten": 1}),
    ]
    assert not Message.objects.exists()


def test_only_colleagues_are_asked_about_and_closed() -> None:
    admin, stranger = make_user(Role.ADMINISTRATOR), User.objects.create_user("stranger")
    for user in (admin, stranger):
        with pytest.raises(AccountNotEligible):
            accounts.reopen_account(asked(user), CALLER, utc_now())
        with pytest.raises(AccountNotEligible):
            by_one(accounts.close_account)(user)
    accounts.reopen_account(asked(colleague("who")), CALLER, utc_now())

    assert not User.objects.filter(is_active=False).exists()


@pytest.mark.parametrize("name", ["ab", f"a{'b' * 63}", "a.1-b"])
def test_a_name_may_be(name: str) -> None:
    user = accounts.create_account(username=name, role=Role.VIEWER, email="new@example.com")

    assert (user.is_staff, user.email) == (True, "new@example.com")
    assert roles_of(user) == {Role.VIEWER}
    with pytest.raises(ValidationFailed, match="is taken"):
        accounts.create_account(username=name, role=Role.VIEWER)


@pytest.mark.parametrize("name", ["", "a", f"a{'b' * 64}", "Ab", "1a", "a_b"])
def test_a_name_may_not_be(name: str) -> None:
    with pytest.raises(ValidationFailed, match="must be lowercase letters"):
        accounts.create_account(username=name, role=Role.VIEWER)


@pytest.mark.parametrize("email", ["", "new@example.com"])
def test_what_an_account_of_the_server_leaves(email: str) -> None:
    colleague("administrator", email="a@example.com")
    user = accounts.create_from_server(
        username="new", role=Role.FINANCE, email=email, now=utc_now()
    )

    entry = AuditEntry.objects.get()
    assert (entry.actor, entry.roles, entry.after) == (
        "system:backoffice.create_staff", "", {"roles": "Finance"},
    )  # fmt: skip
    told = Message.objects.filter(about=f"usr_{user.pk}").values_list("kind", "recipient")
    own = {("staff_invitation", email), ("staff_alarm", email)} if email else set()
    assert set(told) == {("staff_alarm", "a@example.com"), *own}  # all staff: one Administrator


# Administrators


@pytest.fixture
def cast() -> dict[str, User]:
    """Everyone of whom it matters whether they count as an Administrator."""
    people = {
        name: User.objects.create_user(name, f"{name}@example.com", is_staff=True)
        for name in ("first", "root", "support", "closed", "silent", "tool", "outsider")
    }
    role = Group.objects.get_or_create(name="Administrator")[0]
    for name, user in people.items():
        user.groups.set([] if name in ("root", "support") else [role])
    columns: dict[str, dict[str, Any]] = {
        "root": {"is_superuser": True},
        "closed": {"is_active": False},
        "silent": {"email": ""},
        "outsider": {"is_staff": False},
    }
    for name, values in columns.items():
        User.objects.filter(username=name).update(**values)
    StaffAccount.objects.create(user=people["tool"], development_only=True)
    people["root"].groups.set([role])
    return people


def test_every_administrator_who_can_be_is_told_once(cast: dict[str, User]) -> None:
    tell_administrators(subject="a test", text="Look.", about="usr_1", now=utc_now())

    told = Message.objects.values_list("recipient", "subject", "text", "livemode")
    assert sorted(told) == [
        ("first@example.com", "Payments: a test", "Look.", True),
        ("root@example.com", "Payments: a test", "Look.", True),
    ]


@pytest.mark.parametrize(
    ("other", "is_first"),
    [
        *(("support", True), ("tool", True), ("outsider", True)),
        *(("root", False), ("closed", False), ("silent", False)),
    ],
)
def test_who_else_has_been_an_administrator(
    cast: dict[str, User], other: str, is_first: bool
) -> None:
    kept = [cast["first"].pk, cast[other].pk]
    User.groups.through.objects.exclude(user__in=kept).delete()
    StaffAccount.objects.exclude(user__in=kept).delete()
    User.objects.exclude(pk__in=kept).delete()

    assert is_first_of_staff(cast["first"].pk) is is_first


def test_only_an_administrator_is_noted_as_one(cast: dict[str, User]) -> None:
    for name in ("support", "first"):
        accounts.give_roles(cast[name], frozenset({Role.VIEWER}))

    noted = StaffAccount.objects.filter(was_administrator=True)
    assert [account.user for account in noted] == [cast["first"]]


def test_a_page_of_staff_has_the_address_of_their_host(settings: Settings) -> None:
    assert staff_url("/admin/") == "http://testserver/admin/"
    settings.ADMIN_HOST = "office.example"
    assert staff_url("/admin/") == "http://office.example/admin/"


# The invitation


def test_the_invitation_says_all_there_is_to_say() -> None:
    user = accounts.create_account(username="new", role=Role.VIEWER, email="new@example.com")
    plan_invitation(user, now=utc_now())
    message = Message.objects.get()

    content = write(message, utc_now())

    assert content
    assert content.subject == "Payments: your back office account"
    first, second, url, *_ = (line for line in content.text.splitlines() if line)
    assert first == "An account has been created for you in the back office of Payments: new."
    assert second == "Choose your password here within 3 days:"
    assert url.startswith("http://testserver/admin/invitation/")
    assert message.livemode


@pytest.mark.parametrize(
    "change", [{"is_active": False}, {"password": "md5$x$y"}, {"email": "other@example.com"}]
)
def test_an_invitation_that_has_come_to_nothing_is_not_written(change: dict[str, Any]) -> None:
    user = accounts.create_account(username="new", role=Role.VIEWER, email="new@example.com")
    plan_invitation(user, now=utc_now())
    User.objects.filter(pk=user.pk).update(**change)

    assert write(Message.objects.get(), utc_now()) is None


# Who is at work


@pytest.mark.parametrize(
    ("columns", "roles"),
    [
        ({}, {Role.SUPPORT}),
        ({"is_superuser": True}, {Role.ADMINISTRATOR}),
        ({"is_active": False}, set()),
        ({"is_staff": False}, set()),
    ],
)
def test_the_roles_of_an_account(columns: dict[str, bool], roles: set[Role]) -> None:
    StaffAccount.objects.create(user=make_user(Role.VIEWER, "tool"), development_only=True)
    user = colleague("who", **columns)
    user.groups.add(Group.objects.create(name="Choir"))
    StaffAccount.objects.create(user=user)

    assert roles_of(user) == roles


def test_who_sends_a_request_is_looked_up_once(django_assert_num_queries: Any) -> None:
    request = RequestFactory().get("/admin/", REMOTE_ADDR="10.0.0.9", HTTP_X_REQUEST_ID="req_1")
    request.user = user = colleague("who")
    staff = Staff(
        user.pk, "who", frozenset({Role.SUPPORT}), "10.0.0.9", "req_1", password=user.password
    )
    assert staff_of(request) == staff
    with django_assert_num_queries(0):
        assert staff_of(request) == staff

    nameless = RequestFactory().get("/admin/", REMOTE_ADDR="10.0.0.9")
    nameless.user = AnonymousUser()
    assert staff_of(nameless) == Staff(0, "", frozenset(), "10.0.0.9")
