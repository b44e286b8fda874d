"""A payout of thousands of movements: what was gathered before it, and a page of them."""

import re
from datetime import UTC, datetime

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from backoffice.roles import Role
from backoffice.services.decisions import approve
from backoffice.services.instruction_kinds import PAY_OUT
from backoffice.services.instructions import InstructionRequest, instruct
from core.clock import utc_now
from core.ids import new_id
from ledger.models import HOUSE, Purpose, TransferKind
from ledger.services import Movement, accounts_for, post_transfers
from merchants.models import Merchant
from payouts import gathering, services, statements
from payouts.models import BankAccount, Payout
from payouts.scheduling import schedule_due
from payouts.statements import gather, movements_of
from tests.backoffice.conftest import staff_as
from tests.client import Api
from tests.payouts.merchant_balance import credit

MOVEMENTS = 3_000


@pytest.fixture
def long_payout(api: Api, merchant: Merchant) -> Payout:
    """A payout of thousands of movements."""
    at = utc_now()
    funding, balance = accounts_for(
        (HOUSE, Purpose.FUNDING), (merchant.id, Purpose.MERCHANT), currency="BSD", livemode=False
    )
    movements = [
        Movement(
            kind=TransferKind.ADJUSTMENT,
            reference=new_id("adj", at),
            debit=funding,
            credit=balance,
            amount=1250,
        )
        for _ in range(MOVEMENTS)
    ]
    with transaction.atomic():
        post_transfers(transaction_id=new_id("txn", at), movements=movements, now=at)
    assert api(merchant).post("/v1/payouts", {}).status_code == 201
    return Payout.objects.get()


@pytest.mark.postgres
@pytest.mark.parametrize("offset", [0, 100])
def test_no_line_but_those_of_the_page_is_read(long_payout: Payout, offset: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    with CaptureQueriesContext(connection) as sent:
        found = movements_of(long_payout, offset=offset, limit=20)
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, COSTS off, TIMING off) {sent[0]['sql']}")
        plan = [line for (line,) in cursor.fetchall()]

    scans = [line for line in plan if "Scan" in line and "statementline" in line]
    assert len(found) == 20
    assert scans, plan
    assert max(map(rows_of, scans)) <= offset + 21, plan


def rows_of(line: str) -> int:
    """Return how many rows a line of a plan has read, in all its loops."""
    ((rows, loops),) = re.findall(r"rows=(\d+) loops=(\d+)", line)
    return int(rows) * int(loops)


def test_a_page_says_how_many_there_are(api: Api, merchant: Merchant, long_payout: Payout) -> None:
    path = f"/v1/payouts/{long_payout.id}/movements"

    page = api(merchant).get(path, {"offset": "2990", "limit": "5"}).json()
    last = api(merchant).get(path, {"offset": "2995", "limit": "5"}).json()

    assert (page["total"], page["has_more"]) == (MOVEMENTS, True)
    assert (last["total"], last["has_more"], len(last["movements"])) == (MOVEMENTS, False, 5)


@pytest.fixture
def under_lock(merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many movements each payout gathers once it has its locks, of ten in batches of three."""
    gathered = list[int]()
    for module in (statements, gathering):
        monkeypatch.setattr(module, "BATCH", 3)
    monkeypatch.setattr(services, "gather", lambda it: gathered.append(gather(it)))
    for _ in range(10):
        credit(merchant, 100_000, livemode=True)
        credit(merchant, 100_000)
    return gathered


@pytest.mark.parametrize("by_schedule", [False, True])
def test_a_payout_gathers_less_than_a_batch_under_its_locks(
    api: Api,
    merchant: Merchant,
    bank_account: BankAccount,
    under_lock: list[int],
    by_schedule: bool,
) -> None:
    """Whatever an outage has left: refunds wait for as long as the payout holds the account."""
    Merchant.objects.update(created_at=datetime(2026, 6, 1, tzinfo=UTC))

    if by_schedule:
        assert schedule_due(now=datetime(2026, 11, 16, 12, tzinfo=UTC)) == 1
    else:
        assert api(merchant).post("/v1/payouts", {}).status_code == 201

    assert under_lock == [0]
    assert Payout.objects.get().statement.movements_count == 10


def test_a_payout_of_staff_gathers_less_than_a_batch_under_its_locks(
    merchant: Merchant, bank_account: BankAccount, under_lock: list[int]
) -> None:
    at = utc_now()
    request = InstructionRequest(
        task=PAY_OUT,
        subject_id=merchant.pk,
        livemode=True,
        amount=900_000,
        currency="BSD",
        reason="Closes at the end of the month",
        note="",
        form_key=new_id("form", at),
    )
    asked = instruct(staff=staff_as(Role.FINANCE, "asks"), request=request, now=at)
    for _ in range(10):
        credit(merchant, 100, livemode=True)

    approve(staff=staff_as(Role.FINANCE, "approves"), instruction_id=asked.pk, note="", now=at)

    assert under_lock == [0, 0]  # also where it was tried before it was to wait
    assert Payout.objects.get().statement.movements_count == 20
