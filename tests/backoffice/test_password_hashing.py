"""Made-up names at the sign-in of staff: each has a password hashed, and few are at once."""

import threading

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.test import Client

from backoffice import passwords
from backoffice.models import AuditEntry
from backoffice.pages import sign_in
from backoffice.passwords import PASSWORDS_AT_ONCE, BoundedArgon2
from backoffice.roles import Role
from config.settings import PASSWORD_HASHERS
from core.concurrency import ConcurrencyLimit
from core.errors import ServiceUnavailable
from tests.backoffice.conftest import PASSWORD, make_user


def test_it_is_what_production_hashes_with() -> None:
    hasher = BoundedArgon2()

    assert PASSWORD_HASHERS[0] == f"{BoundedArgon2.__module__}.{BoundedArgon2.__name__}"
    encoded = hasher.encode("correct", "salt-of-a-test")
    assert encoded.startswith("argon2$argon2id$v=19$m=47104,t=1,p=1$")
    assert hasher.verify("correct", encoded)
    assert not hasher.verify("wrong", hasher.encode("correct", "salt-of-a-test"))


def test_a_password_of_before_opens_and_is_hashed_anew() -> None:
    before = BoundedArgon2()
    before.memory_cost, before.time_cost = 1_024, 2
    stored = before.encode("correct", "salt-of-a-test-of-22-c")

    assert BoundedArgon2().verify("correct", stored)
    assert BoundedArgon2().must_update(stored)


@pytest.mark.real_clock("threads wait for each other")
def test_no_more_are_hashed_at_once_than_there_is_memory_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_work, most, lock, go = [0], [0], threading.Lock(), threading.Event()
    as_many = threading.Barrier(PASSWORDS_AT_ONCE)

    def slowly(*_: object) -> str:
        with lock:
            at_work[0] += 1
            most[0] = max(most[0], at_work[0])
        as_many.wait(10)  # until as many are at work as may be
        go.wait(0.05)  # in which another would be, too
        with lock:
            at_work[0] -= 1
        return ""

    monkeypatch.setattr(Argon2PasswordHasher, "encode", slowly)
    monkeypatch.setattr(passwords, "WAIT_SECONDS", 40)
    threads = [threading.Thread(target=BoundedArgon2().encode, args=("x", "y")) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert most[0] == PASSWORDS_AT_ONCE


def test_who_waits_too_long_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(passwords, "_slots", ConcurrencyLimit(1))

    with passwords._slots.hold(), pytest.raises(ServiceUnavailable):
        BoundedArgon2().encode("x", "y")


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["support", "made-up"])
def test_a_third_sign_in_at_once_is_refused_and_not_counted(name: str) -> None:
    """Of eight made-up names two were hashed, and six threads waited for them."""
    make_user(Role.SUPPORT)
    entered = {"username": name, "password": PASSWORD}

    with sign_in._sign_ins.hold(), sign_in._sign_ins.hold():
        refused = Client().post("/admin/login/", entered)

    assert "Others are signing in at the moment." in refused.content.decode()
    assert not AccessAttempt.objects.exists()
    assert not AuditEntry.objects.exists()
    expected = 302 if name == "support" else 200
    assert Client().post("/admin/login/", entered).status_code == expected


def test_a_check_waits_for_a_slot_that_is_freed(monkeypatch: pytest.MonkeyPatch) -> None:
    stored = BoundedArgon2().encode("x", "enough-salt")
    monkeypatch.setattr(passwords, "_slots", ConcurrencyLimit(1))
    monkeypatch.setattr(passwords, "WAIT_SECONDS", 0.01)
    with passwords._slots.hold(), pytest.raises(ServiceUnavailable):
        BoundedArgon2().verify("x", stored)
    monkeypatch.setattr(passwords, "WAIT_SECONDS", 60)
    held = passwords._slots.hold()
    held.__enter__()
    threading.Timer(0.05, held.__exit__, (None, None, None)).start()

    assert BoundedArgon2().verify("x", stored)
