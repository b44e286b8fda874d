"""Bank accounts that merchants name by API: staff approve or decline them."""

import pytest

from backoffice.models import AuditEntry
from backoffice.queues import queues_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from messages.models import Message
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.models import AccountState, BankAccount
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.client import Api

pytestmark = pytest.mark.django_db
OLD = BankDetails("BSD", "Conch Cafe", "Bank of the Islands", "123 456 789", clearing_code="77005")


@pytest.fixture
def requested(api: Api, merchant: Merchant) -> BankAccount:
    """An account that waits, beside the one that is open."""
    open_bank_account(
        merchant_id=merchant.id, livemode=True, details=OLD, actor="staff:ann", now=utc_now()
    )
    named = {"holder_name": "Conch Cafe", "bank_name": "Reef Bank", "number": "555 000 111"}
    api(merchant, live=True).post("/v1/bank-accounts", named | {"clearing_code": "77005"})
    return BankAccount.objects.pending().get()


def states() -> list[tuple[str, AccountState]]:
    return [(row.last_four, row.state) for row in BankAccount.objects.order_by("id")]


def test_staff_approve_it_and_the_one_before_is_closed(
    office: Office, requested: BankAccount
) -> None:
    act(office(Role.FINANCE), requested, "approve", reason="A letter of the bank")

    assert states() == [("6789", AccountState.CLOSED), ("0111", AccountState.OPEN)]
    assert AuditEntry.objects.latest("sequence").act == "approve bank account"
    assert Message.objects.filter(kind="bank_account").count() == 2


def test_staff_decline_it_and_the_one_before_stays(office: Office, requested: BankAccount) -> None:
    browser = office(Role.FINANCE)
    act(browser, requested, "decline", reason="Not theirs")

    assert states() == [("6789", AccountState.OPEN), ("0111", AccountState.DECLINED)]
    browser.post(page_of_act(requested, "approve"), {"reason": "It was"})
    assert states() == [("6789", AccountState.OPEN), ("0111", AccountState.DECLINED)]


def test_it_waits_in_a_queue(office: Office, requested: BankAccount) -> None:
    staff = staff_as(Role.FINANCE)
    queues = {queue.title: queue for queue in queues_of(staff, livemode=True, now=utc_now())}

    page = office(Role.FINANCE).get(queues["Bank accounts to review"].url).content.decode()
    assert "…0111" in page
    assert "…6789" not in page
