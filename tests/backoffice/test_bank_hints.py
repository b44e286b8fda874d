"""What a bank entry may be, and what it names, can be read from its page and the payout's."""

import re

import pytest
from django.utils import timezone

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.bank_entries import named_by
from payouts.models import BankEntry, Payout
from tests.backoffice.acting import page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.uploading import upload, waiting
from tests.client import Api
from tests.funding.money_in import customer_with, ordered, transfer
from tests.payouts.bank_files import entry, order_of, read, statement
from tests.payouts.batching import batch_of, live_payout

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]


@pytest.fixture
def sent(api: Api) -> Payout:
    payout = live_payout(api, amount=301_250)
    batch_of()
    return Payout.objects.get(pk=payout.pk)


def test_a_payout_says_that_the_bank_reports_less_and_each_page_leads_to_the_other(
    office: Office, sent: Payout
) -> None:
    read(statement(entry(300_000, order_of(sent))))
    found, browser = BankEntry.objects.get(), office(Role.FINANCE)
    of_payout, of_entry, form, as_paid = (
        browser.get(page).content.decode()
        for page in (
            page_of(sent),
            page_of(found),
            page_of_act(found, "match"),
            page_of_act(sent, "paid"),
        )
    )

    for page in (of_payout, as_paid):
        assert "The bank reports money that left: B$3,000.00 BSD." in page
    advised = re.findall(r'<a class="bo-button bo-main" href="([^"]*)".*</span>(.*)</a>', of_payout)
    assert advised == [
        (page_of(found), "Bank entry to explain (money that left: B$3,000.00 BSD)"),
    ]
    assert f'<a class="bo-link" href="{page_of(sent)}">{order_of(sent)}</a>' in of_entry
    assert f'value="{sent.pk}"' in form
    assert named_by(BankEntry(livemode=False, end_to_end_id=order_of(sent))) == ""


def test_a_payout_is_told_of_a_reference_that_the_bank_has_truncated(
    office: Office, sent: Payout
) -> None:
    read(statement(*(entry(amount, order_of(sent)[:20]) for amount in (301_250, 100))))
    found, browser = BankEntry.objects.earliest("pk"), office(Role.FINANCE)

    answer = browser.get(page_of(sent)).context["answer"]
    assert answer.next_step == page_of(found)
    assert answer.next_words.startswith("First of several bank entries to explain (")
    named = f"{order_of(sent)[:20]} (truncated by the bank)"
    assert named in browser.get(page_of(found)).content.decode()


def test_an_entry_without_a_reference_lists_what_has_its_amount(
    office: Office, sent: Payout
) -> None:
    awaited = ordered(customer_with(0, "+12424567890", livemode=True), 20_000)
    came, left = transfer(20_000, "thank you"), entry(301_250, reference="TRN 2")
    read(statement(came, left, entry(700, reference="FEE")))
    browser, tables = office(Role.FINANCE), {}
    for found in BankEntry.objects.all():
        page = browser.get(page_of(found))
        tables[found.amount] = {table.title: str(table.rows) for table in page.context["tables"]}

    assert tables[700] == {}
    assert list(tables[301_250]) == ["Payouts of this amount, not booked yet"]
    assert page_of(sent) in tables[301_250]["Payouts of this amount, not booked yet"]
    assert list(tables[20_000]) == ["Top-ups of this amount, not paid yet"]
    assert page_of(awaited) in tables[20_000]["Top-ups of this amount, not paid yet"]


def test_a_file_is_summed_up_in_the_hours_in_which_it_was_read(office: Office) -> None:
    """Instants without a zone are those of the bank, which is where staff are."""
    with timezone.override("UTC"):
        upload(office, statement(written="2026-01-20T22:00:00", end="2026-01-20T23:59:59"))

    [told] = waiting().arguments["statements"]

    assert told[1].endswith(" to 2026-01-20")
    assert told[2] == "2026-01-20 22:00"
