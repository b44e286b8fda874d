"""Everything is proven in slices: each goes on where the last one stopped."""

from datetime import datetime, timedelta

import pytest
from structlog.testing import capture_logs

from ledger import whole_proof
from ledger.models import Account, Proof, Purpose
from ledger.proof_marks import ProvenUpTo
from ledger.proof_parts import whole_parts
from ledger.proving import REST_FACTOR
from ledger.sealing import log_rows, seal_transfers
from ledger.signed_row_checks import check_all_rows, signed_fields
from ledger.whole_proof import prove_slice_if_due
from merchants.models import Merchant
from tests.factories import MerchantFactory
from tests.ledger.funding import NOW, fund, opened

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    """A ledger of some chunks, and slices that end at the first mark."""
    for module in ("chain_checks", "log_checks", "signed_row_checks"):
        monkeypatch.setattr(f"ledger.{module}.CHUNK", 2)
    monkeypatch.setattr(whole_proof, "SLICE_SECONDS", 0)
    for _ in range(5):
        MerchantFactory.create()
    for _ in range(5):
        fund(opened(Purpose.MERCHANT), 10)
    seal_transfers(now=NOW)
    log_rows(now=NOW)


def slices(first: datetime = NOW) -> list[tuple[str, str]]:
    """Prove everything; return what each slice left to the next."""
    left = []
    for minute in range(200):
        assert prove_slice_if_due(now=first + minute * 10 * MINUTE) is not None
        proof = Proof.objects.get()
        left.append((proof.part, proof.position))
        if not proof.part:
            return left
    raise AssertionError("It does not end.")


def test_each_chunk_of_signed_rows_is_read(ledger: None) -> None:
    keys = list(Merchant.objects.order_by("pk").values_list("pk", flat=True))
    [field] = (each for each in signed_fields() if each.model is Merchant)

    found = list(check_all_rows(field))

    assert found == [ProvenUpTo(keys[place]) for place in (1, 3, 4)]


def test_it_goes_on_where_it_stopped_until_all_is_read(ledger: None) -> None:
    left = slices()

    assert left[:4] == [("chain", ""), ("chain", "1"), ("chain", "3"), ("chain", "5")]
    assert list(dict.fromkeys(part for part, _ in left)) == [
        *[part.name for part in whole_parts()][1:],
        "",
    ]
    assert ("leaves", "2") in left
    assert ("leaves", "11") in left
    proof = Proof.objects.get()
    assert (proof.problem, proof.whole_started_at) == ("", None)
    assert proof.whole_ended_at is not None


def test_what_is_wrong_is_named_by_the_slice_that_reads_it(ledger: None) -> None:
    merchant = Merchant.objects.order_by("pk")[3]
    Merchant.objects.filter(pk=merchant.pk).update(fee_basis_points=7)

    with capture_logs() as logged:
        slices()

    wrong = f"Merchant {merchant.pk} was not written by the service, or was changed."
    assert Proof.objects.get().problem == wrong
    assert [line["problem"] for line in logged if line["event"] == "ledger_wrong"] == [wrong]

    Merchant.objects.filter(pk=merchant.pk).update(fee_basis_points=merchant.fee_basis_points)
    slices(NOW + timedelta(days=2))
    assert Proof.objects.get().problem == ""


def test_a_place_that_another_hand_has_moved_counts_for_nothing(ledger: None) -> None:
    prove_slice_if_due(now=NOW)
    Proof.objects.update(part="witnesses")

    prove_slice_if_due(now=NOW + 10 * MINUTE)

    assert Proof.objects.get().part == "chain"


def test_a_slice_that_breaks_off_is_done_again(
    ledger: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def break_off() -> None:
        raise ConnectionError

    prove_slice_if_due(now=NOW)
    with monkeypatch.context() as broken:
        broken.setattr(whole_proof, "whole_parts", break_off)
        with pytest.raises(ConnectionError):
            prove_slice_if_due(now=NOW + 10 * MINUTE)

    assert prove_slice_if_due(now=NOW + 14 * MINUTE) is None
    assert prove_slice_if_due(now=NOW + 15 * MINUTE) is True
    assert Proof.objects.get().position == "1"


def test_it_takes_a_tenth_of_the_time(ledger: None, monkeypatch: pytest.MonkeyPatch) -> None:
    instants = iter(seconds * whole_proof.SECOND for seconds in (0, 1, 30))
    monkeypatch.setattr("ledger.whole_proof.time.monotonic_ns", instants.__next__)

    prove_slice_if_due(now=NOW)

    assert Proof.objects.get().whole_due_at == NOW + timedelta(seconds=30) * (1 + REST_FACTOR)


def test_all_is_read_at_once_where_it_is_little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_proof, "SLICE_SECONDS", 3_600)
    account = opened(Purpose.WALLET, holding=100)

    assert prove_slice_if_due(now=NOW) is True
    assert prove_slice_if_due(now=NOW + MINUTE) is None
    Account.objects.filter(pk=account.pk).update(balance=101)
    assert prove_slice_if_due(now=NOW + 60 * MINUTE) is False


def test_it_has_ended_when_it_has_read_all_and_rests_from_then(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whole_proof, "SLICE_SECONDS", 3_600)
    monkeypatch.setattr(whole_proof, "_since", lambda _: timedelta(seconds=20))
    opened(Purpose.WALLET, holding=100)

    assert prove_slice_if_due(now=NOW) is True

    proof = Proof.objects.get()
    assert (proof.whole_ended_at, proof.whole_started_at) == (NOW + timedelta(seconds=20), None)
    assert proof.whole_due_at == NOW + timedelta(seconds=20, minutes=5)


def test_a_slice_that_has_found_ten_wrong_rows_leaves_the_rest_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whole_proof, "SLICE_SECONDS", 3_600)
    for number in range(11):
        opened(Purpose.WALLET, f"cus_{number}", holding=100)
    Account.objects.filter(purpose=Purpose.WALLET).update(balance=101)

    with capture_logs() as logged:
        assert prove_slice_if_due(now=NOW) is False

    named = [line["problem"] for line in logged if line["event"] == "ledger_wrong"]
    first = Proof.objects.get()
    assert (len(named), first.problem, first.whole_problem) == (10, named[0], named[0])
    assert first.part not in ("", "balances")
    merchant = MerchantFactory.create()
    Merchant.objects.filter(pk=merchant.pk).update(fee_basis_points=7)

    assert prove_slice_if_due(now=NOW + timedelta(days=1)) is False

    proof = Proof.objects.get()
    assert (proof.part, proof.problem, proof.whole_problem) == ("", named[0], "")


def test_a_slice_without_wrong_rows_keeps_what_an_earlier_one_has_found(ledger: None) -> None:
    Account.objects.filter(purpose=Purpose.FUNDING).update(balance=7)
    found = []
    for minute in range(200):
        prove_slice_if_due(now=NOW + minute * 10 * MINUTE)
        proof = Proof.objects.get()
        found.append(proof.problem)
        if not proof.part:
            break

    said = next(filter(None, found))
    assert "has balance 7; its transfers make -50." in said
    assert set(found[found.index(said) :]) == {said}
