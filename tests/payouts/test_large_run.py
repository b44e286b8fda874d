"""A run of six hundred payouts, from the request to the bank's last word"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

import pytest
from django.db import transaction

from backoffice.models import Instruction
from backoffice.roles import Role
from backoffice.services.decisions import approve
from backoffice.services.instruction_kinds import RUN_PAYOUTS
from backoffice.services.instructions import InstructionRequest, instruct
from backoffice.services.payouts import RUN, batch_drafts
from core.clock import utc_now
from ledger.models import Purpose
from merchants.models import Merchant
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from payouts.bank.importing import ImportResult
from payouts.bank.position import positions
from payouts.bank_accounts import close_bank_account, open_bank_account
from payouts.batches import note_file, orders_of
from payouts.errors import BankFileUnfit
from payouts.models import (
    BankAccount,
    BankEntry,
    BankFile,
    BankStatement,
    Payout,
    PayoutBatch,
    PayoutOrigin,
)
from payouts.pain001 import pain001
from payouts.services import schedule_payout
from tests.backoffice.conftest import staff_as
from tests.factories import MerchantFactory
from tests.ledger.funding import problems
from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    order_of,
    read,
    returned,
    statement,
    status_report,
)
from tests.payouts.batching import FAR
from tests.payouts.conftest import DETAILS
from tests.payouts.merchant_balance import credit, held

# Half a minute of work, of which a busy machine makes two.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.postgres,
    pytest.mark.django_db,
    pytest.mark.night(
        "by day test_payout_runs.py has a few, test_import_bank_file.py what returns"
    ),
]
MERCHANTS, EACH = 30, 20
AMOUNT = 50_000
CLOSED, SUSPENDED = 2, 1
REJECTED, RETURNED = 10, 5


def due_of(merchant: Merchant, count: int, now: datetime) -> None:
    """Schedule so many live payouts, each of another amount."""
    for number in range(count):
        amount = AMOUNT + number
        credit(merchant, amount, livemode=True)
        with transaction.atomic():
            schedule_payout(
                merchant=merchant,
                livemode=True,
                currency="BSD",
                amount=amount,
                origin=PayoutOrigin.STAFF,
                actor="staff:ann",
                now=now,
            )


@pytest.fixture
def merchants(settings) -> list[Merchant]:
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000777", "BOTIBSNS"
    made = MerchantFactory.create_batch(MERCHANTS)
    for merchant in made:
        open_bank_account(
            merchant_id=merchant.pk,
            livemode=True,
            details=DETAILS,
            actor="staff:ann",
            now=utc_now(),
        )
        due_of(merchant, EACH, utc_now())
    return made


def submit_instructions() -> list[Instruction]:
    """Ask for what is due, as the page does: a request for each batch."""
    ann = staff_as(Role.FINANCE, "ann")
    return [
        instruct(
            staff=ann,
            request=InstructionRequest(
                task=RUN_PAYOUTS,
                subject_id=RUN,
                livemode=True,
                amount=run.total_amount,
                currency="BSD",
                reason="The run of the day",
                note="",
                form_key=f"run {number}",
                arguments={"execution_date": FAR.isoformat(), "payouts": run.payout_ids},
            ),
            now=utc_now(),
        )
        for number, run in enumerate(
            batch_drafts(livemode=True, currency="BSD", execution_date=FAR)
        )
    ]


def statuses(**which: PayoutBatch) -> Counter[str]:
    return Counter(Payout.objects.filter(**which).values_list("status", flat=True))


def matched_and_unmatched(done: ImportResult) -> tuple[int, int]:
    return done.matched, done.unmatched


def total_of(payouts: Iterable[Payout]) -> int:
    return sum(payout.amount for payout in payouts)


def debit(payout: Payout) -> str:
    return entry(payout.amount, order_of(payout), reference=f"TRN {payout.pk[-12:]}")


def in_order(**which: PayoutBatch) -> list[Payout]:
    return list(Payout.objects.filter(**which).order_by("pk"))


def leave_with_trouble(merchants: list[Merchant]) -> tuple[PayoutBatch, PayoutBatch]:
    """Ask; meanwhile accounts are closed, a merchant is suspended, a payout falls due; approve."""
    asked = submit_instructions()
    assert [each.status for each in asked] == ["waiting", "waiting"]
    assert sum(each.amount for each in asked) == total_of(Payout.objects.all())
    for account in BankAccount.objects.filter(merchant__in=merchants[:CLOSED]):
        close_bank_account(bank_account_id=account.pk, actor="staff:ann", now=utc_now())
    suspended = merchants[CLOSED].pk
    set_status(merchant_id=suspended, status=MerchantStatus.SUSPENDED, now=utc_now())
    due_of(merchants[-1], 1, utc_now())
    bob = staff_as(Role.FINANCE, "bob")
    for each in asked:
        approve(staff=bob, instruction_id=each.pk, note="", now=utc_now())
    first, second = PayoutBatch.objects.order_by("pk")
    assert first.count + second.count == (MERCHANTS - CLOSED - SUSPENDED) * EACH
    assert statuses() == {
        "in_transit": first.count + second.count,
        "failed": CLOSED * EACH,
        "scheduled": SUSPENDED * EACH + 1,
    }
    return first, second


def write_files(*written: PayoutBatch) -> None:
    for batch in written:
        content = pain001(batch, orders_of(batch))
        note_file(batch, content)
        note_file(batch, pain001(batch, orders_of(batch)))  # written again, it is the same
        assert content.count(b"<CdtTrfTxInf>") == batch.count


def refuse_some(first: PayoutBatch) -> tuple[str, str, str]:
    """The bank refuses ten, and books the rest as one sum, of which it tells before."""
    orders = in_order(batch=first)
    refused, paid = orders[:REJECTED], orders[REJECTED:]
    lump = entry(total_of(paid), details=batch_details(first), reference="LUMP 1")
    told = notification(lump, message_id="N-1")
    assert matched_and_unmatched(read(told)) == (0, 1)  # it is not what was ordered
    refusals = [(order_of(payout), "RJCT") for payout in refused]
    report = status_report(first, *refusals, message_id="P-1")
    done = read(report)
    assert (matched_and_unmatched(done), done.matched_earlier) == ((REJECTED, 0), 1)
    assert statuses(batch=first) == {"failed": REJECTED, "paid": len(paid)}
    return lump, told, report


def book_the_rest(lump: str, first: PayoutBatch, second: PayoutBatch) -> tuple[str, int]:
    """The statement says it again, books the second file one by one, and sends five back."""
    others = in_order(batch=second)
    back = others[:RETURNED]
    rows = [lump, *map(debit, others)]
    rows += [returned(payout, reference=f"RTN {payout.pk[-12:]}") for payout in back]
    left = total_of(in_order(batch=first)[REJECTED:]) + total_of(others) - total_of(back)
    by_a_cent = statement(*rows, opening=10**9, closing=10**9 - left + 1, message_id="S-0")
    with pytest.raises(BankFileUnfit) as refusal:
        read(by_a_cent)
    assert "does not add up" in refusal.value.details
    assert (BankFile.objects.count(), BankStatement.objects.count()) == (2, 0)
    whole = statement(*rows, opening=10**9, closing=10**9 - left, message_id="S-1")
    assert matched_and_unmatched(read(whole)) == (len(rows), 0)
    assert statuses(batch=second) == {"returned": RETURNED, "paid": len(others) - RETURNED}
    return whole, left


def test_a_run_of_six_hundred_payouts_reconciles_to_zero(merchants: list[Merchant]) -> None:
    first, second = leave_with_trouble(merchants)
    write_files(first, second)
    lump, told, report = refuse_some(first)
    whole, left = book_the_rest(lump, first, second)

    # Twice, and in another order: nothing more. What contradicts a booking waits for a person.
    for content in (whole, report, told, whole):
        assert read(content).matched == 0
    too_late = in_order(batch=second)[-1]
    late_report = status_report(second, (order_of(too_late), "RJCT"), message_id="P-2")
    assert matched_and_unmatched(read(late_report)) == (0, 1)
    assert "but payout" in BankEntry.objects.unmatched().get().problem

    assert [position.difference for position in positions(livemode=True)] == [0]
    assert held(merchants[-1], Purpose.BANK, livemode=True) == left
    came_back = Counter[str]()
    for payout in Payout.objects.filter(status__in=("failed", "returned")):
        came_back[payout.merchant_id] += payout.amount
    for merchant in merchants:
        assert held(merchant, Purpose.MERCHANT, livemode=True) == came_back[merchant.pk]
    assert problems() == []
