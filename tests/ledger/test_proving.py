"""The schedule proves the ledger, and its monitoring shows the result."""

from datetime import timedelta
from functools import partial

import pytest
from django.test import Client
from structlog.testing import capture_logs

from ledger import proving
from ledger.log_tree import log_size
from ledger.models import Account, Proof, Purpose
from ledger.proving import prove_if_due
from ledger.sealing import log_rows, seal_transfers
from ledger.tasks import prove_ledger
from merchants.models import Merchant
from tests.factories import MerchantFactory
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


def lasting(monkeypatch: pytest.MonkeyPatch, *seconds: int) -> None:
    """Let the next proofs take so long."""
    instants = [instant for took in seconds for instant in (0.0, float(took))]
    monkeypatch.setattr("ledger.proving.time.monotonic", iter(instants).__next__)


def test_a_long_proof_rests_nine_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    lasting(monkeypatch, 120, 60)

    prove_if_due(now=NOW)
    assert Proof.objects.get().due_at == NOW + 7 * MINUTE

    prove_if_due(now=NOW + 7 * MINUTE)
    assert Proof.objects.get().due_at == NOW + 17 * MINUTE


def logged_merchant() -> Merchant:
    merchant = MerchantFactory.create()
    seal_transfers(now=NOW)
    log_rows(now=NOW)
    return merchant


def change_past_the_service(merchant: Merchant) -> str:
    Merchant.objects.filter(pk=merchant.pk).update(fee_basis_points=7)
    return f"Merchant {merchant.pk} was not written by the service, or was changed."


def test_what_is_new_is_read_by_each_proof_and_all_as_often_as_time_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lasting(monkeypatch, 120, 1, 1, 1)
    old = logged_merchant()
    assert prove_if_due(now=NOW) is True
    size = Proof.objects.get().leaves
    assert size == log_size() > 0

    of_old = change_past_the_service(old)
    new = logged_merchant()
    assert prove_if_due(now=NOW + 7 * MINUTE) is True
    assert Proof.objects.get().leaves == log_size() == size + 1

    later = MerchantFactory.create()
    of_later = change_past_the_service(later)
    assert prove_if_due(now=NOW + 12 * MINUTE) is False
    proof = Proof.objects.get()
    assert (proof.problem, proof.leaves) == (of_later, size + 1)

    Merchant.objects.filter(pk=later.pk).update(fee_basis_points=later.fee_basis_points)
    assert prove_if_due(now=NOW + 20 * MINUTE) is False
    assert Proof.objects.get().problem == of_old
    assert new.pk not in of_old


def test_what_is_new_does_not_put_right_what_was_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    lasting(monkeypatch, 120, 1)
    wrong = change_past_the_service(logged_merchant())
    assert prove_if_due(now=NOW) is False
    Proof.objects.update(leaves=log_size())

    assert prove_if_due(now=NOW + 7 * MINUTE) is True

    assert Proof.objects.get().problem == wrong


def test_a_log_that_was_cut_off_since_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    lasting(monkeypatch, 120, 1)
    logged_merchant()
    prove_if_due(now=NOW)
    size = log_size()
    Proof.objects.update(leaves=size + 3)

    assert prove_if_due(now=NOW + 7 * MINUTE) is False

    said = f"The log has {size} leaves, of {size + 3} that were proven before."
    assert Proof.objects.get().problem == said


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


def break_off(**_: object) -> None:
    raise ConnectionError


def test_one_that_breaks_off_is_due_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "verify", break_off)
    with pytest.raises(ConnectionError):
        prove_if_due(now=NOW)

    proof = Proof.objects.get()
    assert (proof.ended_at, proof.due_at) == (None, NOW + 5 * MINUTE)


def test_after_a_whole_one_that_breaks_off_others_are_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = logged_merchant()
    prove_if_due(now=NOW)
    change_past_the_service(old)
    with monkeypatch.context() as broken:
        broken.setattr(proving, "verify", break_off)
        with pytest.raises(ConnectionError):
            prove_if_due(now=NOW + 6 * MINUTE)

    assert prove_if_due(now=NOW + 11 * MINUTE) is True
    assert prove_if_due(now=NOW + 66 * MINUTE) is False


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
