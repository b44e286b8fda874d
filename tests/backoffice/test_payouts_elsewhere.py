"""What pages of other objects say about payouts is for those who may see payouts."""

from dataclasses import replace
from typing import Any

import pytest
from django.contrib.auth.models import Group

from backoffice.models import Instruction
from backoffice.queues import queues_of
from backoffice.registry import ADMINS
from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Right, Role, viewing_right
from backoffice.services.instruction_kinds import TASKS
from core.clock import utc_now
from customers.services import find_or_create
from merchants.models import Merchant
from payouts.models import BankEntry
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.payouts.bank_files import entry, read, statement
from tests.payouts.merchant_balance import credit

pytestmark = pytest.mark.django_db
SEE_PAYOUTS = (Role.VIEWER, Role.SUPPORT, Role.FINANCE, Role.ADMINISTRATOR)
HOLDER, AMOUNT, REMITTED = "Mule and Sons", "7,777.77", "Wages of Pat Rolle"
ACCOUNT = {
    "holder_name": HOLDER,
    "bank_name": "Bank of the Islands",
    "number": "000 000 67-89",
    "clearing_code": "66001",
}
FIELDS = {"mode": "live", "currency": "BSD", "reason": "By phone", "note": "Called"}


@pytest.fixture
def requests(office: Office, merchant: Merchant, settings: Any) -> list[Instruction]:
    """Requests for a bank account, a payout, and a wallet to be credited, in this order."""
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    browser, colleague = office(Role.FINANCE), office(Role.FINANCE, "another")
    act(browser, merchant, "bank-account", **FIELDS, **ACCOUNT)
    act(colleague, Instruction.objects.get(), "approve", note="")
    credit(merchant, 777_777, livemode=True)
    act(browser, merchant, "pay-out", **FIELDS, amount="7777.77")
    details = f"<NtryDtls><TxDtls><RmtInf><Ustrd>{REMITTED}</Ustrd></RmtInf></TxDtls></NtryDtls>"
    read(statement(entry(4_200, direction="CRDT", details=details)))
    customer = find_or_create(phone="+12423591234", now=utc_now())
    act(browser, BankEntry.objects.get(), "credit", **FIELDS, whose=customer.pk)
    return list(Instruction.objects.order_by("pk"))


def test_each_task_of_payouts_or_staff_takes_the_right_to_see_these() -> None:
    needed = {
        Right.PAY_OUT: Right.VIEW_PAYOUTS,
        Right.BANK_ACCOUNT: Right.VIEW_PAYOUTS,
        Right.STAFF: Right.VIEW_STAFF,
    }

    assert {name: viewing_right(name) for name in TASKS} == {
        name: needed.get(task.right, Right.VIEW_TRADE) for name, task in TASKS.items()
    }


def read_by(office: Office, role: Role, url: str) -> str:
    return str(office(role).get(url).content.decode())


def test_a_form_that_comes_too_late_tells_of_payouts_those_who_see_them(
    office: Office,
    requests: list[Instruction],
    merchant: Merchant,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    late = [replace(each, available=lambda *_: False) for each in ADMINS[Merchant].row_actions]
    monkeypatch.setattr(ADMINS[Merchant], "row_actions", late)
    form = page_of_act(merchant, "note")
    pages = {role: office(role).post(form) for role in (Role.DEVELOPER, Role.SUPPORT)}

    assert [page.status_code for page in pages.values()] == [409, 409]
    told = {role: AMOUNT in page.content.decode() for role, page in pages.items()}
    assert told == {Role.DEVELOPER: False, Role.SUPPORT: True}


def test_requests_about_them_are_read_by_those_who_see_payouts(
    office: Office, requests: list[Instruction]
) -> None:
    facts = (HOLDER, AMOUNT, REMITTED)
    for role in SEE_PAYOUTS:
        for request, fact in zip(requests, facts, strict=True):
            assert fact in read_by(office, role, page_of(request))
        assert AMOUNT in read_by(office, role, list_of(Instruction))

    developer = office(Role.DEVELOPER)

    assert [developer.get(page_of(each)).status_code for each in requests] == [404] * 3
    assert AMOUNT not in read_by(office, Role.DEVELOPER, list_of(Instruction))
    assert not queues_of(staff_as(Role.DEVELOPER), livemode=True, now=utc_now())


def test_a_merchants_page_speaks_of_payouts_only_to_those_who_see_them(
    office: Office, merchant: Merchant, requests: list[Instruction]
) -> None:
    act(office(Role.FINANCE, "another"), requests[1], "approve", note="")
    page = page_of(merchant)
    told = ("Payout of", AMOUNT, "hange of a bank account", "Available, live")

    for role in SEE_PAYOUTS:
        assert [words for words in told if words not in read_by(office, role, page)] == []

    seen = read_by(office, Role.DEVELOPER, page)
    assert [words for words in told if words in seen] == []


def test_what_a_former_colleague_of_finance_requested_is_hidden_from_a_developer(
    office: Office, requests: list[Instruction]
) -> None:
    """Someone of Finance becomes a developer; the page behind the line is a 404 by then."""
    dashboard = "/admin/?mode=live"
    assert AMOUNT in read_by(office, Role.FINANCE, dashboard)

    user = requests[1].asked_by
    user.groups.set([Group.objects.get(name=Role.DEVELOPER.value)])

    browser = office(Role.DEVELOPER, user.username)
    assert AMOUNT not in browser.get(dashboard).content.decode()


def test_a_waiting_payout_is_named_only_to_those_who_see_payouts(
    office: Office, merchant: Merchant, requests: list[Instruction]
) -> None:
    assert "waits for a colleague" in read_by(office, Role.VIEWER, page_of(merchant))
    assert "waits for a colleague" not in read_by(office, Role.DEVELOPER, page_of(merchant))
