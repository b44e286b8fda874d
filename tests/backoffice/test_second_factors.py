"""What each act changes of one person's second factors, column by column, and of no one else's."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django_otp.plugins.otp_static.models import StaticDevice, StaticToken
from pytest_django import Settings

from backoffice.authenticators import Authenticator, StaffPasskey
from backoffice.errors import AccountNotEligible
from backoffice.models import AuditEntry, StaffAccount
from backoffice.roles import Role
from backoffice.services import staff_passkeys
from backoffice.services.staff_passkeys import (
    begin_new_passkey,
    begin_passkey_sign_in,
    check_passkey,
    has_passkey,
    remove_passkey,
)
from backoffice.services.two_factor import (
    DEVELOPMENT_CODE,
    begin_enrolment,
    check_code,
    finish_enrolment,
    has_authenticator,
    recovery_codes_left,
    remove_second_factor,
    renew_recovery_codes,
    second_factors,
)
from core.clock import utc_now
from customers.errors import VerificationFailed
from tests.backoffice.conftest import make_user
from tests.backoffice.factor_holder import CHALLENGE, Holder, code_of
from tests.customers.authenticator import VirtualAuthenticator
from tests.races import held_up
from tests.row_changes import changed

pytestmark = pytest.mark.django_db
OTHER = b"d" * 32


def finish(who: Holder, device: Authenticator, now: datetime) -> Authenticator | None:
    return finish_enrolment(who.user, code_of(device, now), now, staff=who.staff)


def refused_copy(who: Holder) -> None:
    StaffPasskey.objects.filter(user=who.user).update(sign_count=9)
    with pytest.raises(VerificationFailed):
        who.sign()
    StaffPasskey.objects.filter(user=who.user).update(sign_count=1)


THROTTLED = {"throttling_failure_count", "throttling_failure_timestamp"}
TABLES = ("Authenticator", "StaticDevice", "StaticToken", "StaffPasskey")
Act = Callable[[Holder, datetime], Any]
ACTS: dict[str, tuple[Act, dict[str, set[str]]]] = {
    "begin anew": (
        lambda who, now: begin_enrolment(who.user),
        {"Authenticator": {"gone", "new"}},
    ),
    "go on": (lambda who, now: begin_enrolment(who.user, anew=False), {}),
    "finish": (
        lambda who, now: finish(who, who.waiting, now),
        {"Authenticator": {"gone", "confirmed", "last_t"} | THROTTLED},
    ),
    "finish by the code of the old one": (
        lambda who, now: finish(who, who.confirmed, now),
        {"Authenticator": THROTTLED},
    ),
    "renew the recovery codes": (
        lambda who, now: renew_recovery_codes(who.user, staff=who.staff),
        {"StaticDevice": {"gone", "new"}, "StaticToken": {"gone", "new"}},
    ),
    "enter a code": (
        lambda who, now: check_code(who.user, code_of(who.confirmed, now), now),
        {"Authenticator": {"last_t"} | THROTTLED},
    ),
    "enter the code of the one that waits": (
        lambda who, now: check_code(who.user, code_of(who.waiting, now), now),
        {"Authenticator": THROTTLED},
    ),
    "enter a recovery code": (
        lambda who, now: check_code(who.user, f" {who.codes[3].upper()} ", now),
        {"StaticToken": {"gone"}, "StaticDevice": {"last_used_at"}},
    ),
    "enter no recovery code": (
        lambda who, now: check_code(who.user, "abcd-efgh-ijkl-mnop", now),
        {"StaticDevice": THROTTLED},
    ),
    "lose them all": (
        lambda who, now: remove_second_factor(who.user),
        {table: {"gone"} for table in TABLES},
    ),
    "sign by a passkey": (
        lambda who, now: who.sign(),
        {"StaffPasskey": {"sign_count", "last_used_at"}},
    ),
    "sign by a copy": (lambda who, now: refused_copy(who), {}),
    "remove a passkey": (
        lambda who, now: remove_passkey(
            who.user, staff=who.staff, passkey_id=who.passkeys[0].pk
        ),
        {"StaffPasskey": {"gone"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ACTS)
def test_it_changes_these_columns_and_no_one_elses(name: str) -> None:
    act, expected = ACTS[name]
    people = [Holder(username) for username in ("older", "who", "newer")]
    before = [each.rows() for each in people]

    act(people[1], utc_now() + timedelta(hours=1))  # the time that it is told, not the machine's

    after = [each.rows() for each in people]
    assert [changed(*pair) for pair in zip(before, after, strict=True)] == [{}, expected, {}]


def test_it_is_told_whose_factors_there_are() -> None:
    who, bare = Holder("who"), make_user(Role.SUPPORT, "bare")
    Authenticator.objects.filter(user=bare).update(confirmed=False)
    one = make_user(Role.SUPPORT, "one")
    StaffPasskey.objects.filter(pk=who.passkeys[1].pk).update(user=one)

    def told(user: User) -> tuple[Any, ...]:
        left = recovery_codes_left(user)
        return second_factors(user), has_authenticator(user), has_passkey(user), left

    assert told(who.user) == (["1 passkey", "authenticator app"], True, True, 10)
    assert told(one) == (["1 passkey", "authenticator app"], True, True, 0)
    assert told(bare) == ([], False, False, 0)
    who.add(VirtualAuthenticator())
    check_code(who.user, who.codes[0], utc_now())
    assert told(who.user) == (["2 passkeys", "authenticator app"], True, True, 9)


def test_a_code_proves_its_device_once_and_the_next_one_half_a_minute_later() -> None:
    who, now = Holder("who"), utc_now()

    assert check_code(who.user, code_of(who.confirmed, now), now) == who.confirmed
    assert check_code(who.user, code_of(who.confirmed, now), now) is None
    for later in (now + timedelta(seconds=30), now + timedelta(minutes=5)):
        Authenticator.objects.update(throttling_failure_timestamp=None, throttling_failure_count=0)
        assert check_code(who.user, code_of(who.confirmed, later), later) == who.confirmed
    recovery = StaticDevice.objects.get(user=who.user)
    assert check_code(who.user, who.codes[0], now) == recovery
    assert check_code(who.user, who.codes[0], now) is None
    bare = make_user(Role.SUPPORT, "bare")
    Authenticator.objects.filter(user=bare).update(confirmed=False)
    waiting = Authenticator.objects.get(user=bare)
    for code in (code_of(waiting, now), "abcd-efgh-ijkl-mnop"):
        assert check_code(bare, code, now) is None


@pytest.mark.parametrize("mode", [True, False])
@pytest.mark.parametrize("development_only", [True, False])
def test_the_code_of_development_proves_what_exists_for_it_alone(
    settings: Settings, mode: bool, development_only: bool
) -> None:
    settings.DEVELOPMENT_MODE, user = mode, make_user(Role.SUPPORT)
    StaffAccount.objects.create(user=user, development_only=development_only)

    proven = check_code(user, DEVELOPMENT_CODE, utc_now())

    assert (proven is not None) == (mode and development_only)


def test_what_is_kept_of_a_passkey() -> None:
    who = Holder("who")
    who.sign(1)

    kept = StaffPasskey.objects.values().get(pk=who.passkeys[1].pk)
    assert len(kept.pop("public_key")) > 60
    assert len(kept.pop("credential_id")) == 43
    assert kept | {"id": 0} == {
        "id": 0,
        "user_id": who.user.pk,
        "name": "Key 2",
        "confirmed": True,
        "sign_count": 2,
        "transports": ["internal", "hybrid"],
        "aaguid": "00000000-0000-0000-0000-000000000000",
        "is_synced": True,
        "created_at": who.at,
        "last_used_at": who.at,
    }
    excluded = begin_new_passkey(who.user, challenge=CHALLENGE)["excludeCredentials"]
    newest_first = [passkey.credential_id for passkey in reversed(who.passkeys)]
    assert [each["id"] for each in excluded] == newest_first


def test_a_passkey_is_of_one_person_and_one_challenge(monkeypatch: pytest.MonkeyPatch) -> None:
    who, other = Holder("who"), Holder("other")

    for refused in (
        lambda: who.sign(challenge=OTHER),
        lambda: other.add(who.devices[0]),
        lambda: check_passkey(
            other.user,
            credential=who.devices[0].get(begin_passkey_sign_in(who.user, challenge=CHALLENGE)),
            challenge=CHALLENGE,
            now=utc_now(),
        ),
    ):
        with pytest.raises(VerificationFailed):
            refused()
    with pytest.raises(AccountNotEligible):
        remove_passkey(other.user, staff=other.staff, passkey_id=who.passkeys[0].pk)
    monkeypatch.setattr(staff_passkeys, "MAX_STAFF_PASSKEYS", 3)
    who.add(VirtualAuthenticator())
    with pytest.raises(AccountNotEligible, match="too many passkeys"):
        who.add(VirtualAuthenticator())


def test_an_answer_that_another_one_has_overtaken_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    who = Holder("who")

    def overtaken(*_: object, **__: object) -> int:
        StaffPasskey.objects.update(sign_count=5)
        return 6

    monkeypatch.setattr("customers.webauthn.verify_assertion", overtaken)

    with pytest.raises(VerificationFailed):
        who.sign()
    assert set(StaffPasskey.objects.values_list("sign_count", flat=True)) == {5}


@pytest.mark.parametrize("meanwhile", [{"password": make_password(None)}, {"is_active": False}])
def test_no_passkey_is_added_to_an_account_that_was_reset_or_closed(
    meanwhile: dict[str, Any],
) -> None:
    """Its owner would be asked for that of someone else after a reset."""
    who = Holder("ann")
    passkeys = StaffPasskey.objects.count()
    User.objects.filter(pk=who.user.pk).update(**meanwhile)

    with pytest.raises(VerificationFailed):
        who.add(VirtualAuthenticator())

    assert StaffPasskey.objects.count() == passkeys


def test_an_account_that_was_reset_gets_no_recovery_codes() -> None:
    who = Holder("ann")
    user, entries = who.user, AuditEntry.objects.count()
    codes = set(StaticToken.objects.values_list("pk", flat=True))
    User.objects.filter(pk=user.pk).update(password=make_password(None))

    with pytest.raises(PermissionDenied):
        renew_recovery_codes(user, staff=who.staff)

    assert AuditEntry.objects.count() == entries
    assert set(StaticToken.objects.values_list("pk", flat=True)) == codes


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_passkey_that_waits_for_a_reset_is_not_added() -> None:
    who = Holder("ann")

    def reset() -> None:
        User.objects.filter(pk=who.user.pk).update(password=make_password(None))
        remove_second_factor(who.user)

    refused = held_up(reset, partial(who.add, VirtualAuthenticator()))

    assert isinstance(refused, VerificationFailed)
    assert not has_passkey(who.user)
