"""What a session is good for in the hands of someone else, or after its owner has left."""

from urllib.parse import urlencode

import pytest
import time_machine
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django_otp.plugins.otp_static.models import StaticToken

from backoffice.authenticators import Authenticator, StaffPasskey
from backoffice.models import Instruction
from backoffice.pages.proving import VERIFIED_FOR
from backoffice.roles import Role
from backoffice.services.accounts import close_account, reopen_account
from backoffice.services.two_factor import check_code
from core.clock import utc_now
from tests.backoffice.conftest import Office, code_of, enter, make_user, staff_as
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("page", ["two-factor/account", "two-factor/set-up", "password_change"])
def test_a_borrowed_session_changes_neither_factor(office: Office, page: str) -> None:
    client, path = office(Role.SUPPORT), f"/admin/{page}/"
    assert client.get("/admin/").status_code == 200
    key = Authenticator.objects.get().sealed_key

    with time_machine.travel(utc_now() + VERIFIED_FOR, tick=False):
        for answer in (client.get(path), client.post(path), client.post(path, {"code": "000000"})):
            assert answer.headers["Location"] == f"/admin/two-factor/?{urlencode({'next': path})}"
        assert [device.sealed_key for device in Authenticator.objects.all()] == [key]
        assert not StaticToken.objects.exists()

        client.post(
            f"/admin/two-factor/?next={path}", {"code": code_of(User.objects.get(), utc_now())}
        )
        assert client.get(path).status_code == 200


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_key_that_someone_saw_is_not_the_owners_next_one(office: Office) -> None:
    """Ten minutes at an open browser were enough to know each later code of its owner."""
    client, path = office(Role.SUPPORT), "/admin/two-factor/set-up/"
    client.get(path)
    seen = Authenticator.objects.get(confirmed=False).key

    client.get(path)
    made = Authenticator.objects.get(confirmed=False).key
    client.post(path, {"code": "000000"})

    assert made != seen
    assert Authenticator.objects.get(confirmed=False).key == made


def test_a_session_that_ends_during_a_request_is_no_failure_of_ours(monkeypatch) -> None:
    """As it does for those who guess many codes at once."""
    make_user(Role.SUPPORT)
    client = enter("support")

    def end_sessions_first(*args):
        Session.objects.all().delete()
        return check_code(*args)

    monkeypatch.setattr("backoffice.pages.two_factor.check_code", end_sessions_first)

    assert client.post("/admin/two-factor/", {"code": "000000"}).status_code == 400


def test_an_account_that_is_opened_again_lets_no_old_session_in(office: Office) -> None:
    """The colleague was back within minutes, and so was who had the session."""
    stolen, bystander = office(Role.FINANCE, "otto"), office(Role.FINANCE, "ida")
    admin, otto, now = staff_as(Role.ADMINISTRATOR), User.objects.get(username="otto"), utc_now()
    close_account(staff=admin, user_id=otto.pk, reason="A laptop is missing", now=now)

    asked = Instruction(subject_id="otto", asked_by=make_user(Role.ADMINISTRATOR), arguments={})
    reopen_account(asked, admin.caller(livemode=True), now)

    assert User.objects.get(username="otto").is_active
    assert stolen.get("/admin/").headers["Location"] == "/admin/login/?next=/admin/"
    assert bystander.get("/admin/").status_code == 200


def test_where_they_wanted_to_go_is_kept_for_after_the_passkey() -> None:
    user = make_user(Role.SUPPORT)
    values = {"sign_count": 0, "is_synced": False, "created_at": utc_now(), "public_key": b"k"}
    StaffPasskey.objects.create(user=user, credential_id="c", **values)

    answer = enter(user.username).get("/admin/two-factor/?next=/admin/password_change/")

    assert answer.headers["Location"] == (
        "/admin/two-factor/passkey/?next=%2Fadmin%2Fpassword_change%2F"
    )
