"""Writers to an SQLite file take turns, in the order in which they ask."""

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import OperationalError, connection, transaction

from config.sqlite.turns import TurnQueue, WriteTurns, turns_of
from merchants.models import Merchant
from tests.factories import MerchantFactory
from tests.races import at_once

LONG = 40.0  # where others have the machine
OTHER_PROCESS = """
import sys, time
from config.sqlite.turns import WriteTurns
turns = WriteTurns(sys.argv[1])
assert turns.take(seconds=40)
print("taken", flush=True)
time.sleep(60)
"""


def _until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONG
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def test_turns_come_in_the_order_in_which_they_were_asked_for() -> None:
    queue, served = TurnQueue(), list[int]()
    assert queue.take(seconds=LONG)

    def serve(number: int) -> None:
        assert queue.take(seconds=LONG)
        served.append(number)
        queue.give_back()

    threads = [threading.Thread(target=serve, args=(number,)) for number in range(20)]
    for number, thread in enumerate(threads):
        thread.start()
        _until(lambda number=number: len(queue._waiting) == number + 1)  # type: ignore[misc]
    queue.give_back()
    for thread in threads:
        thread.join(LONG)

    assert served == list(range(20))


def test_a_wait_has_an_end_and_leaves_the_queue_as_it_was() -> None:
    queue = TurnQueue()

    assert queue.take(seconds=LONG)
    assert not queue.take(seconds=0.01)
    queue.give_back()
    assert queue.take(seconds=0.01)


@pytest.fixture
def other_process(tmp_path: Path) -> subprocess.Popen[str]:
    """Another process that has the turn, to write to `tmp_path / "db"`."""
    words = [sys.executable, "-c", OTHER_PROCESS, str(tmp_path / "db")]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    return process


def test_processes_take_turns_and_a_dead_one_holds_none(
    tmp_path: Path, other_process: subprocess.Popen[str]
) -> None:
    turns = WriteTurns(str(tmp_path / "db"))

    assert not turns.take(seconds=0.02)
    other_process.kill()
    other_process.communicate()
    assert turns.take(seconds=LONG)


def test_who_waits_longest_is_next_though_another_process_asks_again_at_once(
    tmp_path: Path,
) -> None:
    """Two openings of the files are to the system what two processes are."""
    busy, patient = WriteTurns(str(tmp_path / "db")), WriteTurns(str(tmp_path / "db"))
    assert busy.take(seconds=LONG)
    waiting = threading.Thread(target=patient.take, kwargs={"seconds": LONG})
    waiting.start()
    _until(lambda: _is_next(patient, busy))
    busy.give_back()

    assert not busy.take(seconds=0.05)
    waiting.join(LONG)
    patient.give_back()
    assert busy.take(seconds=LONG)


def _is_next(patient: WriteTurns, busy: WriteTurns) -> bool:
    """Return whether the patient one holds the place of who is next."""
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

    try:
        flock(busy._processes._next, LOCK_EX | LOCK_NB)
    except BlockingIOError:
        return True
    flock(busy._processes._next, LOCK_UN)
    return False


def _name(name: str) -> None:
    Merchant.objects.update(name=name)


@pytest.fixture
def turns() -> WriteTurns:
    return turns_of(str(connection.settings_dict["NAME"]))


@pytest.mark.sqlite
@pytest.mark.django_db(transaction=True)
class TestConnections:
    """What a connection does with the turns of its file."""

    @pytest.fixture
    def impatient(self, monkeypatch: pytest.MonkeyPatch) -> None:
        options = connection.settings_dict["OPTIONS"]
        monkeypatch.setitem(options, "timeout", 0.1)

    @pytest.mark.usefixtures("impatient")
    def test_a_transaction_waits_for_its_turn(self, turns: WriteTurns) -> None:
        assert turns.take(seconds=LONG)
        with pytest.raises(OperationalError, match="database is locked"), transaction.atomic():
            pass
        turns.give_back()

        with transaction.atomic():
            assert not turns.take(seconds=0)
        assert turns.take(seconds=0)
        turns.give_back()

    @pytest.mark.usefixtures("impatient")
    def test_a_statement_that_writes_outside_of_a_transaction_waits(
        self, turns: WriteTurns
    ) -> None:
        MerchantFactory()
        assert turns.take(seconds=LONG)
        with pytest.raises(OperationalError, match="database is locked"):
            _name("New")
        turns.give_back()

        _name("New")
        assert turns.take(seconds=0)
        turns.give_back()

    def test_reading_never_waits(self, turns: WriteTurns) -> None:
        assert turns.take(seconds=LONG)
        assert Merchant.objects.count() == 0
        turns.give_back()

    def test_the_turn_is_given_back_where_the_work_fails(self, turns: WriteTurns) -> None:
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            raise ZeroDivisionError
        with transaction.atomic():
            connection.close()

        assert turns.take(seconds=0)
        turns.give_back()

    def test_many_writers_are_all_served(self) -> None:
        def write() -> None:
            with transaction.atomic():
                MerchantFactory()

        assert at_once([write] * 16) == [None] * 16
        assert Merchant.objects.count() == 16
