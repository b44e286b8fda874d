"""Getting in: a password, a second factor, a role; and being sent out again."""

import re
from base64 import b32encode
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.plugins.otp_static.models import StaticToken

from backoffice.authenticators import Authenticator
from backoffice.models import AuditEntry, StaffAccount
from backoffice.roles import Role
from backoffice.services.accounts import create_account, development_logins
from backoffice.services.two_factor import begin_enrolment
from core.clock import utc_now
from core.crypto import decrypt
from tests.backoffice.conftest import PASSWORD, Office, code_of, enter, make_user
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db


def test_it_takes_a_password_and_a_code() -> None:
    user = make_user(Role.SUPPORT)
    client = enter("support")

    assert client.get("/admin/").headers["Location"] == "/admin/login/?next=/admin/"
    response = client.get("/admin/login/?next=/admin/payments/payment/")
    assert (
        response.headers["Location"] == "/admin/two-factor/?next=%2Fadmin%2Fpayments%2Fpayment%2F"
    )
    response = client.post(response.headers["Location"], {"code": code_of(user, utc_now())})

    assert response.headers["Location"] == "/admin/payments/payment/"
    assert client.get("/admin/").status_code == 200
    assert AuditEntry.objects.get().act == "sign in"


def test_a_password_alone_opens_nothing() -> None:
    make_user(Role.ADMINISTRATOR)
    client = enter("administrator")

    for path in ("/admin/", "/admin/search/?q=x", "/admin/payments/payment/", "/admin/views/"):
        assert client.get(path).headers["Location"].startswith("/admin/login/")
    assert client.get("/admin/two-factor/account/").status_code == 302
    # Nor does it replace the second factor.
    assert client.get("/admin/two-factor/set-up/").headers["Location"] == "/admin/two-factor/"


def test_it_leads_to_no_other_site() -> None:
    user = make_user(Role.SUPPORT)
    client = enter("support")

    response = client.post(
        "/admin/two-factor/?next=https://evil.example/", {"code": code_of(user, utc_now())}
    )

    assert response.headers["Location"] == "/admin/"


def test_a_password_leads_to_no_other_site_either() -> None:
    make_user(Role.SUPPORT)

    response = Client().post(
        "/admin/login/", {"username": "support", "password": PASSWORD, "next": "//evil.example"}
    )

    assert response.headers["Location"] == "/admin/"


def test_a_code_works_once() -> None:
    user = make_user(Role.SUPPORT)
    code = code_of(user, utc_now())
    assert enter("support").post("/admin/two-factor/", {"code": code}).status_code == 302

    assert enter("support").post("/admin/two-factor/", {"code": code}).status_code == 200


def test_the_key_of_an_authenticator_is_encrypted_at_rest() -> None:
    enrolment = begin_enrolment(make_user(Role.SUPPORT))

    for device in Authenticator.objects.all():
        assert len(device.key) == 20
        assert decrypt(device.sealed_key) == device.key.hex()
        assert device.key.hex() not in device.sealed_key
    key = Authenticator.objects.get(confirmed=False).key
    assert b32encode(key).decode() == enrolment.secret


@pytest.mark.each_on_postgres(ITS_OWN)
def test_five_wrong_codes_end_the_session() -> None:
    make_user(Role.SUPPORT)
    client = enter("support")

    statuses = [client.post("/admin/two-factor/", {"code": "999999"}).status_code for _ in range(5)]

    assert statuses == [200, 200, 200, 200, 302]
    assert client.get("/admin/login/").status_code == 200
    refused = AuditEntry.objects.filter(outcome="refused", error="wrong code")
    assert refused.count() == 5


def test_wrong_codes_close_the_second_factor_for_a_while() -> None:
    user = make_user(Role.SUPPORT)
    client = enter("support")
    for _ in range(3):
        client.post("/admin/two-factor/", {"code": "999999"})

    response = client.post("/admin/two-factor/", {"code": code_of(user, utc_now())})

    assert response.status_code == 200  # right, but not looked at yet
    with time_machine.travel(utc_now() + timedelta(seconds=5), tick=False):
        right = client.post("/admin/two-factor/", {"code": code_of(user, utc_now())})
    assert right.headers["Location"] == "/admin/"


@pytest.mark.parametrize(("wrong", "seconds"), [(1, 1), (2, 2), (3, 4)])
def test_after_wrong_codes_none_is_looked_at_for_so_long(wrong: int, seconds: int) -> None:
    user = make_user(Role.SUPPORT)

    def is_accepted(later: float) -> bool:
        now = utc_now()
        Authenticator.objects.update(
            throttling_failure_count=wrong,
            throttling_failure_timestamp=now - timedelta(seconds=later),
        )
        return Authenticator.objects.get(user=user).accept(code_of(user, now), now)

    assert [is_accepted(seconds - 0.5), is_accepted(seconds)] == [False, True]


def test_names_that_are_not_of_staff_leave_no_entries() -> None:
    User.objects.filter(pk=make_user(Role.SUPPORT).pk).update(is_staff=False)
    for name in ("unknown", "support"):
        Client().post("/admin/login/", {"username": name, "password": "wrong"})

    assert not AuditEntry.objects.exists()


def test_an_account_without_a_role_is_not_let_in() -> None:
    user = make_user(Role.SUPPORT)
    user.groups.clear()

    client = enter("support")

    assert "_auth_user_id" not in client.session


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_new_account_sets_up_its_second_factor() -> None:
    password = "a password that someone knows"
    user = create_account(username="new.one", role=Role.SUPPORT)
    user.set_password(password)
    user.save()
    StaffAccount.objects.create(user=user, must_change_password=True)  # as older releases made them
    client = enter("new.one", password)
    page = client.get("/admin/login/", follow=True)
    assert "Scan this" in page.content.decode()

    response = client.post("/admin/two-factor/set-up/", {"code": code_of(user, utc_now())})

    codes = re.findall(r"<code>([a-z0-9-]{19})</code>", response.content.decode())
    assert len(codes) == 10
    stored = set(StaticToken.objects.values_list("token", flat=True))
    assert not stored & {code.replace("-", "") for code in codes}
    # The first password has to go before anything else.
    assert client.get("/admin/").headers["Location"] == "/admin/password_change/"
    new = {
        "old_password": password,
        "new_password1": "tall ship sails",
        "new_password2": "tall ship sails",
    }
    same = new | {"new_password1": password, "new_password2": password}
    assert client.post("/admin/password_change/", same).status_code == 200
    assert client.get("/admin/").status_code == 302
    assert client.post("/admin/password_change/", new).status_code == 302
    assert client.get("/admin/").status_code == 200

    # A recovery code stands in for the authenticator, once.
    for expected in (302, 200):
        again = enter("new.one", "tall ship sails")
        assert again.post("/admin/two-factor/", {"code": codes[0]}).status_code == expected


def test_fifteen_minutes_without_a_click_end_the_session(office: Office) -> None:
    client = office(Role.SUPPORT)
    assert client.get("/admin/").status_code == 200
    with time_machine.travel(utc_now() + timedelta(minutes=14), tick=False):
        assert client.get("/admin/").status_code == 200
    with time_machine.travel(utc_now() + timedelta(minutes=28), tick=False):
        assert client.get("/admin/").status_code == 200

    seen = client.session["staff_seen"]
    for seconds, noted in ((29, False), (30, True)):
        moment = utc_now() + timedelta(minutes=28, seconds=seconds)
        with time_machine.travel(moment, tick=False):
            client.get("/admin/")
        assert (client.session["staff_seen"] != seen) is noted

    with time_machine.travel(utc_now() + timedelta(minutes=43, seconds=30), tick=False):
        assert client.get("/admin/").status_code == 302


def test_eight_hours_end_it_in_any_case(office: Office) -> None:
    client, start = office(Role.SUPPORT), utc_now()
    for minutes in range(0, 8 * 60, 10):
        with time_machine.travel(start + timedelta(minutes=minutes), tick=False):
            assert client.get("/admin/views/").status_code == 200

    with time_machine.travel(start + timedelta(hours=8), tick=False):
        assert client.get("/admin/views/").status_code == 302


def test_a_closed_account_is_out_at_its_next_click(office: Office) -> None:
    client = office(Role.SUPPORT)
    User.objects.filter(username="support").update(is_active=False)

    assert client.get("/admin/").status_code == 302


def test_the_back_office_can_live_on_a_host_of_its_own(office: Office, settings) -> None:
    settings.ADMIN_HOST, settings.ALLOWED_HOSTS = "office.example", ["*"]
    client = office(Role.SUPPORT)

    for path in ("/admin", "/admin/"):
        assert client.get(path).status_code == 404
    assert client.get("/v1/openapi.json").status_code == 200
    assert client.get("/admin/login/").json()["code"] == "NOT_FOUND"
    assert client.get("/admin/", headers={"host": "office.example"}).status_code == 200


def test_no_page_is_cached(office: Office) -> None:
    for client in (office(Role.SUPPORT), Client()):
        assert client.get("/admin/", follow=True)["Cache-Control"] == "no-store"


@pytest.fixture
def development_staff(development, capsys) -> dict[str, str]:
    call_command("create_staff", development=True)
    return development_logins()


def test_development_prints_an_account_per_role(development_staff, capsys) -> None:
    for name, password in development_staff.items():
        client = enter(name, password)
        assert client.post("/admin/two-factor/", {"code": "000000"}).status_code == 302
        assert client.get("/admin/").status_code == 200


def test_the_accounts_of_development_open_nothing_elsewhere(development_staff, settings) -> None:
    client = enter("administrator", development_staff["administrator"])
    client.post("/admin/two-factor/", {"code": "000000"})
    assert client.get("/admin/").status_code == 200

    settings.DEVELOPMENT_MODE = False

    assert client.get("/admin/").status_code == 302
    assert "_auth_user_id" not in enter(*next(iter(development_staff.items()))).session


def test_the_code_of_development_is_no_code_for_others(development) -> None:
    make_user(Role.SUPPORT)

    response = enter("support").post("/admin/two-factor/", {"code": "000000"})

    assert response.status_code == 200


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_real_account_is_not_turned_into_one_for_development(development) -> None:
    make_user(Role.SUPPORT)

    with pytest.raises(CommandError, match="username: support belongs to someone"):
        call_command("create_staff", development=True)

    assert not StaffAccount.objects.filter(user__username="support").exists()


@pytest.mark.parametrize(
    ("path", "cookie"), [("/admin/a%00b/", "a"), ("/admin/?q=%00", "a"), ("/admin/", "a\x00b")]
)
def test_what_no_database_holds_is_refused(path: str, cookie: str) -> None:
    client = Client()
    client.cookies["session"] = cookie
    response = client.get(path)

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")


def test_the_accounts_of_development_are_the_same_at_each_start(development_staff) -> None:
    before = list(User.objects.order_by("pk").values())

    call_command("create_staff", development=True)

    assert list(User.objects.order_by("pk").values()) == before
