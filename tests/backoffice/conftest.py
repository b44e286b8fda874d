"""Staff of each role, signed in with both factors, and rows worth looking at."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pytest
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.test import Client
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.oath import TOTP
from pytest_django import DjangoDbBlocker

from backoffice.authenticators import Authenticator, StaffPasskey
from backoffice.models import Instruction
from backoffice.pages.proving import VERIFIED_KEY
from backoffice.roles import Role
from backoffice.services.staff_passkeys import needs_passkey
from backoffice.staff import Staff
from core.clock import utc_now
from tests.shared_rows import shared

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from merchants.models import Merchant
    from payments.models import Payment
    from tests.backoffice.desk import Desk

Office = Callable[..., Client]
PASSWORD = "a good password of staff"


def make_user(role: Role, name: str = "") -> User:
    """Make a member of staff, who has a second factor."""
    username = name or role.value.lower()
    user, made = User.objects.get_or_create(username=username, defaults={"is_staff": True})
    if made:
        user.set_password(PASSWORD)
        user.save()
        user.groups.add(Group.objects.get_or_create(name=role.value)[0])
        Authenticator.objects.create(user=user, name="authenticator app", confirmed=True)
    return user


def code_of(user: User, instant: datetime) -> str:
    """Return what the authenticator of an account shows at a moment."""
    device = Authenticator.objects.filter(user=user).latest("pk")
    totp = TOTP(device.key, drift=device.drift)
    totp.time = instant.timestamp()
    return f"{totp.token():06d}"


def staff_as(role: Role, name: str = "") -> Staff:
    """Return a member of staff as the services know one."""
    user = make_user(role, name)
    return Staff(
        user.pk,
        user.username,
        frozenset({role}),
        address="10.0.0.7",
        request_id="req_1",
        password=user.password,
    )


def second_factor_of(user: User, role: Role) -> Authenticator | StaffPasskey:
    """Return what this role signs in with; a passkey is made where it takes one."""
    if not needs_passkey({role}):
        return Authenticator.objects.get(user=user)
    values = {
        "public_key": b"",
        "sign_count": 0,
        "aaguid": "",
        "is_synced": False,
        "created_at": utc_now(),
    }
    identifier = f"credential-of-{user.username}"
    return StaffPasskey.objects.get_or_create(user=user, credential_id=identifier, defaults=values)[
        0
    ]


def sign_in(role: Role, name: str = "") -> Client:
    """Return a browser in which someone of this role has proved both factors."""
    user, client = make_user(role, name), Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    session = client.session
    session[DEVICE_ID_SESSION_KEY] = second_factor_of(user, role).persistent_id
    session[VERIFIED_KEY] = utc_now().isoformat()
    session.save()
    return client


@pytest.fixture(scope="module")
def rows(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> "Iterator[dict[type[Model], Model]]":
    """A row of everything, made once for all tests of a file: what each changes is undone."""
    from tests.backoffice.rows import one_of_each

    with shared(django_db_blocker, one_of_each) as made:
        yield made


@pytest.fixture
def paid(merchant: "Merchant") -> "Payment":
    """A completed payment of 5,000.00: a refund of all of it takes two people."""
    from tests.backoffice.rows import paid_payment

    return paid_payment(merchant, 500_000)


@pytest.fixture
def office(db: None) -> Office:
    """`office(Role.SUPPORT)` is a browser of someone signed in; a name makes another one."""
    return sign_in


@pytest.fixture
def approve(
    office: Office, django_capture_on_commit_callbacks: Callable[..., Any]
) -> Callable[[Instruction], Any]:
    """Let another person of Finance approve a request, up to what follows the commit."""
    from tests.backoffice.acting import act

    def approve_it(asked: Instruction) -> Any:
        with django_capture_on_commit_callbacks(execute=True):
            return act(office(Role.FINANCE, "another"), asked, "approve", note="As shown")

    return approve_it


@pytest.fixture
def desk(open_page: "Callable[..., Page]") -> "Iterator[Callable[[Role], Desk]]":
    """`desk(Role.SUPPORT)` is someone at the dashboard, who has five clicks."""
    from tests.backoffice.desk import Desk, open_desk

    desks = []

    def begin(role: Role) -> Desk:
        desks.append(Desk(open_desk(open_page, role)))
        return desks[-1]

    yield begin
    assert all(desk.clicks for desk in desks)


def enter(username: str, password: str = PASSWORD, **query: str) -> Client:
    """Return a browser that has sent the password, and not yet a second factor."""
    client = Client()
    client.post("/admin/login/", {"username": username, "password": password}, query_params=query)
    return client
