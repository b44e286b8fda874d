"""Merchants, their keys, their bank accounts, and what is paid out to them."""

import csv
import io

import pytest
import time_machine
from django.contrib.auth.models import User
from django.urls import reverse

from backoffice.models import AuditEntry, Instruction
from backoffice.resource.page_urls import page_of
from backoffice.roles import LIMITS, ApprovalLimit, InstructionKind, Role
from backoffice.services.instruction_kinds import title_of
from backoffice.statuses import InstructionStatus
from core.clock import utc_now
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key
from merchants.statuses import MerchantStatus
from messages.models import Message
from messages.send_loop import send_due_messages
from payouts.models import BankAccount, Payout, PayoutBatch
from payouts.statuses import PayoutStatus
from tests.backoffice.acting import act, fields_of, page_of_act
from tests.backoffice.conftest import Office, make_user
from tests.backoffice.rows import paid_payment
from tests.client import Api
from tests.nights import ITS_OWN
from tests.signed_changes import write_signed

pytestmark = pytest.mark.django_db

MONEY = {"mode": "test", "currency": "BSD", "reason": "Requested", "note": "By mail"}
BANK = {
    "mode": "test",
    "currency": "BSD",
    "holder_name": "Island Coffee Ltd",
    "bank_name": "First Bank",
    "number": "000987654321",
    "clearing_code": "000001",
    "reason": "Letter of the bank",
    "note": "Checked by phone",
}


def test_a_merchant_is_verified_and_suspended(office: Office, merchant: Merchant, api: Api) -> None:
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)
    browser = office(Role.FINANCE)

    act(browser, merchant, "verify", reason="Papers seen")
    merchant.refresh_from_db()
    assert merchant.status == MerchantStatus.VERIFIED
    caller = api(merchant)
    assert caller.get("/v1/payments").status_code == 200

    act(browser, merchant, "suspend", reason="Fraud reported")

    merchant.refresh_from_db()
    assert merchant.status == MerchantStatus.SUSPENDED
    assert caller.post("/v1/payments", {"amount": 100}).status_code == 422
    assert AuditEntry.objects.latest("sequence").before == {"status": "verified"}


def test_what_a_merchant_changes_behind_the_form_is_not_verified(
    office: Office, merchant: Merchant, api: Api, settings
) -> None:
    """Its test key renames it until it is verified: staff must not verify another name."""
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    write_signed(merchant, status=MerchantStatus.UNVERIFIED)
    browser, page = office(Role.FINANCE), page_of_act(merchant, "verify")
    opened = browser.get(page).content.decode()
    assert f"name: {merchant.name}" in opened
    renamed = api(merchant).patch(f"/v1/merchants/{merchant.id}", {"name": "Central Bank Desk"})
    assert renamed.status_code == 200

    refused = browser.post(page, fields_of(opened) | {"reason": "Papers seen"})

    assert refused.status_code == 422
    assert "name: Central Bank Desk" in refused.content.decode()
    merchant.refresh_from_db()
    assert merchant.status == MerchantStatus.UNVERIFIED


def test_a_key_is_rolled_and_its_owner_hears_of_it(
    office: Office, merchant: Merchant, api: Api, mailoutbox
) -> None:
    key = issue_key(merchant=merchant, livemode=False, name="Till", now=utc_now()).key

    response = act(office(Role.DEVELOPER), key, "roll", overlap_hours="0", reason="Leaked")

    secret = response.content.decode().split('id="bo-secret">')[1].split("<")[0]
    assert secret.startswith("sk_test_")
    key.refresh_from_db()
    assert not key.is_active(utc_now())
    assert ApiKey.objects.exclude(pk=key.pk).get().created_by == "staff:developer"
    send_due_messages(now=utc_now())
    assert mailoutbox[0].to == [merchant.email]
    assert secret not in mailoutbox[0].body
    assert secret not in str(list(AuditEntry.objects.values()))


def test_a_page_with_a_key_that_is_loaded_again_makes_no_other(
    office: Office, merchant: Merchant
) -> None:
    browser, page = office(Role.DEVELOPER), page_of_act(merchant, "issue-key")
    fields = fields_of(browser.get(page).content.decode())
    values = fields | {"mode": "test", "name": "Till", "reason": "New till"}

    assert 'id="bo-secret"' in browser.post(page, values).content.decode()
    again = browser.post(page, values)

    assert (again.status_code, ApiKey.objects.count()) == (422, 1)
    assert "This form has already been submitted." in again.content.decode()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_developer_gets_hold_of_no_live_key(office: Office, merchant: Merchant) -> None:
    """A live key refunds and pays out: that is money, which Developers have no part in."""
    key = issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now()).key
    browser = office(Role.DEVELOPER)

    rolled = act(browser, key, "roll", overlap_hours="0", reason="x")
    issued = act(browser, merchant, "issue-key", mode="live", name="Mine", reason="x")
    act(browser, merchant, "issue-key", mode="test", name="Sandbox", reason="x")

    assert (rolled.status_code, issued.status_code) == (403, 422)
    assert AuditEntry.objects.earliest("sequence").outcome == "forbidden"
    made = ApiKey.objects.exclude(pk=key.pk).get()
    assert (made.name, made.livemode, made.created_by) == ("Sandbox", False, "staff:developer")
    assert act(browser, key, "revoke", reason="Leaked").status_code == 302


def test_a_key_is_revoked(office: Office, merchant: Merchant) -> None:
    key = issue_key(merchant=merchant, livemode=False, name="Till", now=utc_now()).key

    act(office(Role.DEVELOPER), key, "revoke", reason="Leaked")

    key.refresh_from_db()
    assert key.revoked_at is not None
    assert Message.objects.count() == 1


def test_a_merchant_is_paid_out_within_the_limit(office: Office, merchant: Merchant) -> None:
    paid_payment(merchant, 400_000)

    act(office(Role.FINANCE), merchant, "pay-out", amount="1,000.00", **MONEY)

    payout = Payout.objects.get()
    assert (payout.amount, payout.origin) == (100_000, "staff")
    assert payout.transitions.get().actor == "staff:finance"


def test_a_large_payout_waits(office: Office, merchant: Merchant) -> None:
    paid_payment(merchant, 900_000)

    act(office(Role.FINANCE), merchant, "pay-out", amount="8,000.00", **MONEY)

    assert not Payout.objects.exists()
    act(office(Role.ADMINISTRATOR), Instruction.objects.get(), "approve", note="")
    assert Payout.objects.get().amount == 800_000


def test_a_bank_account_always_takes_two(office: Office, merchant: Merchant) -> None:
    browser = office(Role.FINANCE)
    act(browser, merchant, "bank-account", **BANK | {"mode": "live"})
    instruction = Instruction.objects.get()
    assert instruction.status == "waiting"
    assert not Message.objects.exists()
    assert "000987654321" not in str(instruction.__dict__)
    page = browser.get(reverse("admin:backoffice_instruction_change", args=[instruction.pk]))
    assert "First Bank" in page.content.decode()
    assert "000987654321" not in page.content.decode()

    assert browser.post(page_of_act(instruction, "approve"), {"form_key": "1"}).status_code == 422
    act(office(Role.FINANCE, "another"), instruction, "approve", note="Seen")

    account = BankAccount.objects.get()
    assert (account.last_four, account.decrypt_number()) == ("4321", "000987654321")
    assert account.created_by == "staff:finance"
    assert Message.objects.get().recipient == merchant.email


def test_a_bank_account_that_cannot_be_is_refused_at_once(
    office: Office, merchant: Merchant
) -> None:
    response = act(office(Role.FINANCE), merchant, "bank-account", **BANK | {"number": "x y"})

    assert response.status_code == 422
    assert not Instruction.objects.exists()


def test_a_run_is_for_a_business_day(office: Office, merchant: Merchant) -> None:
    page = reverse("admin:payouts_payoutbatch_list_act", args=["run"])
    with time_machine.travel("2026-11-21T15:00Z", tick=False):  # a Saturday
        browser = office(Role.FINANCE)
        values = fields_of(browser.get(page).content.decode()) | {"mode": "test", "reason": "x"}
        assert values["execution_date"] == "2026-11-23"

        answer = browser.post(page, values | {"execution_date": "2026-11-22"})

    assert answer.status_code == 422
    assert (
        "Banks are closed on that day. The next business day is 23 Nov 2026."
        in answer.content.decode()
    )


WEEKLY = {"mode": "test", "currency": "BSD", "reason": "Weekly run", "note": "As always"}


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_run_becomes_a_file_for_the_bank(office: Office, merchant: Merchant) -> None:
    paid_payment(merchant, 400_000)
    browser = office(Role.FINANCE)
    act(browser, merchant, "pay-out", amount="1,000.00", **MONEY)
    Payout.objects.update(send_date=utc_now().date())

    page = reverse("admin:payouts_payoutbatch_list_act", args=["run"])
    values = fields_of(browser.get(page).content.decode())
    browser.post(page, values | WEEKLY)

    batch = PayoutBatch.objects.get()
    assert (batch.count, batch.total_amount, batch.created_by) == (1, 100_000, "staff:finance")
    file = browser.get(reverse("admin:payouts_payoutbatch_file", args=[batch.pk, "csv"]))
    rows = list(csv.DictReader(io.StringIO(file.content.decode())))
    assert rows[0]["amount_cents"] == "100000"
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.act, entry.subject_id) == ("download csv", batch.pk)


def test_a_run_that_is_approved_late_leaves_on_the_next_business_day(
    office: Office, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    paid_payment(merchant, 400_000)
    browser = office(Role.FINANCE)
    act(browser, merchant, "pay-out", amount="1,000.00", **MONEY)
    Payout.objects.update(send_date=utc_now().date())
    alone = ApprovalLimit(each=100, a_day=100)
    monkeypatch.setitem(LIMITS[Role.FINANCE], InstructionKind.PAYOUT, alone)
    page = reverse("admin:payouts_payoutbatch_list_act", args=["run"])
    values = fields_of(browser.get(page).content.decode())
    browser.post(page, values | WEEKLY)
    assert values["execution_date"] == "2026-03-18"
    words = browser.get(page_of(Payout.objects.get())).context["answer"].words
    assert "</a> waiting for approval since " in words[0]

    with time_machine.travel("2026-03-21T15:00Z", tick=False):  # a Saturday
        asked = Instruction.objects.get(task="run_payouts")
        act(office(Role.FINANCE, "another"), asked, "approve", note="Late")

    assert PayoutBatch.objects.get().execution_date.isoformat() == "2026-03-23"
    assert Payout.objects.get().arrival_date.isoformat() == "2026-03-24"


def test_what_the_bank_answers_is_recorded(office: Office, merchant: Merchant) -> None:
    paid_payment(merchant, 800_000)
    browser = office(Role.FINANCE)
    payouts = []
    for _ in range(2):
        act(browser, merchant, "pay-out", amount="1,000.00", **MONEY)
        payouts.append(Payout.objects.latest("pk"))
    Payout.objects.update(status=PayoutStatus.IN_TRANSIT, in_transit_at=utc_now())

    act(browser, payouts[0], "paid", bank_reference="B-77")
    act(browser, payouts[1], "failed", reason="Account closed", note="Mail of the bank")

    # It would be paid twice if the bank had paid it after all: someone else looks, too.
    asked = Instruction.objects.get(task="payout_failure")
    assert title_of(asked).startswith("Refusal of a payout of ")
    assert asked.status == InstructionStatus.WAITING
    act(office(Role.FINANCE, "another"), asked, "approve", note="So says the statement")
    for payout in payouts:
        payout.refresh_from_db()
    assert (payouts[0].status, payouts[0].bank_reference) == ("paid", "B-77")
    assert (payouts[1].status, payouts[1].failure_message) == ("failed", "Account closed")


def test_staff_never_change_themselves(office: Office) -> None:
    browser = office(Role.ADMINISTRATOR)
    own = User.objects.get(username="administrator")

    for name in ("close", "reset", "roles"):
        values = {"reason": "x", "email": "own@example.com", "roles": ["Viewer"]}
        assert act(browser, own, name, **values).status_code == 422

    own.refresh_from_db()
    assert own.is_active
    assert [group.name for group in own.groups.all()] == ["Administrator"]


def test_an_account_is_closed_by_one_person_at_once(office: Office) -> None:
    make_user(Role.ADMINISTRATOR, "another")
    colleague = make_user(Role.FINANCE)

    act(office(Role.ADMINISTRATOR), colleague, "close", reason="Left")

    colleague.refresh_from_db()
    assert not colleague.is_active
