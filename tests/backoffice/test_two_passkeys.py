"""Two passkeys of one member of staff, on devices of one kind."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from backoffice.authenticators import Authenticator, StaffPasskey
from backoffice.roles import Role
from backoffice.services import staff_passkeys
from tests.backoffice.conftest import enter, make_user
from tests.customers.authenticator import VirtualAuthenticator

pytestmark = pytest.mark.django_db

PAGE = "/admin/two-factor/passkey/"


@pytest.fixture
def owner() -> User:
    user = make_user(Role.FINANCE)
    Authenticator.objects.filter(user=user).delete()
    return user


def add_another(client: Client) -> Any:
    options = client.post(f"{PAGE}set-up/options/").json()
    device = VirtualAuthenticator()
    return client.post(f"{PAGE}set-up/", {"credential": device.create(options)})


def test_two_passkeys_of_one_device_are_told_apart(owner: User) -> None:
    client = enter(owner.username)
    add_another(client)
    add_another(client)
    first, second = StaffPasskey.objects.filter(user=owner).order_by("pk")
    assert second.name == f"{first.name} 2"

    response = client.post(f"{PAGE}{first.pk}/remove/", follow=True)

    told = response.content.decode()
    assert f"The passkey “{first.name}” no longer signs you in." in told
    assert f"<span>{second.name}, added 18 Mar 2026, " in told


def test_a_colleagues_passkey_of_the_same_kind_takes_no_name(owner: User) -> None:
    colleague = make_user(Role.SUPPORT)
    Authenticator.objects.filter(user=colleague).delete()
    for user in (colleague, owner):
        add_another(enter(user.username))

    theirs, own = (StaffPasskey.objects.get(user=user).name for user in (colleague, owner))

    assert own == theirs


def test_beyond_the_most_it_says_to_remove_one_first(
    owner: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = enter(owner.username)
    add_another(client)
    monkeypatch.setattr(staff_passkeys, "MAX_STAFF_PASSKEYS", 1)

    onward = client.post(f"{PAGE}set-up/options/").json()["go"]

    assert "There are too many passkeys: remove one first." in client.get(onward).content.decode()
    assert StaffPasskey.objects.filter(user=owner).count() == 1
