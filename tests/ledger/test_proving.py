"""The schedule proves the ledger, and its monitoring shows the result."""

from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from structlog.testing import capture_logs

from ledger import proving, whole_proof
from ledger.checkpoints import sign_head
from ledger.log_tree import log_size
from ledger.models import Account, Proof, Purpose
from ledger.proving import prove_if_due
from ledger.sealing import log_rows, seal_transfers
from ledger.tasks import prove_ledger
from ledger.whole_proof import prove_slice_if_due
from merchants.models import Merchant
from tests.factories import MerchantFactory
from tests.ledger.funding import NOW, fund, opened
from tests.ledger.thief import all_rights
from tests.races import at_once

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture(autouse=True)
def _in_one_slice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is proven at once, however busy the machine is."""
    monkeypatch.setattr(whole_proof, "SLICE_SECONDS", 3_600)


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
    assert (proof.leaves, proof.sequence) == (0, 0)  # nothing is sealed or signed yet
    assert proof.ended_at is not None
    assert NOW + 6 * MINUTE <= proof.ended_at < NOW + 7 * MINUTE


def lasting(monkeypatch: pytest.MonkeyPatch, *seconds: int) -> None:
    """Let the next proofs take so long."""
    instants = [instant for took in seconds for instant in (0.0, float(took))]
    monkeypatch.setattr("ledger.proving.time.monotonic", iter(instants).__next__)


def test_a_long_proof_rests_nine_times_as_long(monkeypatch: pytest.MonkeyPatch) -> None:
    lasting(monkeypatch, 120, 60)

    prove_if_due(now=NOW)
    assert Proof.objects.get().due_at == NOW + 20 * MINUTE

    prove_if_due(now=NOW + 20 * MINUTE)
    assert Proof.objects.get().due_at == NOW + 30 * MINUTE


def logged_merchant() -> Merchant:
    merchant = MerchantFactory.create()
    log_and_sign()
    return merchant


def log_and_sign() -> None:
    seal_transfers(now=NOW)
    log_rows(now=NOW)
    sign_head(now=NOW)


def change_past_the_service(merchant: Merchant) -> str:
    Merchant.objects.filter(pk=merchant.pk).update(fee_basis_points=7)
    return f"Merchant {merchant.pk} was not written by the service, or was changed."


def test_it_reads_what_came_after_the_last_signed_head() -> None:
    old = logged_merchant()
    assert prove_if_due(now=NOW) is True
    size = Proof.objects.get().leaves
    assert size == log_size() > 0

    change_past_the_service(old)
    logged_merchant()
    assert prove_if_due(now=NOW + 6 * MINUTE) is True
    proof = Proof.objects.get()
    assert (proof.since, proof.leaves) == (size, size + 1)

    of_later = change_past_the_service(MerchantFactory.create())
    assert prove_if_due(now=NOW + 12 * MINUTE) is False
    proof = Proof.objects.get()
    assert (proof.problem, proof.since, proof.leaves) == (of_later, size + 1, size + 1)


def test_its_cost_is_that_of_what_is_new() -> None:
    for _ in range(20):
        fund(opened(Purpose.MERCHANT), 10)
    log_and_sign()
    prove_if_due(now=NOW)
    fund(opened(Purpose.MERCHANT), 10)
    log_and_sign()

    with CaptureQueriesContext(connection) as captured:
        assert prove_if_due(now=NOW + 6 * MINUTE) is True

    before = Proof.objects.get().since
    read = [query["sql"] for query in captured if '"ledger_logleaf"."subject"' in query["sql"]]
    assert any(f'"index" >= {before} ' in sql for sql in read)
    assert not any('"index" >= 0 ' in sql for sql in read)


def test_of_many_wrong_rows_ten_are_named() -> None:
    logged_merchant()
    prove_if_due(now=NOW)
    wrong = [change_past_the_service(MerchantFactory.create()) for _ in range(11)]

    with capture_logs() as logged:
        assert prove_if_due(now=NOW + 6 * MINUTE) is False

    named = [line["problem"] for line in logged if line["event"] == "ledger_wrong"]
    assert len(named) == 10
    assert set(named) < set(wrong)
    assert Proof.objects.get().problem == named[0]


def test_the_first_one_begins_at_the_newest_signed_head() -> None:
    change_past_the_service(logged_merchant())

    assert prove_if_due(now=NOW) is True
    assert prove_slice_if_due(now=NOW) is False


def test_a_record_that_another_hand_has_changed_spares_nothing() -> None:
    logged_merchant()
    prove_if_due(now=NOW)
    Proof.objects.update(leaves=log_size() + 3, sequence=99)

    with capture_logs() as logged:
        assert prove_if_due(now=NOW + 7 * MINUTE) is True

    assert "proof_record_changed" in [line["event"] for line in logged]
    assert Proof.objects.get().since == log_size()


def test_a_log_that_was_cut_off_since_is_named() -> None:
    logged_merchant()
    prove_if_due(now=NOW)
    size = log_size()
    with all_rights(), connection.cursor() as cursor:
        cursor.execute(f'DELETE FROM ledger_logleaf WHERE "index" = {size - 1}')

    assert prove_if_due(now=NOW + 7 * MINUTE) is False

    said = f"The log has {size - 1} leaves, of {size} that were proven before."
    assert Proof.objects.get().problem == said


def test_a_wrong_row_is_an_error_in_the_log_and_a_metric(client: Client, tampered: Account) -> None:
    with capture_logs() as logged:
        assert prove_slice_if_due(now=NOW) is False

    wrong = f"Account {tampered.pk} (wallet_1 wallet BSD test) has balance 101;"
    errors = [line for line in logged if line["log_level"] == "error"]
    assert [line["event"] for line in errors] == ["ledger_wrong"]
    assert errors[0]["problem"].startswith(wrong)
    assert Proof.objects.get().problem.startswith(wrong)
    assert watched(client)["ledger_wrong"] == 1


def test_a_row_put_right_ends_the_alarm(client: Client, tampered: Account) -> None:
    prove_slice_if_due(now=NOW)
    Account.objects.filter(pk=tampered.pk).update(balance=100)

    assert prove_if_due(now=NOW + 60 * MINUTE) is True
    assert watched(client)["ledger_wrong"] == 1
    assert prove_slice_if_due(now=NOW + 60 * MINUTE) is True

    assert Proof.objects.get().problem == ""
    seen = watched(client)
    assert seen["ledger_wrong"] == 0
    for name in ("ledger_proven_timestamp_seconds", "ledger_whole_proof_timestamp_seconds"):
        assert seen[name] == pytest.approx((NOW + 60 * MINUTE).timestamp(), abs=60)


def test_before_the_first_proof_nothing_is_claimed(client: Client) -> None:
    assert watched(client) == {
        "ledger_wrong": 0,
        "ledger_proven_timestamp_seconds": 0,
        "ledger_whole_proof_timestamp_seconds": 0,
    }


def break_off(*_: object, **__: object) -> None:
    raise ConnectionError


def test_one_that_breaks_off_is_due_again_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "recent_parts", break_off)
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
