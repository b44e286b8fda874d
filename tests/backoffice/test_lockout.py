"""Wrong passwords lock those who enter them, and not the owner of the account."""

from datetime import timedelta

import pytest
import time_machine
from axes.models import AccessAttempt
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from backoffice.models import AuditEntry
from backoffice.pages import sign_in
from backoffice.roles import Role
from core.clock import utc_now
from tests.backoffice.conftest import PASSWORD, code_of, enter, make_user

pytestmark = pytest.mark.django_db

STRANGER, OFFICE = "203.0.113.9", "198.51.100.7"
FRAMING = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "ROLLBACK")


def attempt(
    client: Client, password: str = "wrong", address: str = STRANGER, **headers: str
) -> int:
    fields = {"username": "support", "password": password}
    response = client.post("/admin/login/", fields, REMOTE_ADDR=address, headers=headers)
    return response.status_code


def guess(address: str = STRANGER, times: int = 5) -> None:
    for _ in range(times):
        attempt(Client(), address=address)


def test_five_wrong_passwords_lock_anyone_who_enters_them() -> None:
    make_user(Role.SUPPORT)
    guess()

    assert attempt(Client(), PASSWORD) == 429
    locked = Client().post(
        "/admin/login/", {"username": "support", "password": PASSWORD}, REMOTE_ADDR=STRANGER
    )
    assert "Too many wrong passwords" in locked.content.decode()
    failures = AuditEntry.objects.filter(act="sign in", outcome="refused", subject_id="support")
    assert failures.count() == 5
    with time_machine.travel(utc_now() + timedelta(minutes=31), tick=False):
        assert attempt(Client(), PASSWORD) == 302


def test_a_stranger_does_not_lock_a_colleague_out() -> None:
    make_user(Role.SUPPORT)
    guess(times=20)

    assert attempt(Client(), PASSWORD, OFFICE) == 302


def test_a_stranger_in_the_same_office_does_not_lock_out_a_known_browser() -> None:
    user, own = make_user(Role.SUPPORT), Client()
    attempt(own, PASSWORD, OFFICE)
    own.post("/admin/two-factor/", {"code": code_of(user, utc_now())}, REMOTE_ADDR=OFFICE)
    own.post("/admin/two-factor/leave/")
    cookie = own.cookies["staff_browser"]
    kept = [cookie[name] for name in ("path", "max-age", "httponly", "secure", "samesite")]
    assert kept == ["/admin/", 15_552_000, True, "", "Strict"]
    guess(OFFICE, times=20)

    assert attempt(Client(), PASSWORD, OFFICE) == 429
    assert attempt(own, PASSWORD, OFFICE) == 302


def test_strangers_of_many_networks_do_not_keep_a_known_browser_out() -> None:
    """From ever new networks, they kept both slots taken: staff were told to try again later."""
    user, own = make_user(Role.SUPPORT), Client()
    attempt(own, PASSWORD, OFFICE)
    own.post("/admin/two-factor/", {"code": code_of(user, utc_now())}, REMOTE_ADDR=OFFICE)
    own.post("/admin/two-factor/leave/")

    with sign_in._sign_ins.hold(), sign_in._sign_ins.hold():
        assert attempt(Client(), PASSWORD, STRANGER) == 200, "an unknown one is refused"
        assert attempt(own, PASSWORD, OFFICE) == 302


def test_a_browser_known_to_one_account_is_unknown_to_another() -> None:
    user, own = make_user(Role.SUPPORT, "another"), enter("another")
    own.post("/admin/two-factor/", {"code": code_of(user, utc_now())})
    own.post("/admin/two-factor/leave/")
    make_user(Role.SUPPORT)
    guess()

    assert attempt(own, PASSWORD) == 429


def test_a_made_up_cookie_or_agent_gives_no_more_attempts() -> None:
    make_user(Role.SUPPORT)
    statuses = []
    for number in range(6):
        client = Client()
        client.cookies["staff_browser"] = f"support:{number}"
        agent = {"user-agent": f"Mozilla/{number}"}
        statuses.append(attempt(client, **agent))

    assert statuses == [200, 200, 200, 200, 429, 429]


def test_neighbours_in_one_network_of_ipv6_are_one_stranger() -> None:
    make_user(Role.SUPPORT)
    for number in range(5):
        attempt(Client(), address=f"2001:db8::{number + 1}")

    assert attempt(Client(), PASSWORD, "2001:db8::77") == 429
    assert attempt(Client(), PASSWORD, "2001:db8:0:1::77") == 302


def test_behind_a_proxy_each_visitor_has_an_address_of_their_own(settings) -> None:
    settings.TRUSTED_PROXIES = 1
    make_user(Role.SUPPORT)
    for _ in range(5):
        attempt(Client(), address="10.0.0.1", **{"x-forwarded-for": f"1.2.3.4, {STRANGER}"})

    stranger = {"x-forwarded-for": f"5.6.7.8, {STRANGER}"}
    assert attempt(Client(), PASSWORD, "10.0.0.1", **stranger) == 429
    assert attempt(Client(), PASSWORD, "10.0.0.1", **{"x-forwarded-for": OFFICE}) == 302


def test_a_wrong_password_takes_the_same_work_for_a_name_of_no_one() -> None:
    """The entry in the audit trail took milliseconds, and told who is staff."""
    make_user(Role.SUPPORT)
    work = {}
    for name in ("support", "made-up", "support", "made-up"):  # the first make what is made once
        with CaptureQueriesContext(connection) as sent:
            enter(name, "wrong")
        statements = [query["sql"].split(" WHERE ")[0].split(" VALUES ")[0] for query in sent]
        work[name] = [each for each in statements if not each.startswith(FRAMING)]

    assert [each.split(" = ")[0] for each in work["support"]] == [
        each.split(" = ")[0] for each in work["made-up"]
    ]
    assert [entry.subject_id for entry in AuditEntry.objects.all()] == ["support", "support"]


@pytest.mark.parametrize("name", ["u" * 256, "u" * 151, "\u202esupport", "a\x1b[31m"])
def test_a_name_that_no_account_can_have_is_kept_nowhere(name: str) -> None:
    """One was too long for the table of wrong passwords: any stranger could raise the alarm."""
    response = Client().post("/admin/login/", {"username": name, "password": PASSWORD})

    assert response.status_code == 200
    assert "The user name or the password is incorrect." in response.content.decode()
    assert not AccessAttempt.objects.exists()
    assert not AuditEntry.objects.exists()
