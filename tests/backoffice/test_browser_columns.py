"""The cards of a page fill its columns without a gap worth a card; no table scrolls sideways."""

import pytest

from backoffice.audit import AuditAction, AuditRecord, append_entry
from backoffice.models import AuditEntry
from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Right, Role
from core.clock import utc_now
from customers.models import Customer
from ledger.models import Account
from merchants.models import Merchant
from payments.models import Payment
from payouts.models import BankEntry, Payout
from tests.backoffice.conftest import staff_as
from tests.backoffice.desk import open_desk
from tests.backoffice.rows import one_of_each
from tests.client import Api
from tests.factories import CustomerFactory, MerchantFactory, PaymentFactory
from tests.payouts.bank_files import entry, order_of, read, statement
from tests.payouts.batching import batch_of, live_payout
from webhooks.models import Delivery, Webhook

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("development"),
]
# How many columns there are, by how much their ends differ, and the height of the highest card.
COLUMNS = """
    () => {
        const ends = {};
        const heights = [...document.querySelectorAll(".bo-flow > *")].map((card) => {
            const place = card.getBoundingClientRect();
            ends[Math.round(place.left)] = place.bottom;
            return place.height;
        });
        const found = Object.values(ends);
        return [found.length, Math.max(...found) - Math.min(...found), Math.max(...heights)];
    }
"""
# The titles of the tables that are wider than their cards.
SIDEWAYS = """
    () => [...document.querySelectorAll(".bo-scroll")]
        .filter((table) => table.scrollWidth > table.clientWidth)
        .map((table) => table.ariaLabel)
"""


def test_the_cards_of_a_page_fill_its_columns(open_page, site):
    made = one_of_each()
    page = open_desk(open_page, Role.ADMINISTRATOR)

    for model in (Payment, Customer, Merchant, Payout, Webhook, Account):
        page.goto(f"{site}{page_of(made[model])}?ask=100.00")  # only a payout's page answers
        for width, expected in ((1600, 2), (1280, 2), (820, 1), (390, 1)):
            page.set_viewport_size({"width": width, "height": 900})
            columns, gap, highest = page.evaluate(COLUMNS)
            assert (columns, gap <= highest) == (expected, True), (model, width)
            assert page.evaluate(SIDEWAYS) == [], (model, width)


def test_the_audit_trail_on_a_tablet_has_rows_and_no_towers(open_page):
    reason = f"csv: mode=test&status=completed&day=last_month&merchant=mer_{'0' * 30}"
    export = AuditAction("export", Right.EXPORT, "payment", "", reason=reason)
    staff = staff_as(Role.ADMINISTRATOR)
    append_entry(staff=staff, action=export, record=AuditRecord(), now=utc_now())
    page = open_desk(open_page, Role.ADMINISTRATOR, list_of(AuditEntry), width=820)

    row = page.locator("#result_list tbody tr").filter(has_text="csv: mode").bounding_box()
    number = page.locator("#result_list tbody th").first.bounding_box()
    assert row["height"] < 110
    assert number["width"] < 60


def test_totals_and_long_words_fit_on_a_phone(open_page, site):
    reference, merchant = "R" * 64, MerchantFactory()
    for currency in ("BSD", "JPY", "KWD", "USD"):
        PaymentFactory(merchant=merchant, currency=currency, amount=99_999_999, reference=reference)
    page = open_desk(open_page, Role.SUPPORT, width=390)

    for path in (f"{list_of(Payment)}?mode=test", f"/admin/search/?q={reference}"):
        page.goto(site + path)
        page.get_by_text("999,999.99").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") == 0, path


def test_the_phone_of_a_customer_is_read_on_one_line(open_page):
    for _ in range(2):
        CustomerFactory(merchant=MerchantFactory(name="Emporium of Curiosities " * 4))
    page = open_desk(open_page, Role.SUPPORT, "/admin/search/?q=%2B12425550177", width=1280)

    assert page.get_by_role("link", name="••• 0177").first.bounding_box()["height"] < 30


def test_the_tools_of_the_longest_list_take_two_lines(open_page):
    page = open_desk(
        open_page, Role.FINANCE, f"{list_of(Payment)}?mode=test&status=completed", width=1280
    )

    assert page.locator(".bo-list-top").bounding_box()["height"] < 90
    menu = page.locator(".bo-filters .bo-menu").first.bounding_box()
    export = page.get_by_role("link", name="Excel").bounding_box()
    assert menu["y"] < export["y"]


def test_the_payments_of_a_phone_number_are_read_without_scrolling(open_page):
    merchant = MerchantFactory(name="The Conch Republic Trading Company")
    customer = CustomerFactory(merchant=merchant, phone="+12425550188")
    for status, description in (("requires_action", "Birthday cake for fourteen"), ("created", "")):
        values = {"customer": customer, "status": status, "description": description}
        PaymentFactory(merchant=merchant, amount=12_345_678, amount_refunded=0, **values)
    page = open_desk(open_page, Role.SUPPORT, "/admin/search/?q=%2B12425550188", width=1280)

    page.get_by_text("123,456.78").first.wait_for()
    assert page.evaluate(SIDEWAYS) == []
    page.set_viewport_size({"width": 820, "height": 900})
    assert page.evaluate(SIDEWAYS) == []


def test_the_event_of_a_delivery_is_read_on_one_line(open_page):
    one_of_each()
    page = open_desk(open_page, Role.SUPPORT, f"{list_of(Delivery)}?mode=test", width=1280)

    event = page.locator("td.field-event").filter(has_text="payment_link.created").first
    lines = event.evaluate(
        "(cell) => { const all = document.createRange(); all.selectNodeContents(cell);"
        " return new Set([...all.getClientRects()].map((part) => part.top)).size; }"
    )
    assert lines == 1


def test_lists_of_both_modes_fit_and_why_an_entry_waits_makes_no_tower(open_page, site):
    one_of_each()
    live_payout(Api(), amount=125_000)
    problem = f"The bank has already reported this. If a person matched ben_{'0' * 30} wrongly,"
    BankEntry.objects.update(problem=problem)
    page = open_desk(open_page, Role.FINANCE, width=1280)

    for model, width in ((Payment, 1280), (Payout, 1280), (BankEntry, 820)):
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{site}{list_of(model)}?mode=both")
        table = page.locator("#result_list")
        wider = "table => table.scrollWidth - table.parentElement.clientWidth"
        assert table.evaluate(wider) <= 0, model
    assert page.locator("#result_list tbody tr").first.bounding_box()["height"] < 110


@pytest.mark.usefixtures("debtor_account")
def test_what_is_to_be_said_of_a_payout_stays_on_a_phone(open_page):
    """An id of forty letters, and the way to another page, break into lines."""
    payout = live_payout(Api(), amount=1250)
    batch_of()
    problem = f"The bank has already reported this. If a person matched ben_{'0' * 30} wrongly,"
    read(statement(entry(1250, order_of(payout))))
    BankEntry.objects.update(state="unmatched", resolved_at=None, problem=problem)
    page = open_desk(open_page, Role.FINANCE, page_of(payout), width=390)

    assert page.evaluate("document.documentElement.scrollWidth") == 390
    said = page.locator(".bo-answer")
    assert said.evaluate_all("all => all.every((it) => it.scrollWidth <= it.clientWidth)")
