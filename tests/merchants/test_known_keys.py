"""Keys that a process has just read: how long it goes by them, and what ends that at once."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext

from core.clock import utc_now
from merchants import known_keys
from merchants.known_keys import KEPT_FOR, find_key, forget_keys
from merchants.models import ApiKey, Merchant
from merchants.services import IssuedKey, issue_key, revoke_key, roll_key, set_status
from merchants.statuses import MerchantStatus
from tests.client import ApiClient

MOMENT = timedelta(milliseconds=1)


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(utc_now(), tick=False) as clock:
        yield clock


@pytest.fixture
def issued(merchant: Merchant) -> IssuedKey:
    return issue_key(merchant=merchant, livemode=False, name="Web shop", now=utc_now())


def status_of(issued: IssuedKey) -> int:
    path = f"/v1/merchants/{issued.key.merchant_id}"
    return ApiClient(issued.secret).get(path).status_code


def reads_of_keys(issued: IssuedKey) -> int:
    """Send a request; return how often it has asked the database for the key."""
    with CaptureQueriesContext(connection) as statements:
        assert status_of(issued) == 200
    return sum("merchants_apikey" in query["sql"] for query in statements.captured_queries)


def test_it_reads_a_key_once_a_second(issued: IssuedKey, clock: time_machine.Traveller) -> None:
    first = reads_of_keys(issued)
    clock.shift(KEPT_FOR - MOMENT)
    again = reads_of_keys(issued)
    clock.shift(MOMENT)

    assert (first, again, reads_of_keys(issued)) == (1, 0, 1)


def test_a_key_that_another_process_has_revoked_works_for_a_second_at_most(
    issued: IssuedKey, clock: time_machine.Traveller
) -> None:
    before = status_of(issued)
    ApiKey.objects.filter(pk=issued.key.pk).update(revoked_at=utc_now())
    clock.shift(KEPT_FOR)

    assert (before, status_of(issued)) == (200, 401)


def test_a_clock_that_was_put_back_keeps_nothing(
    issued: IssuedKey, clock: time_machine.Traveller
) -> None:
    status_of(issued)
    clock.shift(-MOMENT)

    assert reads_of_keys(issued) == 1


def test_a_key_that_is_known_still_ends_at_its_time(
    issued: IssuedKey, clock: time_machine.Traveller
) -> None:
    roll_key(key_id=issued.key.pk, overlap=MOMENT, now=utc_now(), actor="staff:ada")
    before = status_of(issued)
    clock.shift(MOMENT)

    assert (before, status_of(issued)) == (200, 401)


def test_this_process_knows_at_once_what_it_has_revoked(issued: IssuedKey) -> None:
    before = status_of(issued)
    revoke_key(key_id=issued.key.pk, now=utc_now())

    assert (before, status_of(issued)) == (200, 401)


def test_this_process_knows_at_once_whom_it_has_suspended(issued: IssuedKey) -> None:
    before = status_of(issued)
    set_status(merchant_id=issued.key.merchant_id, status=MerchantStatus.SUSPENDED, now=utc_now())

    assert (before, status_of(issued)) == (200, 422)


def test_what_was_read_before_the_change_is_not_kept(
    issued: IssuedKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change commits between a request's look at the row and its keeping it."""
    keep = known_keys._known._keep

    def keep_late(*read: object) -> None:
        forget_keys()
        keep(*read)  # type: ignore[arg-type]  # what it is called with, as it is

    monkeypatch.setattr(known_keys._known, "_keep", keep_late)
    status_of(issued)

    assert reads_of_keys(issued) == 1


def test_what_others_read_until_the_commit_is_forgotten_too(
    issued: IssuedKey, django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        forget_keys()
        status_of(issued)

    assert reads_of_keys(issued) == 1


def test_it_keeps_a_bounded_number(issued: IssuedKey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_keys, "MOST_KEPT", 1)
    other = issue_key(merchant=issued.key.merchant, livemode=False, name="Till", now=utc_now())
    at = utc_now()
    forget_keys()
    for one in (issued, other):
        assert find_key(one.secret, at) is not None

    assert len(known_keys._known._read) == 1


def test_it_goes_by_what_it_has_just_read(issued: IssuedKey, clock: time_machine.Traveller) -> None:
    assert (reads_of_keys(issued), reads_of_keys(issued)) == (1, 0)


def test_a_key_that_is_read_again_takes_the_place_of_no_other(
    issued: IssuedKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_keys, "MOST_KEPT", 2)
    other = issue_key(merchant=issued.key.merchant, livemode=False, name="Till", now=utc_now())
    forget_keys()
    for one, at in ((issued, utc_now()), (other, utc_now()), (other, utc_now() + KEPT_FOR)):
        assert find_key(one.secret, at) is not None

    assert len(known_keys._known._read) == 2
