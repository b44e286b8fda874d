"""Someone chooses a password while an Administrator closes the account, or changes it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from backoffice.models import AuditEntry
from backoffice.roles import Role
from backoffice.services.accounts import create_account
from backoffice.services.staff_mail import invitation_url
from tests.backoffice.colleagues import LINK_ENDED
from tests.backoffice.conftest import PASSWORD, Office, enter, make_user

pytestmark = pytest.mark.django_db

NEW = "tall ship sails"
CHOSEN = {"new_password1": NEW, "new_password2": NEW}
WITHOUT = make_password(None)
OUTDATED = "django.contrib.auth.hashers.MD5PasswordHasher"
OF_TODAY = "django.contrib.auth.hashers.PBKDF2PasswordHasher"
Meanwhile = Callable[..., None]


@pytest.fixture
def meanwhile(monkeypatch) -> Meanwhile:
    """`meanwhile(is_active=False)` changes the account while its new password is hashed."""
    hash_it = User.set_password

    def begin(**values: Any) -> None:
        def set_password(user: User, password: str | None) -> None:
            User.objects.filter(pk=user.pk).update(**values)
            hash_it(user, password)

        monkeypatch.setattr(User, "set_password", set_password)

    return begin


def change_password(browser: Client) -> int:
    status: int = browser.post(
        "/admin/password_change/", CHOSEN | {"old_password": PASSWORD}
    ).status_code
    return status


@pytest.mark.parametrize(
    "values",
    [{"is_active": False}, {"password": WITHOUT}, {"password": WITHOUT, "email": "new@x.bs"}],
)
def test_who_is_locked_out_meanwhile_stays_out(
    office: Office, meanwhile: Meanwhile, values: dict[str, Any]
) -> None:
    """The thief whose account was closed had it open again, in the same session."""
    browser = office(Role.FINANCE)
    meanwhile(**values)

    assert change_password(browser) == 422

    user = User.objects.values(*values).get()
    assert user == values
    assert not User.objects.get().check_password(NEW)
    assert browser.get("/admin/").headers["Location"].startswith("/admin/login/")


def test_a_right_that_is_taken_away_meanwhile_does_not_come_back(
    office: Office, meanwhile: Meanwhile
) -> None:
    browser = office(Role.FINANCE)
    User.objects.update(is_superuser=True)
    meanwhile(is_superuser=False)

    assert change_password(browser) == 302

    user = User.objects.get()
    assert not user.is_superuser
    assert user.check_password(NEW)
    assert browser.get("/admin/").status_code == 200


def test_an_invitation_does_not_open_what_is_closed_meanwhile(meanwhile: Meanwhile) -> None:
    user, browser = create_account(username="friend", role=Role.SUPPORT), Client()
    form = browser.get(invitation_url(user), follow=True)
    meanwhile(is_active=False)

    page = browser.post(form.request["PATH_INFO"], CHOSEN).content.decode()

    assert LINK_ENDED in page
    user.refresh_from_db()
    assert not user.is_active
    assert not user.has_usable_password()
    assert not AuditEntry.objects.filter(act="choose password").exists()


@pytest.fixture
def outdated(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> User:
    """A member of staff whose password was hashed as it is no more."""
    monkeypatch.setattr("django.contrib.auth.hashers.PBKDF2PasswordHasher.iterations", 1_000)
    user = make_user(Role.FINANCE)
    settings.PASSWORD_HASHERS = [OF_TODAY, OUTDATED]
    return user


def test_an_outdated_hash_is_written_anew_at_the_sign_in(outdated: User) -> None:
    assert outdated.password.startswith("md5$")

    browser = enter(outdated.username)

    stored = User.objects.get().password
    assert stored.startswith("pbkdf2_sha256$1000$")
    assert "/admin/two-factor/" in browser.get("/admin/login/?next=/admin/").headers["Location"]


def test_a_sign_in_does_not_bring_a_password_back(outdated: User, meanwhile: Meanwhile) -> None:
    """Who knows a password that is taken away at this second would have it for good."""
    meanwhile(password=WITHOUT)

    browser = enter(outdated.username)

    assert User.objects.get().password == WITHOUT
    assert browser.get("/admin/login/?next=/admin/").status_code == 200
