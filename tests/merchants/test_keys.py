"""Keys: their text, rolling, revoking, and when they were last used."""

import time
from datetime import timedelta
from functools import partial

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import OperationalError, transaction

from core.clock import utc_now
from core.errors import ValidationFailed
from merchants import keys
from merchants.errors import ApiKeyNotActive, ApiKeyNotFound, ApiKeyRolled
from merchants.key_use import write_uses
from merchants.models import ApiKey, Merchant, MerchantQuerySet
from merchants.services import issue_key, revoke_key, roll_key
from tests.client import ApiClient
from tests.races import at_once

HOUR = timedelta(hours=1)


@pytest.fixture
def issued(merchant):
    write_uses()
    return issue_key(merchant=merchant, livemode=True, name="Web shop", now=utc_now())


def works(issued):
    path = f"/v1/merchants/{issued.key.merchant_id}"
    return ApiClient(issued.secret).get(path).status_code == 200


def row(issued):
    return ApiKey.objects.get(pk=issued.key.pk)


# Their text


@pytest.mark.parametrize("livemode", [False, True])
def test_a_key_has_its_mode_256_bits_and_a_checksum(livemode):
    secrets = {keys.new_secret(livemode=livemode) for _ in range(100)}

    assert len(secrets) == 100
    assert {len(secret) for secret in secrets} == {keys.KEY_CHARACTERS} == {57}
    assert all(secret.startswith(f"sk_{'live' if livemode else 'test'}_") for secret in secrets)
    assert all(map(keys.is_well_formed, secrets))


def test_any_wrong_character_is_noticed():
    secret = keys.new_secret(livemode=False)

    for place in range(len(secret)):
        wrong = "x" if secret[place] != "x" else "y"
        assert not keys.is_well_formed(secret[:place] + wrong + secret[place + 1 :])


def test_a_key_is_shown_by_its_ends_only(issued):
    assert issued.key.hint == f"sk_live_…{issued.secret[-4:]}"
    assert issued.secret not in repr(issued)
    assert issued.secret not in str(vars(row(issued)))


# Several at once


def test_several_keys_work_side_by_side(merchant):
    several = [
        issue_key(merchant=merchant, livemode=livemode, name=name, now=utc_now())
        for livemode in (False, True)
        for name in ("Web shop", "Till")
    ]

    assert all(map(works, several))


# Rolling


def test_rolling_leaves_the_old_key_alive_for_the_overlap(issued):
    with time_machine.travel(utc_now(), tick=False) as clock:
        new = roll_key(key_id=issued.key.id, overlap=HOUR, now=utc_now(), actor="staff:ada")
        both = works(issued), works(new)
        clock.shift(HOUR - timedelta(milliseconds=1))
        last_moment = works(issued)
        clock.shift(timedelta(milliseconds=1))
        after = works(issued), works(new)

    assert (both, last_moment, after) == ((True, True), True, (False, True))
    assert (new.key.name, new.key.livemode) == ("Web shop", True)
    assert new.key.merchant_id == issued.key.merchant_id


def test_rolling_without_overlap_ends_the_old_key_at_once(issued):
    new = roll_key(key_id=issued.key.id, overlap=timedelta(0), now=utc_now(), actor="staff:ada")

    assert (works(issued), works(new)) == (False, True)


def test_a_key_is_rolled_once(issued):
    at = utc_now()
    new = roll_key(key_id=issued.key.id, overlap=HOUR, now=at, actor="staff:ada")

    for overlap in (timedelta(0), 2 * HOUR):
        with pytest.raises(ApiKeyRolled, match="roll the key that took its place"):
            roll_key(key_id=issued.key.id, overlap=overlap, now=at, actor="staff:ada")

    assert row(issued).expires_at == at + HOUR
    assert ApiKey.objects.count() == 2
    roll_key(key_id=new.key.id, overlap=HOUR, now=at, actor="staff:ada")
    revoke_key(key_id=issued.key.id, now=at)
    assert not works(issued)


def test_rolling_leaves_the_old_key_alive_for_ninety_days_at_most(issued):
    at = utc_now()
    roll_key(key_id=issued.key.id, overlap=timedelta(days=90), now=at, actor="staff:ada")

    assert row(issued).expires_at == at + timedelta(days=90)


@pytest.mark.parametrize("overlap", [timedelta(seconds=-1), timedelta(days=91)])
def test_rolling_wants_a_sensible_overlap(issued, overlap):
    with pytest.raises(ValidationFailed, match="must be 0 to 90 days"):
        roll_key(key_id=issued.key.id, overlap=overlap, now=utc_now(), actor="staff:ada")

    assert ApiKey.objects.count() == 1


# Revoking


def test_revoking_ends_a_key_at_once(issued):
    at = utc_now()

    revoke_key(key_id=issued.key.id, now=at)

    assert not works(issued)
    assert row(issued).revoked_at == at


@pytest.mark.parametrize(
    "act",
    [revoke_key, lambda **about: roll_key(overlap=HOUR, actor="staff:ada", **about)],
    ids=["revoke", "roll"],
)
def test_a_key_that_has_ended_cannot_be_ended_or_rolled(issued, act):
    at = utc_now()
    revoke_key(key_id=issued.key.id, now=at)

    with pytest.raises(ApiKeyNotActive):
        act(key_id=issued.key.id, now=at + HOUR)
    with pytest.raises(ApiKeyNotFound):
        act(key_id="key_none", now=at)

    assert row(issued).revoked_at == at
    assert ApiKey.objects.count() == 1


@pytest.mark.parametrize("act", ["roll", "revoke", "command"])
def test_a_key_that_is_revoked_while_its_merchant_is_waited_for_is_seen(issued, monkeypatch, act):
    """By staff and the command it was looked at without the merchant's lock, beside the API's."""
    locked, at = MerchantQuerySet.locked, utc_now()

    def locked_after_the_revocation(rows, pk):
        ApiKey.objects.filter(pk=issued.key.pk).update(revoked_at=at)
        return locked(rows, pk)

    monkeypatch.setattr(MerchantQuerySet, "locked", locked_after_the_revocation)
    acts = {
        "roll": lambda: roll_key(key_id=issued.key.id, overlap=HOUR, now=at, actor="staff:ada"),
        "revoke": lambda: revoke_key(key_id=issued.key.id, now=at),
        "command": lambda: call_command("roll_key", issued.key.id),
    }
    with pytest.raises((ApiKeyNotActive, CommandError), match="revoked_at"):
        acts[act]()

    assert ApiKey.objects.count() == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "act",
    [revoke_key, lambda **about: roll_key(overlap=HOUR, actor="staff:ada", **about)],
    ids=["revoke", "roll"],
)
def test_a_key_ends_under_the_lock_of_its_merchant(issued, act):
    with transaction.atomic():
        act(key_id=issued.key.id, now=utc_now())
        (seen,) = at_once([partial(try_to_lock, issued.key.merchant_id)])

    assert isinstance(seen, OperationalError)


@transaction.atomic
def try_to_lock(merchant_id):
    Merchant.objects.select_for_update(nowait=True, no_key=True).get(pk=merchant_id)


# Their last use


def test_a_request_writes_nothing_for_its_key(issued, django_assert_num_queries):
    with django_assert_num_queries(2):  # the key, the merchant
        works(issued)

    assert row(issued).last_used_at is None


def test_the_last_use_is_written_afterwards_once_an_hour(issued, django_assert_num_queries):
    with time_machine.travel(utc_now(), tick=False) as clock:
        first = utc_now()
        works(issued)
        with django_assert_num_queries(1):
            write_uses()
        clock.shift(HOUR - timedelta(seconds=1))
        works(issued)
        with django_assert_num_queries(0):
            write_uses()
        after_less_than_an_hour = row(issued).last_used_at
        clock.shift(timedelta(seconds=1))
        works(issued)
        write_uses()

    assert after_less_than_an_hour == first
    assert row(issued).last_used_at == first + HOUR


def test_the_last_use_is_never_put_back(issued):
    works(issued)
    later = utc_now() + HOUR
    ApiKey.objects.update(last_used_at=later)

    write_uses()

    assert row(issued).last_used_at == later


def test_a_refused_key_was_not_used(issued):
    revoke_key(key_id=issued.key.id, now=utc_now())
    works(issued)

    write_uses()

    assert row(issued).last_used_at is None


def test_all_uses_until_they_are_written_are_left_to_one_thread(issued, monkeypatch):
    planned: list[object] = []
    monkeypatch.setattr("merchants.key_use.write_later", planned.append)

    for expected in (1, 1):
        works(issued)
        assert len(planned) == expected
    write_uses()
    ApiKey.objects.update(last_used_at=None)
    works(issued)

    assert planned == [write_uses, write_uses]


@pytest.mark.django_db(transaction=True)
def test_the_last_use_is_written_by_a_thread(issued, settings):
    settings.GATHER_SECONDS = 0.01
    works(issued)

    deadline = time.monotonic() + 20
    while row(issued).last_used_at is None and time.monotonic() < deadline:
        time.sleep(0.01)

    assert row(issued).last_used_at is not None
