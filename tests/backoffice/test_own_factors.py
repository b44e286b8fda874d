"""Staff are told what changes about their own sign-in, and the audit trail records it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.test import Client
from django_otp.plugins.otp_static.models import StaticDevice

from backoffice.authenticators import Authenticator, StaffPasskey
from backoffice.models import AuditEntry
from backoffice.pages.proving import VERIFIED_KEY
from backoffice.roles import Role
from core.clock import utc_now
from messages.models import Message
from tests.backoffice.conftest import PASSWORD, Office, code_of
from tests.customers.authenticator import VirtualAuthenticator
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db

NEW = "tall ship sails"
OF_ADA = "ada@example.com"
NEW_CODES = "New recovery codes were made, and the old ones have ended"
SET_UP = "/admin/two-factor/passkey/set-up/"


def add_passkey(client: Client) -> None:
    options = client.post(f"{SET_UP}options/").json()
    client.post(SET_UP, {"credential": VirtualAuthenticator().create(options)})


def remove_passkey(client: Client) -> None:
    while StaffPasskey.objects.count() < 2:  # the last one stays
        add_passkey(client)
    passkey = StaffPasskey.objects.latest("pk")
    client.post(f"/admin/two-factor/passkey/{passkey.pk}/remove/")


def set_up_authenticator(client: Client) -> None:
    client.get("/admin/two-factor/set-up/")
    code = code_of(User.objects.get(), utc_now())
    client.post("/admin/two-factor/set-up/", {"code": code})


def make_recovery_codes(client: Client) -> None:
    client.post("/admin/two-factor/account/")


def change_password(client: Client) -> None:
    chosen = {"new_password1": NEW, "new_password2": NEW, "old_password": PASSWORD}
    client.post("/admin/password_change/", chosen)


CHANGES = [
    (add_passkey, "add passkey of staff", "A passkey was added"),
    (remove_passkey, "remove passkey of staff", "A passkey was removed"),
    (set_up_authenticator, "set up two-factor", "An authenticator app was set up"),
    (make_recovery_codes, "new recovery codes", NEW_CODES),
    (change_password, "change password", "The password was changed"),
]


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize(("change", "act", "words"), CHANGES)
def test_no_one_changes_how_an_account_signs_in_unheard(
    office: Office, change: Callable[[Client], None], act: str, words: str
) -> None:
    """At an unlocked desk a thief added a passkey, and came back another day."""
    browser = office(Role.SUPPORT, "ada")
    User.objects.update(email=OF_ADA)

    change(browser)

    told = Message.objects.filter(kind="staff_factor").latest("created_at", "pk")
    assert (told.recipient, told.livemode) == (OF_ADA, True)
    assert f"{words} for your account, ada, from 127.0.0.1." in told.text
    assert "If that was not you, tell an Administrator at once" in told.text
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.act, entry.actor, entry.address) == (act, "ada", "127.0.0.1")


def test_an_account_without_an_address_is_not_told_of_its_new_password(office: Office) -> None:
    change_password(office(Role.SUPPORT))

    assert User.objects.get().check_password(NEW)
    assert not Message.objects.exists()
    assert AuditEntry.objects.latest("sequence").act == "change password"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (add_passkey, StaffPasskey.objects.all()),
        (remove_passkey, StaffPasskey.objects.all()),
        (set_up_authenticator, Authenticator.objects.filter(confirmed=True)),
        (make_recovery_codes, StaticDevice.objects.all()),
    ],
)
def test_no_factor_changes_without_its_record(
    office: Office,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Client], None],
    changed: QuerySet[Any],
) -> None:
    """The passkey of a thief was there before the e-mail about it was planned."""
    browser = office(Role.SUPPORT)
    if change is remove_passkey:
        add_passkey(browser)
        add_passkey(browser)
    before = list(changed.all().values())

    def dies(*_: object, **__: object) -> None:
        raise ConnectionError

    monkeypatch.setattr("backoffice.services.staff_mail.append_own", dies)
    with pytest.raises(ConnectionError):
        change(browser)

    assert list(changed.all().values()) == before


@pytest.mark.parametrize("page", [SET_UP, "/admin/two-factor/set-up/"])
def test_who_is_signed_in_can_go_back_without_another_factor(office: Office, page: str) -> None:
    shown = office(Role.SUPPORT).get(page).content.decode()

    assert '<a class="bo-link" href="/admin/two-factor/account/">Go back</a>' in shown
    assert "Sign in as someone else" not in shown


@pytest.mark.parametrize(
    ("role", "page"),
    [(Role.SUPPORT, "/admin/two-factor/"), (Role.FINANCE, "/admin/two-factor/passkey/")],
)
def test_who_is_asked_again_can_go_back_without_the_proof(
    office: Office, role: Role, page: str
) -> None:
    browser = office(role)
    session = browser.session
    del session[VERIFIED_KEY]
    session.save()

    shown = browser.get(page).content.decode()

    assert '<a class="bo-link" href="/admin/">Go back</a>' in shown
    assert "Sign in as someone else" not in shown
