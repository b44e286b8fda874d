"""Staff sign in with a passkey: Finance and Administrators with nothing else."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django_otp.plugins.otp_static.models import StaticToken

from backoffice.authenticators import Authenticator, StaffPasskey
from backoffice.models import AuditEntry
from backoffice.pages.proving import VERIFIED_FOR
from backoffice.roles import Role
from core.clock import utc_now
from messages.models import Message
from tests.backoffice.conftest import PASSWORD, Office, code_of, enter, make_user
from tests.customers.authenticator import USER_PRESENT, VirtualAuthenticator
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db

PAGE = "/admin/two-factor/passkey/"
SET_UP = f"{PAGE}set-up/"


def newcomer(role: Role) -> User:
    """Make someone who has a password, and no second factor yet."""
    user = make_user(role)
    Authenticator.objects.filter(user=user).delete()
    return user


def add(client: Client, device: VirtualAuthenticator, path: str = SET_UP) -> Any:
    options = client.post(f"{SET_UP}options/").json()
    return client.post(path, {"credential": device.create(options)})


def sign(client: Client, device: VirtualAuthenticator, path: str = PAGE) -> Any:
    options = client.post(f"{PAGE}options/").json()
    return client.post(path, {"credential": device.get(options)})


@pytest.fixture
def device() -> VirtualAuthenticator:
    return VirtualAuthenticator()


@pytest.fixture
def finance(device: VirtualAuthenticator) -> User:
    """Someone of Finance, whose passkey is on the device."""
    user = newcomer(Role.FINANCE)
    add(enter("finance"), device)
    return user


@pytest.mark.parametrize("role", [Role.FINANCE, Role.ADMINISTRATOR])
def test_it_is_set_up_at_the_first_sign_in(role: Role, device: VirtualAuthenticator) -> None:
    user = newcomer(role)
    client = enter(user.username)
    assert client.get("/admin/login/").headers["Location"] == SET_UP
    assert "Your role signs in with a passkey." in client.get(SET_UP).content.decode()
    # The other factor is no way round it.
    assert client.get("/admin/two-factor/set-up/").headers["Location"] == SET_UP

    response = add(client, device)

    assert response.headers["Location"] == "/admin/two-factor/account/"
    assert client.get("/admin/").status_code == 200
    assert AuditEntry.objects.latest("sequence").act == "add passkey of staff"


def test_it_signs_in(finance: User, device: VirtualAuthenticator) -> None:
    client = enter("finance")
    to_login = client.get("/admin/login/?next=/admin/payments/payment/")
    assert to_login.headers["Location"] == f"{PAGE}?next=%2Fadmin%2Fpayments%2Fpayment%2F"

    response = sign(client, device, to_login.headers["Location"])

    assert response.headers["Location"] == "/admin/payments/payment/"
    assert client.get("/admin/").status_code == 200
    assert StaffPasskey.objects.get().last_used_at is not None


def test_a_code_is_not_enough_for_finance() -> None:
    """It proves the owner once, so that they can add the passkey that the role takes."""
    user = make_user(Role.FINANCE)
    client = enter("finance")
    client.post("/admin/two-factor/", {"code": code_of(user, utc_now())})

    assert client.get("/admin/").headers["Location"].startswith("/admin/login/")
    assert client.get("/admin/login/").headers["Location"] == SET_UP
    add(client, VirtualAuthenticator())
    assert client.get("/admin/").status_code == 200


def test_once_there_is_a_passkey_a_code_is_worth_nothing(device: VirtualAuthenticator) -> None:
    user = make_user(Role.FINANCE)
    first = enter("finance")
    first.post("/admin/two-factor/", {"code": code_of(user, utc_now())})
    add(first, device)

    with time_machine.travel(utc_now() + timedelta(minutes=2), tick=False):
        thief = enter("finance")
        response = thief.post("/admin/two-factor/", {"code": code_of(user, utc_now())})
        assert response.headers["Location"] == PAGE
        assert thief.get(SET_UP).headers["Location"] == PAGE
        assert thief.post(f"{SET_UP}options/").status_code == 302
        assert thief.get("/admin/").status_code == 302


@pytest.mark.parametrize(
    "lie",
    [
        {"origin": "https://testserver.evil.example"},
        {"rp_id": "evil.example"},
        {"cross_origin": True},
        {"flags": USER_PRESENT},
        {"user_handle": b"staff:0"},
    ],
)
def test_a_passkey_that_lies_is_refused(
    finance: User, device: VirtualAuthenticator, lie: dict[str, Any]
) -> None:
    for name, value in lie.items():
        setattr(device, name, value)
    client = enter("finance")

    assert sign(client, device).status_code == 422
    assert client.get("/admin/").status_code == 302
    assert AuditEntry.objects.latest("sequence").error == "wrong passkey"


def test_another_persons_passkey_is_refused(finance: User) -> None:
    other, theirs = newcomer(Role.ADMINISTRATOR), VirtualAuthenticator()
    add(enter(other.username), theirs)

    assert sign(enter("finance"), theirs).status_code == 422


def test_an_answer_is_good_once_and_for_its_own_challenge(
    finance: User, device: VirtualAuthenticator
) -> None:
    client, thief = enter("finance"), enter("finance")
    answer = device.get(client.post(f"{PAGE}options/").json())

    assert thief.post(PAGE, {"credential": answer}).status_code == 422
    thief.post(f"{PAGE}options/")
    assert thief.post(PAGE, {"credential": answer}).status_code == 422
    assert client.post(PAGE, {"credential": answer}).status_code == 302


def test_a_challenge_of_adding_does_not_sign_in(
    finance: User, device: VirtualAuthenticator
) -> None:
    client = enter("finance")
    sign(client, device)
    options = client.post(f"{SET_UP}options/").json()
    with time_machine.travel(utc_now() + VERIFIED_FOR, tick=False):
        response = client.post(PAGE, {"credential": device.get(options)})

    assert response.status_code == 422


def test_a_challenge_ends_after_five_minutes(finance: User, device: VirtualAuthenticator) -> None:
    client = enter("finance")
    answer = device.get(client.post(f"{PAGE}options/").json())

    with time_machine.travel(utc_now() + timedelta(minutes=5), tick=False):
        assert client.post(PAGE, {"credential": answer}).status_code == 422


def test_a_count_that_falls_is_a_copy(finance: User, device: VirtualAuthenticator) -> None:
    device.counter = 7
    sign(enter("finance"), device)
    device.counter = 3

    assert sign(enter("finance"), device).status_code == 422


def test_its_owner_is_told_once_a_day_that_there_may_be_a_copy(
    finance: User, device: VirtualAuthenticator
) -> None:
    """A thief with password and copy tried until its count was the higher one, and no one heard."""
    User.objects.update(email="ada@example.com")
    device.counter = 7
    sign(enter("finance"), device)

    for days in (0, 0, 1):
        device.counter = 3
        with time_machine.travel(utc_now() + timedelta(days=days), tick=False):
            assert sign(enter("finance"), device).status_code == 422

    told = Message.objects.filter(text__contains="there may be a copy of it")
    assert [message.recipient for message in told] == ["ada@example.com"] * 2
    assert "If that was not you, tell an Administrator at once" in told[0].text


@pytest.mark.parametrize("nonsense", ["", "{}", "[]", "null", json.dumps({"id": "x" * 20_000})])
def test_nonsense_is_refused(finance: User, nonsense: str) -> None:
    client = enter("finance")
    client.post(f"{PAGE}options/")

    assert client.post(PAGE, {"credential": nonsense}).status_code == 422


def test_five_wrong_passkeys_end_the_session(finance: User) -> None:
    client = enter("finance")
    statuses = [client.post(PAGE, {"credential": "{}"}).status_code for _ in range(5)]

    assert statuses == [422, 422, 422, 422, 302]
    assert client.get("/admin/login/").status_code == 200


@pytest.mark.parametrize("page", [SET_UP, "/admin/two-factor/account/"])
def test_a_borrowed_session_adds_no_passkey(
    finance: User, device: VirtualAuthenticator, page: str
) -> None:
    client = enter("finance")
    sign(client, device)
    with time_machine.travel(utc_now() + VERIFIED_FOR, tick=False):
        assert client.get("/admin/").status_code == 200
        assert client.get(page).headers["Location"].startswith("/admin/two-factor/?next=")
        assert client.post(f"{SET_UP}options/").status_code == 302
    assert StaffPasskey.objects.count() == 1


@pytest.mark.each_on_postgres(ITS_OWN)
def test_the_last_passkey_stays_and_another_can_go(
    finance: User, device: VirtualAuthenticator
) -> None:
    client, elsewhere = enter("finance"), enter("finance")
    sign(client, device)
    sign(elsewhere, device)
    first = StaffPasskey.objects.get()
    client.post(f"{PAGE}{first.pk}/remove/")
    assert StaffPasskey.objects.get() == first

    add(client, VirtualAuthenticator())
    client.post(f"{PAGE}{first.pk}/remove/")

    assert StaffPasskey.objects.get() != first
    # A session that it alone has proved is over with it.
    assert client.get("/admin/").status_code == 200
    assert elsewhere.get("/admin/").status_code == 302


def test_no_one_removes_anothers(finance: User, office: Office) -> None:
    passkey = StaffPasskey.objects.get()

    office(Role.ADMINISTRATOR).post(f"{PAGE}{passkey.pk}/remove/")

    assert StaffPasskey.objects.filter(pk=passkey.pk).exists()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_support_may_use_a_passkey_or_a_code(device: VirtualAuthenticator) -> None:
    user = newcomer(Role.SUPPORT)
    client = enter("support")
    assert client.get("/admin/login/").headers["Location"] == "/admin/two-factor/set-up/"

    page = add(client, device).content.decode()

    assert page.count("<li><code>") == 10
    assert StaticToken.objects.filter(device__user=user).count() == 10
    assert sign(enter("support"), device).headers["Location"] == "/admin/"
    code = page.split("<li><code>")[1].split("<")[0]
    response = enter("support").post("/admin/two-factor/", {"code": code})
    assert response.headers["Location"] == "/admin/"


def test_a_role_that_takes_a_passkey_takes_it_at_the_next_click(office: Office) -> None:
    client = office(Role.SUPPORT)
    user = User.objects.get(username="support")
    assert client.get("/admin/").status_code == 200

    user.groups.add(make_user(Role.FINANCE).groups.get())

    assert client.get("/admin/").headers["Location"].startswith("/admin/login/")
    assert client.get("/admin/login/").headers["Location"] == SET_UP


def test_without_the_setting_a_code_is_enough(settings) -> None:
    settings.REQUIRE_STAFF_PASSKEYS = False
    user = make_user(Role.FINANCE)
    client = enter("finance", PASSWORD)

    client.post("/admin/two-factor/", {"code": code_of(user, utc_now())})

    assert client.get("/admin/").status_code == 200


@pytest.mark.parametrize("path", [PAGE, SET_UP])
def test_before_the_password_there_is_nothing(path: str, settings) -> None:
    visit: Callable[[str], Any] = Client().get
    assert visit(path).status_code == 302
    assert Client().post(f"{path}options/").status_code == 302
