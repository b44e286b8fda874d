"""`manage.py verify_ledger`: what it says of a right ledger, and how it says what is wrong."""

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from core.hash_chain import FIRST_HASH
from ledger import chain_checks, integrity
from ledger.management.commands import verify_ledger
from ledger.models import Purpose, Seal, Transfer, TransferKind
from ledger.proof_marks import ProvenUpTo
from ledger.sealing import seal_transfers
from ledger.snapshot import snapshot
from tests.ledger.command import verify
from tests.ledger.funding import NOW, fund, move, opened

pytestmark = pytest.mark.django_db(transaction=True)


def disagree() -> Iterator[str]:
    yield "Payment pay_1 is completed without a transfer."
    yield "Payment pay_2 is completed without a transfer."


def agree() -> list[str]:
    return []


@pytest.fixture
def _some_money() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=500), opened(Purpose.MERCHANT)
    move(wallet, merchant, 300)
    seal_transfers(now=NOW)
    move(merchant, wallet, 120, TransferKind.REFUND)


@pytest.mark.usefixtures("_some_money")
@pytest.mark.parametrize(
    ("as_of", "is_told"), [(None, False), (datetime(2026, 1, 31, 9, tzinfo=UTC), True)]
)
def test_it_tells_how_old_a_standby_is(
    monkeypatch: pytest.MonkeyPatch, as_of: datetime | None, is_told: bool
) -> None:
    assert verify_ledger.standby_as_of() is None, "this is none"
    monkeypatch.setattr(verify_ledger, "standby_as_of", lambda: as_of)

    said = verify()[1]

    assert ("This is a standby, as of 2026-01-31 09:00:00 UTC." in said) is is_told
    assert json.loads(verify("--json")[1])["ok"]


@pytest.mark.usefixtures("_some_money")
def test_it_finds_a_right_ledger_right() -> None:
    head = Seal.objects.latest("sequence")

    assert verify() == (
        0,
        "The ledger is right: 3 transfers between 3 accounts, 1 of them waiting for their seal.\n"
        f"Last seal: 2:{head.hash}",
    )


@pytest.mark.usefixtures("_some_money")
def test_it_answers_in_json() -> None:
    code, printed = verify("--json")

    assert code == 0
    assert json.loads(printed) == {
        "ok": True,
        "accounts": 3,
        "transfers": 3,
        "waiting": 1,
        "sequence": 2,
        "hash": Seal.objects.latest("sequence").hash,
        "problems": [],
    }


def test_an_empty_ledger_is_right() -> None:
    assert verify() == (
        0,
        "The ledger is right: 0 transfers between 0 accounts, 0 of them waiting for their seal.\n"
        f"Last seal: 0:{FIRST_HASH}",
    )


def test_it_runs_the_checks_of_the_settings(settings: Settings) -> None:
    settings.LEDGER_CHECKS = [f"{__name__}.agree", f"{__name__}.disagree"]

    assert verify() == (1, "Payment pay_1 is completed without a transfer.")


def test_it_names_every_wrong_row_on_request(settings: Settings) -> None:
    settings.LEDGER_CHECKS = [f"{__name__}.disagree"]

    code, printed = verify("--all", "--json")

    assert code == 1
    assert json.loads(printed)["ok"] is False
    assert json.loads(printed)["problems"] == list(disagree())


def test_it_leaves_no_transaction_open_at_the_first_wrong_row(settings: Settings) -> None:
    """The pool would log that a connection came back inside one."""
    settings.LEDGER_CHECKS = [f"{__name__}.disagree"]

    with pytest.raises(SystemExit) as end:
        call_command("verify_ledger", stdout=StringIO())

    assert end.traceback, "its frames are still there"
    assert not connection.in_atomic_block


@pytest.mark.usefixtures("_some_money")
def test_it_holds_the_chain_against_a_seal_noted_outside() -> None:
    noted = Seal.objects.get(sequence=1)

    assert verify("--anchor", f"1:{noted.hash.upper()}")[0] == 0
    assert verify("--anchor", f"2:{noted.hash}") == (1, "Seal 2 is not the one that was noted.")
    assert verify("--anchor", f"9:{noted.hash}") == (1, "Seal 9 is not the one that was noted.")


@pytest.mark.parametrize("anchor", ["1", "1:abc", ":" + "0" * 64, "x:" + "0" * 64, "²:" + "0" * 64])
def test_it_refuses_an_anchor_that_is_none(anchor: str) -> None:
    with pytest.raises(CommandError, match="must be a sequence, a colon and 64 hexadecimal digits"):
        call_command("verify_ledger", "--anchor", anchor)


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "shows"), [(Terminal, True), (StringIO, False)])
def test_it_shows_its_progress_on_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, stream: type[StringIO], shows: bool
) -> None:
    monkeypatch.setattr(chain_checks, "CHUNK", 2)
    merchant = opened(Purpose.MERCHANT)
    for _ in range(5):
        fund(merchant, 10)
    seal_transfers(now=NOW)
    errors = stream()

    call_command("verify_ledger", stdout=StringIO(), stderr=errors)

    assert (f"[{'#' * 26}{'.' * 14}] 4 of 6 seals" in errors.getvalue()) is shows
    assert errors.getvalue().endswith("\r\033[K") is shows


def test_it_reads_the_chain_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """A statement each: never the whole table in memory, nor one snapshot held for all of it."""
    monkeypatch.setattr(chain_checks, "CHUNK", 2)
    merchant = opened(Purpose.MERCHANT)
    for _ in range(9):
        fund(merchant, 10)
    seal_transfers(now=NOW)

    with snapshot():
        found = list(chain_checks.check_chain())

    assert found == [
        ProvenUpTo("1"),
        ProvenUpTo("3"),
        ProvenUpTo("5"),
        ProvenUpTo("7"),
        ProvenUpTo("9"),
    ]


def test_a_seal_that_an_earlier_proof_ended_at_may_not_be_gone() -> None:
    fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)

    assert [*chain_checks.check_chain("1")] == []
    assert [*chain_checks.check_chain("2")] == ["Seal 2 is missing."]


def test_what_is_posted_meanwhile_does_not_confuse_it() -> None:
    wallet, merchant = opened(Purpose.WALLET, holding=500), opened(Purpose.MERCHANT)
    move(wallet, merchant, 100)

    def spend_and_seal() -> None:
        move(wallet, merchant, 100)
        seal_transfers(now=NOW)
        move(wallet, merchant, 100)
        connections.close_all()

    with snapshot():
        before = integrity.figures()
        thread = threading.Thread(target=spend_and_seal)
        thread.start()
        thread.join(10)
        assert not thread.is_alive()
        assert list(integrity.verify(progress=lambda done, total: None)) == []
        assert integrity.figures() == before

    assert Transfer.objects.count() == before.transfers + 2
    assert verify()[0] == 0


@pytest.mark.postgres
def test_it_may_take_longer_than_a_request() -> None:
    with CaptureQueriesContext(connection) as statements:
        verify()

    first = [statement["sql"] for statement in statements][:4]
    assert first[1:] == [
        "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY",
        "SET LOCAL statement_timeout = 0",
        "SET LOCAL idle_in_transaction_session_timeout = 0",
    ]
