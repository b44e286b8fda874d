"""The bank's answers in the back office: matched by two, explained by one"""

import pytest
from django.urls import reverse

from backoffice.formats import MINUS
from backoffice.models import AuditEntry, Instruction
from backoffice.resource.page_urls import address_of, list_of, page_of
from backoffice.roles import Role
from core.clock import utc_now
from ledger.models import Purpose
from payouts.bank.by_hand import set_aside
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankStatement, Payout
from payouts.services import record_failed
from tests.backoffice.acting import act, page_of_act
from tests.client import Api
from tests.nights import ITS_OWN
from tests.payouts.bank_files import entry, order_of, read, statement
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import held

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]
WHY = {"reason": "Mail of the bank", "note": "Asked them"}


@pytest.fixture
def sent(api: Api) -> Payout:
    payout = live_payout(api, amount=1250)
    batch_of()
    return Payout.objects.get(pk=payout.pk)


def test_what_waits_stands_on_the_dashboard_with_the_difference(office, sent) -> None:
    read(statement(entry(700, reference="FEE")))

    page = office(Role.FINANCE).get("/admin/?mode=live", follow=True).content.decode()

    assert "Bank entries to explain" in page
    assert f"{MINUS}B$7.00 BSD" in page
    assert "1 booked, not matched yet" in page


@pytest.mark.each_on_postgres(ITS_OWN)
def test_an_entry_says_on_which_day_the_bank_booked_it(office, sent) -> None:
    read(statement(entry(700, reference="FEE")))
    BankEntry.objects.update(booking_date="2026-02-27")
    found = BankEntry.objects.get()
    browser = office(Role.FINANCE)

    for address in (page_of(found), list_of(BankEntry)):
        assert "27 Feb 2026" in browser.get(address).content.decode()
    file = browser.get(address_of(BankEntry, "export", "csv")).content.decode()
    assert "2026-02-27" in file
    shown = browser.get(page_of(sent)).content.decode()
    assert "Booked by the bank" not in shown  # of which we know only when we read it


@pytest.mark.each_on_postgres(ITS_OWN)
def test_entries_are_listed_by_the_day_they_were_booked_and_by_that_they_were_read(
    office, sent
) -> None:
    read(statement(entry(700, reference="FEE")))
    BankEntry.objects.update(booking_date="2026-02-27")
    url, browser = reverse("admin:payouts_bankentry_changelist"), office(Role.FINANCE)

    def listed(**days: str) -> int:
        found: int = browser.get(url, {"mode": "live", **days}).context["cl"].result_count
        return found

    assert [listed(booked_from=f"2026-02-{day}") for day in (26, 27, 28)] == [0, 1, 0]
    assert listed(booked_from="2026-02-26", booked_to="2026-02-27") == 1
    assert (listed(booked="today"), listed(day="today")) == (0, 1)
    page = browser.get(url, {"mode": "live"}).content.decode()
    assert ["<summary>Booked</summary>" in page, "<summary>Read</summary>" in page] == [True, True]


def test_an_entry_is_explained_by_one(office, sent) -> None:
    read(statement(entry(700, reference="FEE")))
    found = BankEntry.objects.get()

    act(office(Role.FINANCE), found, "other", note="Fee for October")

    found.refresh_from_db()
    assert (found.state, found.note, found.resolved_by) == (
        "other",
        "Fee for October",
        "staff:finance",
    )
    assert AuditEntry.objects.latest("sequence").act == "explain bank entry"


def test_an_entry_that_holds_payouts_back_is_explained_by_two(office, sent) -> None:
    record_failed(payout_id=sent.pk, code="x", message="No", actor="staff:ann", now=utc_now())
    read(statement(entry(1250, order_of(sent))))
    found, browser = BankEntry.objects.get(), office(Role.FINANCE)
    page = browser.get(reverse("admin:payouts_bankentry_change", args=[found.pk]))
    assert "setting it aside takes two people" in page.content.decode()

    assert browser.get(page_of_act(found, "other")).status_code == 302
    act(browser, found, "other-by-two", reason="Paid; the balance was adjusted", note="Asked them")

    found.refresh_from_db()
    assert found.is_waiting
    asked = Instruction.objects.get(task="set_aside")
    assert (asked.subject_id, asked.amount) == (found.pk, 1250)
    assert act(browser, asked, "approve", note="So it is").status_code == 422
    act(office(Role.FINANCE, "another"), asked, "approve", note="So it is")
    found.refresh_from_db()
    assert (found.state, found.note) == ("other", "Paid; the balance was adjusted")


def test_what_comes_to_hold_payouts_back_meanwhile_is_not_explained_by_one(office, sent) -> None:
    read(statement(entry(1250, order_of(sent))))
    BankEntry.objects.update(state="unmatched", resolved_at=None, payout=None)

    with pytest.raises(BankEntryUnfit, match="takes two people"):
        set_aside(
            entry_id=BankEntry.objects.get().pk, note="A fee", actor="staff:ann", now=utc_now()
        )


def test_an_entry_is_matched_by_two(office, sent) -> None:
    read(statement(entry(1250, reference="?")))
    found = BankEntry.objects.get()

    act(office(Role.FINANCE), found, "match", payout=sent.pk, **WHY)

    sent.refresh_from_db()
    assert sent.status == "in_transit"
    page = office(Role.FINANCE).get(page_of(found)).content.decode()
    match = f"Match of a bank entry of B$12.50 BSD ({sent.merchant.name}), requested by finance"
    assert match in page
    asked = Instruction.objects.get(task="bank_entry")
    act(office(Role.FINANCE, "another"), asked, "approve", note="So it is")
    sent.refresh_from_db()
    found.refresh_from_db()
    assert (sent.status, found.state, found.payout_id) == ("paid", "matched", sent.pk)


@pytest.mark.each_on_postgres(ITS_OWN)
def test_an_entry_is_not_matched_with_what_does_not_fit(office, sent) -> None:
    read(statement(entry(1249, reference="?")))
    found = BankEntry.objects.get()

    answer = act(office(Role.FINANCE), found, "match", payout=sent.pk, **WHY)

    assert answer.status_code == 422
    assert not Instruction.objects.exists()
    assert "The amount or the currency is not that of the order" in answer.content.decode()
    unknown = act(office(Role.FINANCE), found, "match", payout="po_x", **WHY)
    assert "There is no such payout" in unknown.content.decode()


def test_a_return_less_a_charge_names_who_bears_it(office, sent) -> None:
    back = entry(1000, direction="CRDT", reference="R")
    read(statement(entry(1250, order_of(sent)), back))
    found = BankEntry.objects.get(kind="credit")

    values = {"payout": sent.pk, "charge_borne_by": "the merchant", **WHY}
    act(office(Role.FINANCE), found, "match", **values)

    asked = Instruction.objects.get(task="bank_entry")
    browser = office(Role.FINANCE, "another")
    page = browser.get(reverse("admin:backoffice_instruction_change", args=[asked.pk]))
    assert asked.arguments["charge_amount"] == 250
    assert "B$2.50" in page.content.decode()
    act(browser, asked, "approve", note="So it is")
    sent.refresh_from_db()
    assert sent.status == "returned"
    assert held(sent.merchant, Purpose.MERCHANT, livemode=True) == 1000


def test_a_run_is_matched_by_two(office, sent) -> None:
    read(statement(entry(1250, reference="RUN")))
    found = BankEntry.objects.get()

    act(office(Role.FINANCE), found, "match", payout=sent.batch_id, **WHY)
    asked = Instruction.objects.get(task="bank_entry")
    act(office(Role.FINANCE, "another"), asked, "approve", note="So it is")

    found.refresh_from_db()
    sent.refresh_from_db()
    assert (sent.status, found.batch_id) == ("paid", sent.batch_id)


def test_what_was_set_aside_is_explained_anew(office, sent) -> None:
    read(statement(entry(1250, reference="?")))
    found = BankEntry.objects.get()
    browser = office(Role.FINANCE)
    act(browser, found, "other", note="A fee")

    act(browser, found, "wait-again", reason="It was a payout")

    found.refresh_from_db()
    assert found.state == "unmatched"
    assert AuditEntry.objects.latest("sequence").before == {"state": "other", "note": "A fee"}


def test_a_return_is_recorded_by_hand(office, sent) -> None:
    read(statement(entry(1250, order_of(sent))))

    act(office(Role.FINANCE), sent, "returned", reason="Account closed", note="Mail of the bank")

    sent.refresh_from_db()
    assert (sent.status, sent.failure_message) == ("returned", "Account closed")
    assert held(sent.merchant, Purpose.MERCHANT, livemode=True) == 1250


def test_the_pages_say_what_is_open(office, sent) -> None:
    read(statement(entry(1250, order_of(sent)), entry(700, reference="FEE"), opening=5000))
    browser = office(Role.FINANCE)
    [waiting, matched] = [BankEntry.objects.get(state=state) for state in ("unmatched", "matched")]

    for found, words in ((waiting, "It waits for a person"), (matched, "Matched.")):
        page = reverse("admin:payouts_bankentry_change", args=[found.pk])
        assert words in browser.get(page).content.decode()
    page = reverse("admin:payouts_bankstatement_change", args=[waiting.statement_id])
    assert (
        f"Difference between ledger and bank now: {MINUS}B$7.00 BSD"
        in browser.get(page).content.decode()
    )


def test_what_is_held_back_says_why_and_what_to_do(office, api, sent) -> None:
    now = utc_now()
    record_failed(payout_id=sent.pk, code="x", message="No", actor="staff:ann", now=now)
    api(sent.merchant, live=True).post("/v1/payouts", {})
    again = Payout.objects.get(status="scheduled")
    read(statement(entry(1250, order_of(sent))))
    found = BankEntry.objects.get()
    browser = office(Role.FINANCE)

    page = reverse("admin:payouts_payout_change", args=[again.pk])
    held = browser.get(page).content.decode()
    assert f"Explain the bank entry {found.pk}. " in held
    assert page_of(found) in held
    page = reverse("admin:payouts_bankentry_change", args=[found.pk])
    assert "record the payout that waits as failed" in browser.get(page).content.decode()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_what_the_bank_has_booked_stands_beside_what_it_is_about(office, sent) -> None:
    read(statement(entry(1250, order_of(sent)), entry(700, reference="FEE")))
    booked, fee = BankEntry.objects.get(payout=sent), BankEntry.objects.get(payout=None)
    whole = BankStatement.objects.get()
    pages = {row: office(Role.FINANCE).get(page_of(row)) for row in (sent, whole)}
    listed = office(Role.FINANCE).get(
        reverse("admin:payouts_bankentry_changelist"),
        {"mode": "live", "statement": whole.pk, "payout": sent.pk, "day": "today"},
    )

    _, beside = pages[sent].context["tables"]
    assert (beside.title, len(beside.rows)) == ("Bank entries", 1)
    assert booked.pk in str(beside.rows)
    _, open_part, entries = pages[whole].context["tables"]
    assert (open_part.title, fee.pk in str(open_part.rows)) == ("Booked, not matched yet", True)
    assert booked.pk not in str(open_part.rows)
    assert (entries.title, len(entries.rows)) == ("Bank entries", 2)
    assert f"statement={whole.pk}" in entries.more
    assert [row.pk for row in listed.context["cl"].result_list] == [booked.pk]
    assert f"<dd>{order_of(sent)}</dd>" in pages[sent].content.decode()


@pytest.mark.parametrize("number", ["x", "1" * 30])
def test_a_statement_of_no_number_narrows_nothing(office, sent, number: str) -> None:
    read(statement(entry(700, reference="FEE")))
    url = reverse("admin:payouts_bankentry_changelist")

    listed = office(Role.FINANCE).get(url, {"mode": "live", "statement": number})

    assert listed.context["cl"].result_count == 1


def test_a_search_finds_what_a_reference_or_an_amount_names(office, sent) -> None:
    read(statement(entry(1250, order_of(sent), reference="TRN 9"), entry(700, reference="FEE 7")))
    fee = BankEntry.objects.get(payout=None)

    def opened(text: str, role: Role = Role.FINANCE) -> str:
        found = office(role).get("/admin/search/", {"q": text})
        return str(found.headers.get("Location", ""))

    assert opened(order_of(sent)) == page_of(sent)
    assert opened("FEE 7") == opened("7.00") == page_of(fee)
    assert opened("FEE 7", Role.SUPPORT) == page_of(fee)
    assert opened("FEE 7", Role.DEVELOPER) == opened(order_of(sent), Role.DEVELOPER) == ""
