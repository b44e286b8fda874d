"""kill -9 in the midst of reading the bank, or of a run: what is repeated is done once in all"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from backoffice.audit_verification import verify_audit
from backoffice.models import AuditEntry, Instruction
from backoffice.roles import LIMITS, ApprovalLimit, InstructionKind, Role
from backoffice.services import instruction_kinds
from backoffice.services.bank_uploads import content_hash, seal_file
from backoffice.services.decisions import approve
from backoffice.services.instructions import InstructionRequest, instruct
from core.clock import utc_now
from ledger.models import Transfer
from payouts.models import BankEntry, BankFile, Payout, PayoutBatch, PayoutOrder
from tests.backoffice.conftest import staff_as
from tests.events import event_types
from tests.funding.money_in import LIVE, customer_with, held, ordered, transfer
from tests.ledger.funding import problems
from tests.payouts.bank_files import entry, order_of, read, returned, statement
from tests.payouts.batching import FAR, live_payout
from tests.payouts.killed_process import dies_before

pytestmark = [
    pytest.mark.faults,
    pytest.mark.django_db(transaction=True),
    pytest.mark.real_clock("another process works with the database"),
]


def kill_before(statement: str, number: int, work: Callable[[], object]) -> None:
    """Do the work in another process, killed before that statement would run so many times."""
    assert dies_before(statement, number, work), "it has done all of its work"


def submit_instruction(task: str, **values: Any) -> Instruction:
    request = InstructionRequest(
        task=task,
        livemode=True,
        currency="BSD",
        reason="Of the day",
        note="",
        form_key=task,
        **values,
    )
    staff_as(Role.FINANCE, "bob")
    made = instruct(staff=staff_as(Role.FINANCE, "ann"), request=request, now=utc_now())
    assert made.status == "waiting"
    return made


def approve_as_bob(instruction: Instruction) -> None:
    bob = staff_as(Role.FINANCE, "bob")
    approve(staff=bob, instruction_id=instruction.pk, note="", now=utc_now())


def all_is_proven() -> bool:
    return (problems(), list(verify_audit())) == ([], [])


@pytest.fixture
def content(own_sent_pair: list[Payout]) -> str:
    """A statement: both were booked, one of them came back, a wallet is filled, and a fee."""
    customer = customer_with(0, LIVE, livemode=True)
    booked = [
        entry(payout.amount, order_of(payout), reference=f"TRN {payout.amount}")
        for payout in own_sent_pair
    ]
    return statement(
        *booked,
        returned(own_sent_pair[1]),
        transfer(2_000, ordered(customer).reference),
        entry(9, reference="FEE"),
    )


def assert_read_once() -> None:
    """Assert that the database holds exactly what reading the statement once makes."""
    assert BankFile.objects.count() == 1
    states = Counter(BankEntry.objects.values_list("kind", "state"))
    assert states == {
        ("debit", "matched"): 2,
        ("return", "matched"): 1,
        ("credit", "matched"): 1,
        ("debit", "unmatched"): 1,
    }
    assert Counter(Payout.objects.values_list("status", flat=True)) == {"paid": 1, "returned": 1}
    moved = Counter(Transfer.objects.exclude(kind="adjustment").values_list("kind", "amount"))
    assert moved == {
        ("payout", 1250): 1,
        ("payout", 800): 1,
        ("payout_paid", 1250): 1,
        ("payout_paid", 800): 1,
        ("payout_reversed", 800): 1,
        ("top_up", 2_000): 1,
    }
    told = Counter(event_types("payout."))
    assert (told["payout.paid"], told["payout.failed"]) == (2, 1)
    assert held(customer_with(0, LIVE, livemode=True)) == 2_000
    assert all_is_proven()


@pytest.mark.parametrize(
    ("before", "number"),
    [
        ("INTO payouts_bankentry", 1),
        ("INSERT INTO ledger_transfer", 1),
        ("INSERT INTO ledger_transfer", 3),
        ("INSERT INTO webhooks_event", 2),
    ],
)
def test_a_file_of_the_bank(content: str, tmp_path, before: str, number: int) -> None:
    path = tmp_path / "answer.xml"
    path.write_text(content)
    kill_before(before, number, lambda: call_command("import_bank_file", path))

    for _ in range(2):
        read(content)
        assert_read_once()


@pytest.fixture
def uploaded(content: str) -> Instruction:
    return submit_instruction(
        instruction_kinds.BANK_FILE,
        subject_id=content_hash(content.encode()),
        amount=0,
        sealed_file=seal_file(content.encode()),
    )


def test_a_file_is_approved_again_where_none_of_it_was_stored(uploaded: Instruction) -> None:
    kill_before("INTO payouts_bankentry", 1, lambda: approve_as_bob(uploaded))
    uploaded.refresh_from_db()
    assert (uploaded.status, BankFile.objects.count()) == ("waiting", 0)

    approve_as_bob(uploaded)
    assert_read_once()


def test_the_next_file_goes_on_with_what_an_approval_left(
    uploaded: Instruction, content: str
) -> None:
    """Once a file is approved, its entries are matched one by one, each for itself."""
    kill_before("INSERT INTO ledger_transfer", 2, lambda: approve_as_bob(uploaded))
    uploaded.refresh_from_db()
    assert uploaded.status == "carried_out"
    assert BankEntry.objects.unmatched().filter(problem="Not looked at yet.").exists()

    read(content)
    assert_read_once()


@pytest.mark.parametrize(
    ("before", "number"),
    [
        ("INSERT INTO payouts_payoutbatch", 1),
        ("UPDATE payouts_payout", 2),
        ("INSERT INTO backoffice_auditentry", 1),
    ],
)
def test_the_approval_of_a_run(api, monkeypatch, before: str, number: int) -> None:
    monkeypatch.setitem(LIMITS[Role.FINANCE], InstructionKind.PAYOUT, ApprovalLimit(1, 1))
    payouts = [live_payout(api, amount=amount) for amount in (1_250, 800, 700)]
    asked = submit_instruction(
        instruction_kinds.RUN_PAYOUTS,
        subject_id="run",
        amount=2_750,
        arguments={"execution_date": FAR.isoformat(), "payouts": [each.pk for each in payouts]},
    )
    kill_before(before, number, lambda: approve_as_bob(asked))

    assert (PayoutBatch.objects.count(), PayoutOrder.objects.count()) == (0, 0)
    assert set(Payout.objects.values_list("status", flat=True)) == {"scheduled"}
    assert Instruction.objects.get().status == "waiting"
    approve_as_bob(asked)

    batch = PayoutBatch.objects.get()
    assert (batch.count, batch.total_amount, batch.orders.count()) == (3, 2_750, 3)
    assert set(Payout.objects.values_list("status", "batch")) == {("in_transit", batch.pk)}
    assert [each.act for each in AuditEntry.objects.order_by("sequence")] == [
        "payout run",
        "approve",
    ]
    assert all_is_proven()
