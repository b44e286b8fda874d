"""Someone chooses a password while an Administrator closes the account, or changes it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.test import Client

from backoffice.models import AuditEntry
from backoffice.roles import Role
from backoffice.services.accounts import create_account
from backoffice.services.invitations import invitation_url
from tests.backoffice.conftest import PASSWORD, Office

pytestmark = pytest.mark.django_db

NEW = "tall ship sails"
CHOSEN = {"new_password1": NEW, "new_password2": NEW}
WITHOUT = make_password(None)
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
    "values", [{"is_active": False}, {"password": WITHOUT, "email": "new@x.bs"}]
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

    assert "This link was used, or is too old." in page
    user.refresh_from_db()
    assert not user.is_active
    assert not user.has_usable_password()
    assert not AuditEntry.objects.filter(act="choose password").exists()
