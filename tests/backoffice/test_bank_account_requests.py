"""Bank accounts that merchants name by API, and staff: who decides sees them, the owner is told."""

import re
from datetime import UTC, datetime

import pytest

from backoffice.models import AuditEntry, Instruction
from backoffice.queues import queues_of
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from messages.models import Message
from payouts.bank_accounts import BankDetails, open_bank_account
from payouts.models import AccountState, BankAccount
from tests.backoffice.acting import act, address, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.client import Api
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db
MULE = {
    "mode": "live",
    "currency": "BSD",
    "holder_name": "Conch Cafe",
    "bank_name": "Bank of the Islands",
    "number": "000 000 67-89 ",
    "bic": "mulebsns",
    "clearing_code": "66001",
    "reason": "A letter of the bank",
    "note": "Seen",
}
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


def said(office: Office, account: BankAccount) -> str:
    """Return what Support tells a caller about an account."""
    [words] = office(Role.SUPPORT).get(page_of(account)).context["answer"].words
    return str(words)


def test_staff_approve_it_and_the_one_before_is_closed(
    office: Office, requested: BankAccount
) -> None:
    assert "waiting for review." in said(office, requested)
    words = office(Role.SUPPORT).get(page_of(requested.merchant)).context["answer"].words
    assert f"another bank account, {requested}, waiting for review since " in " ".join(words)
    act(office(Role.FINANCE), requested, "approve", reason="A letter of the bank")
    assert said(office, requested) == "Payouts go to this account."

    assert states() == [("6789", AccountState.CLOSED), ("0111", AccountState.OPEN)]
    assert AuditEntry.objects.latest("sequence").act == "approve bank account"
    assert Message.objects.filter(kind="bank_account").count() == 2


def test_staff_decline_it_and_the_one_before_stays(office: Office, requested: BankAccount) -> None:
    browser = office(Role.FINANCE)
    act(browser, requested, "decline", reason="Not theirs")
    assert said(office, requested).endswith(" by finance (staff): it receives no payouts.")

    assert states() == [("6789", AccountState.OPEN), ("0111", AccountState.DECLINED)]
    browser.post(page_of_act(requested, "approve"), {"reason": "It was"})
    assert states() == [("6789", AccountState.OPEN), ("0111", AccountState.DECLINED)]


@pytest.mark.each_on_postgres(ITS_OWN)
def test_it_waits_in_a_queue(office: Office, requested: BankAccount) -> None:
    staff = staff_as(Role.FINANCE)
    queues = {queue.title: queue for queue in queues_of(staff, livemode=True, now=utc_now())}

    page = office(Role.FINANCE).get(queues["Bank accounts to review"].url).content.decode()
    assert "…0111" in page
    assert "…6789" not in page


@pytest.fixture
def in_force(merchant: Merchant) -> BankAccount:
    return open_bank_account(
        merchant_id=merchant.id, livemode=True, details=OLD, actor="staff:ann", now=utc_now()
    )


def compared(page: str, beside: str = "In force now") -> dict[str, list[str]]:
    """Return the rows of the table that puts both accounts side by side."""
    table = page.split(beside, 1)[1].split("</table>")[0]
    rows = [re.findall(r"<t[dh][^>]*>\s*(.*?)\s*</t[dh]>", row, re.S) for row in table.split("<tr")]
    plain = [[re.sub(r"<[^>]+>", "", cell).strip() for cell in row] for row in rows if row]
    return {first: rest for first, *rest in plain}


def test_an_approver_sees_how_a_mules_account_differs_from_the_one_in_force(
    office: Office, merchant: Merchant, in_force: BankAccount
) -> None:
    """Holder, bank and the last four digits are those of the account in force."""
    act(office(Role.FINANCE, "mallory"), merchant, "bank-account", **MULE)
    asked = Instruction.objects.get()
    approver = office(Role.FINANCE, "ann")

    page = approver.get(address(Instruction, "change", asked.pk))
    assert page.status_code == 200, page
    assert compared(page.content.decode()) == {
        "Holder": ["Conch Cafe", "Conch Cafe"],
        "Bank": ["Bank of the Islands", "Bank of the Islands"],
        "BIC": ["MULEBSNS", "none"],
        "Clearing code": ["66001", "77005"],
        "Currency": ["BSD", "BSD"],
        "Number ends in": ["6789", "6789"],
        "Whole number": ["another one", ""],
    }
    assert asked.arguments == {
        "currency": "BSD",
        "holder_name": "Conch Cafe",
        "bank_name": "Bank of the Islands",
        "bic": "MULEBSNS",
        "clearing_code": "66001",
        "last_four": "6789",
    }


def test_who_approves_what_a_key_has_named_sees_how_it_differs(
    api: Api, office: Office, merchant: Merchant, in_force: BankAccount
) -> None:
    """A stolen live key needs one person only, who saw holder, bank and last digits as ever."""
    names = ("currency", "holder_name", "bank_name", "number", "clearing_code")
    api(merchant, live=True).post("/v1/bank-accounts", {name: MULE[name] for name in names})
    asked = BankAccount.objects.pending().get()
    finance = office(Role.FINANCE)

    page = finance.get(address(BankAccount, "change", asked.pk)).content.decode()

    rows = compared(page)
    assert rows["Clearing code"] == ["66001", "77005"]
    assert rows["Number ends in"] == ["6789", "6789"]
    assert rows["Whole number"] == ["another one", ""]
    act(finance, asked, "approve", reason="A letter of the bank")
    after = finance.get(address(BankAccount, "change", asked.pk)).content.decode()
    assert "In force now" not in after


@pytest.mark.parametrize("mode", ["live", "test"])
def test_an_account_that_staff_set_is_told_to_its_owner_where_it_is_live(
    office: Office, merchant: Merchant, in_force: BankAccount, mode: str
) -> None:
    act(office(Role.FINANCE, "mallory"), merchant, "bank-account", **MULE | {"mode": mode})
    assert not Message.objects.exists()

    act(office(Role.FINANCE, "ann"), Instruction.objects.get(), "approve", note="Seen")

    told = [(row.kind, row.recipient, row.text.split("\nIf")[0]) for row in Message.objects.all()]
    words = (
        "The account …6789 (BSD) now receives your payouts.\n"
        "It is not the previous account, although that ends in the same digits."
    )
    assert told == [("bank_account", merchant.email, words)] * (mode == "live")


def test_an_account_that_staff_close_is_told_to_its_owner(
    office: Office, merchant: Merchant, in_force: BankAccount
) -> None:
    act(office(Role.FINANCE), in_force, "close", reason="Asked by phone")

    message = Message.objects.get()
    assert (message.kind, message.recipient) == ("bank_account", merchant.email)
    assert message.text.startswith("The account …6789 (BSD) no longer receives your payouts.")


@pytest.mark.each_on_postgres(ITS_OWN)
def test_closing_the_account_in_force_first_hides_nothing(
    api: Api, office: Office, merchant: Merchant, in_force: BankAccount
) -> None:
    """A thief of the live key left nothing to compare with, and the owner read no difference.

    When, and by which key, the one before was closed tells a thief from who has left the bank.
    """
    thief = api(merchant, live=True)
    names = ("currency", "holder_name", "bank_name", "number", "clearing_code")
    assert thief.post(f"/v1/bank-accounts/{in_force.pk}/close").status_code == 200
    thief.post("/v1/bank-accounts", {name: MULE[name] for name in names})
    asked = BankAccount.objects.pending().get()

    BankAccount.objects.filter(pk=in_force.pk).update(closed_at=datetime(2026, 3, 4, 9, tzinfo=UTC))

    page = office(Role.FINANCE).get(address(BankAccount, "change", asked.pk)).content.decode()

    rows = compared(page, beside="Closed 4 Mar 2026, ")
    closer = BankAccount.objects.get(pk=in_force.pk).closed_by.partition(":")[2]
    assert rows["Closed by"] == ["", f"the shop, with key {closer[:12]}…"]
    assert rows["Number ends in"] == ["6789", "6789"]
    assert rows["Whole number"] == ["another one", ""]
    told = Message.objects.filter(recipient=merchant.email).latest("pk")
    assert "It is not the previous account, although that ends in the same digits." in told.text
