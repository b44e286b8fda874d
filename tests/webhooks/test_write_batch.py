"""Writing together where the database has one writer at a time."""

import threading
import time

import pytest
from django.db import OperationalError, connection

from merchants.models import Merchant
from tests.factories import MerchantFactory
from tests.races import WAIT_SECONDS, at_once
from webhooks.delivery.write_batch import WriteBatch

pytestmark = pytest.mark.django_db(transaction=True)


def test_everything_is_written() -> None:
    gathering, merchants = WriteBatch(), [MerchantFactory.create() for _ in range(20)]

    def write(merchant: Merchant) -> None:
        gathering.write(lambda: rename(merchant))

    at_once([lambda merchant=merchant: write(merchant) for merchant in merchants])  # type: ignore[misc]

    assert Merchant.objects.filter(name="New").count() == 20


def test_where_there_are_as_many_writers_each_writes_for_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connection.features, "has_select_for_update", True)
    gathering, seen = WriteBatch(), list[bool]()

    gathering.write(lambda: seen.append(connection.in_atomic_block))

    assert (seen, gathering._waiting) == ([False], [])


@pytest.mark.sqlite
def test_what_gathers_is_one_transaction() -> None:
    gathering, merchant = WriteBatch(), MerchantFactory.create()
    seen: list[bool] = []
    held = threading.Event()

    def slow() -> None:
        with gathering._write_lock:
            held.set()
            wait_for(gathering, 5)

    def note() -> None:
        seen.append(connection.in_atomic_block)

    def write() -> None:
        held.wait(WAIT_SECONDS)
        gathering.write(note)

    at_once([slow, *[write] * 5])

    assert seen == [True] * 5
    assert merchant.pk


@pytest.mark.sqlite
def test_where_one_fails_all_are_told_and_nothing_is_written() -> None:
    gathering, merchant = WriteBatch(), MerchantFactory.create(name="Old")
    held = threading.Event()

    def slow() -> None:
        with gathering._write_lock:
            held.set()
            wait_for(gathering, 2)

    def change() -> None:
        held.wait(WAIT_SECONDS)
        gathering.write(lambda: rename(merchant))

    def break_down() -> None:
        held.wait(WAIT_SECONDS)
        gathering.write(fail)

    results = at_once([slow, change, break_down])

    assert [type(result) for result in results[1:]] == [OperationalError] * 2
    merchant.refresh_from_db()
    assert merchant.name == "Old"


def wait_for(gathering: WriteBatch, count: int) -> None:
    """Wait until that many writes have gathered."""
    deadline = time.monotonic() + WAIT_SECONDS
    while len(gathering._waiting) < count:
        assert time.monotonic() < deadline, f"{len(gathering._waiting)} of {count} have gathered"
        time.sleep(0.001)


def rename(merchant: Merchant) -> None:
    Merchant.objects.filter(pk=merchant.pk).update(name="New")


def fail() -> None:
    raise OperationalError
