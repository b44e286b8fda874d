"""Two Administrators who know each other for long, and whom they let in."""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from backoffice.models import Instruction
from backoffice.roles import Role
from backoffice.staff import Staff, roles_of
from tests.backoffice.acting import act, fields_of
from tests.backoffice.conftest import make_user, sign_in

FIRST, SECOND = "administrator", "second"
ADDRESS = "friend@example.com"
LINK_ENDED = "<h1>This link has ended</h1>"


def two_administrators() -> None:
    for name in (FIRST, SECOND):
        User.objects.filter(pk=make_user(Role.ADMINISTRATOR, name).pk).update(
            email=f"{name}@example.com"
        )


def at_desk(name: str = FIRST) -> Client:
    """Return a browser in which this Administrator has signed in, now."""
    return sign_in(Role.ADMINISTRATOR, name)


def ask_for_account(
    browser: Client, username: str, role: Role = Role.FINANCE, email: str = ADDRESS
) -> Any:
    page = reverse("admin:auth_user_list_act", args=["add"])
    fields = fields_of(browser.get(page).content.decode())
    asked = {"username": username, "role": role.value, "email": email, "reason": "Hired"}
    return browser.post(page, fields | asked)


def waiting() -> Instruction:
    return Instruction.objects.get(status="waiting")


def decide(name: str, decision: str = "approve", **values: str) -> Any:
    """Let an Administrator decide about what waits."""
    return act(at_desk(name), waiting(), decision, **{"note": "Known to me"} | values)


def let_in(
    username: str, role: Role = Role.FINANCE, *, asks: str = FIRST, approves: str = SECOND
) -> None:
    """Let someone in as the rules want it."""
    ask_for_account(at_desk(asks), username, role, f"{username}@example.com")
    assert decide(approves).status_code == 302
    assert User.objects.filter(username=username).exists()


def staff_named(username: str) -> Staff:
    """Return a member of staff as the services know one."""
    user = User.objects.get(username=username)
    return Staff(user.pk, username, roles_of(user), password=user.password)
