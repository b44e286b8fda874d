"""The schedule proves the ledger, and its monitoring shows the result."""

from datetime import timedelta
from functools import partial

import pytest
from django.test import Client
from structlog.testing import capture_logs

from ledger import proving
from ledger.models import Account, Proof, Purpose
from ledger.proving import prove_if_due
from ledger.tasks import prove_ledger
from tests.ledger.funding import NOW, opened
from tests.races import at_once

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def tampered() -> Account:
    """A balance that no transfer explains."""
    account = opened(Purpose.WALLET, holding=100)
    Account.objects.filter(pk=account.pk).update(balance=101)
    return account


def watched(client: Client) -> dict[str, float]:
    lines = client.get("/metrics").content.decode().splitlines()
    pairs = (line.split(" ") for line in lines if line.startswith("ledger_"))
    return {name: float(value) for name, value in pairs}


def test_it_proves_every_five_minutes() -> None:
    opened(Purpose.WALLET, holding=100)

    assert prove_if_due(now=NOW) is True
    assert prove_if_due(now=NOW + 4 * MINUTE) is None
    assert prove_if_due(now=NOW + 6 * MINUTE) is True

    proof = Proof.objects.get()
    assert (proof.started_at, proof.problem) == (NOW + 6 * MINUTE, "")
    assert proof.ended_at is not None
    assert NOW + 6 * MINUTE <= proof.ended_at < NOW + 7 * MINUTE


def test_a_long_proof_rests_nine_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    instants = iter([0.0, 120.0])
    monkeypatch.setattr("ledger.proving.time.monotonic", lambda: next(instants))

    prove_if_due(now=NOW)

    assert Proof.objects.get().due_at == NOW + 20 * MINUTE


def test_a_wrong_row_is_an_error_in_the_log_and_a_metric(client: Client, tampered: Account) -> None:
    with capture_logs() as logged:
        assert prove_if_due(now=NOW) is False

    wrong = f"Account {tampered.pk} (wallet_1 wallet BSD test) has balance 101;"
    errors = [line for line in logged if line["log_level"] == "error"]
    assert [line["event"] for line in errors] == ["ledger_wrong"]
    assert errors[0]["problem"].startswith(wrong)
    assert Proof.objects.get().problem.startswith(wrong)
    assert watched(client)["ledger_wrong"] == 1


def test_a_row_put_right_ends_the_alarm(client: Client, tampered: Account) -> None:
    prove_if_due(now=NOW)
    Account.objects.filter(pk=tampered.pk).update(balance=100)

    assert prove_if_due(now=NOW + 6 * MINUTE) is True

    assert Proof.objects.get().problem == ""
    seen = watched(client)
    assert seen["ledger_wrong"] == 0
    assert seen["ledger_proven_timestamp_seconds"] == pytest.approx(
        (NOW + 6 * MINUTE).timestamp(), abs=60
    )


def test_before_the_first_proof_nothing_is_claimed(client: Client) -> None:
    assert watched(client) == {"ledger_wrong": 0, "ledger_proven_timestamp_seconds": 0}


def test_one_that_breaks_off_is_due_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_off(**_: object) -> None:
        raise ConnectionError

    monkeypatch.setattr(proving, "verify", break_off)
    with pytest.raises(ConnectionError):
        prove_if_due(now=NOW)

    proof = Proof.objects.get()
    assert (proof.ended_at, proof.due_at) == (None, NOW + 5 * MINUTE)


def test_one_whose_worker_died_is_due_after_an_hour() -> None:
    Proof.objects.create(due_at=NOW + proving.LEASE, started_at=NOW)

    assert prove_if_due(now=NOW + 59 * MINUTE) is None
    assert prove_if_due(now=NOW + 60 * MINUTE) is True


def test_one_that_another_hand_put_off_is_made_at_once() -> None:
    prove_if_due(now=NOW)
    Proof.objects.update(due_at=NOW.replace(year=2099))

    assert prove_if_due(now=NOW + MINUTE) is True
    assert Proof.objects.get().due_at < NOW + 7 * MINUTE


def test_one_that_took_as_long_as_it_may_is_not_taken_for_put_off() -> None:
    rest = proving.LEASE * (1 + proving.REST_FACTOR)
    Proof.objects.create(due_at=NOW + rest)

    assert prove_if_due(now=NOW) is None


@pytest.mark.django_db(transaction=True)
def test_of_two_workers_one_proves() -> None:
    proofs = at_once([partial(prove_if_due, now=NOW)] * 3)

    assert sorted(map(str, proofs)) == ["None", "None", "True"]


def test_the_task_may_run_twice() -> None:
    for _ in range(2):
        prove_ledger()

    assert Proof.objects.count() == 1
