"""What a browser is worth in which someone signed in who may do so no more."""

from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client

from backoffice.authenticators import Authenticator
from backoffice.models import Instruction
from backoffice.pages import sign_in
from backoffice.roles import Role
from core.clock import utc_now
from tests.backoffice.acting import act
from tests.backoffice.colleagues import FIRST, SECOND, at_desk, decide, two_administrators
from tests.backoffice.conftest import PASSWORD, code_of, make_user

pytestmark = pytest.mark.django_db

WAITS = "Others are signing in at the moment."


@pytest.fixture
def taken() -> Client:
    """A browser in which Otto has signed in; someone else has it now, without Otto's session."""
    user, browser = make_user(Role.SUPPORT, "otto"), Client()
    User.objects.filter(pk=user.pk).update(email="otto@example.com")
    two_administrators()
    sign_in_with(browser)
    browser.post("/admin/two-factor/", {"code": code_of(user, utc_now())})
    browser.post("/admin/two-factor/leave/")
    assert takes_the_known_slot(browser)
    return browser


def sign_in_with(browser: Client) -> str:
    fields = {"username": "otto", "password": PASSWORD}
    return browser.post("/admin/login/", fields).content.decode()


def takes_the_known_slot(browser: Client) -> bool:
    """Return whether its password is checked while strangers have both of theirs."""
    with sign_in._sign_ins.hold(), sign_in._sign_ins.hold():
        return WAITS not in sign_in_with(browser)


def administer(action: str, **values: str) -> None:
    """Let two Administrators do something to Otto's account, or the first one alone."""
    act(at_desk(FIRST), User.objects.get(username="otto"), action, reason="Stolen", **values)
    if Instruction.objects.filter(status="waiting").exists():
        decide(SECOND)


def test_a_former_colleague_takes_no_slot_of_those_who_still_work_here(taken: Client) -> None:
    """From many networks they kept the only one taken: all staff were told to try again later."""
    administer("close")

    assert not takes_the_known_slot(taken)


def test_a_browser_of_before_a_reset_of_access_takes_no_slot_of_staff(taken: Client) -> None:
    """It may be the thief's, who had signed in with what was stolen."""
    administer("reset", email="otto@example.com")

    assert not takes_the_known_slot(taken)


def test_an_account_that_is_opened_again_knows_no_old_browser(taken: Client) -> None:
    administer("close")
    administer("reopen")

    assert User.objects.get(username="otto").is_active
    assert not takes_the_known_slot(taken)


def test_a_browser_without_a_role_takes_no_slot_of_staff(taken: Client) -> None:
    User.objects.get(username="otto").groups.clear()

    assert not takes_the_known_slot(taken)


def test_a_browser_is_known_again_after_the_next_sign_in(taken: Client) -> None:
    administer("reset", email="otto@example.com")
    user = User.objects.get(username="otto")
    user.set_password(PASSWORD)
    user.save()
    Authenticator.objects.create(user=user, name="authenticator app", confirmed=True)

    with time_machine.travel(utc_now() + timedelta(seconds=1), tick=False):
        sign_in_with(taken)
        taken.post("/admin/two-factor/", {"code": code_of(user, utc_now())})
        taken.post("/admin/two-factor/leave/")

        assert takes_the_known_slot(taken)
