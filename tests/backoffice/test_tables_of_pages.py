"""The tables on a page say what is of each row, and not what the page says for all of them."""

from datetime import timedelta
from typing import Any

import pytest
from django.db.models import Model

from backoffice.admin.statements import DAYS_SHOWN
from backoffice.formats import EMPTY, amount
from backoffice.models import Instruction
from backoffice.page_parts import Table
from backoffice.registry import ADMINS
from backoffice.registry import office as site
from backoffice.resource.page_urls import page_of
from backoffice.resource.resource import Related
from backoffice.resource.shown import Figure
from backoffice.roles import Role
from backoffice.statement_files import DaySums
from core.clock import utc_now
from customers.models import Customer
from funding.models import TopUp
from ledger.models import Account, Purpose
from merchants.models import Merchant
from payments.models import Payment
from payouts.models import AccountStatement, BankEntry, Payout
from tests.backoffice.conftest import Office
from tests.factories import PaymentFactory
from webhooks.models import Webhook

pytestmark = pytest.mark.django_db

Rows = dict[type[Model], Model]


def tables_of(office: Office, row: Model) -> dict[str, Table]:
    context = office(Role.ADMINISTRATOR).get(page_of(row)).context
    return {table.title: table for table in context["tables"]}


def columns_of(table: Table) -> list[str]:
    return [str(column).removesuffix("</span>").rpartition(">")[2] for column in table.columns]


def test_what_the_page_says_for_all_is_no_column(rows: Rows, office: Office) -> None:
    refunds = tables_of(office, rows[Payment])["Refunds"]
    payments = tables_of(office, rows[Merchant])["Newest payments"]

    assert columns_of(refunds) == ["Created", "Amount, BSD", "Status", "Reason", "By", "Refund"]
    assert "Merchant" not in columns_of(payments)
    assert "Mode" in columns_of(payments)  # a merchant has payments of both


@pytest.mark.parametrize("model", [TopUp, BankEntry, Instruction])
def test_some_pages_leave_out_tables_without_rows(
    rows: Rows, office: Office, model: type[Model]
) -> None:
    row = rows[model]
    declared = [related for related in ADMINS[model].related if related.model]

    tables = tables_of(office, row)

    assert len(declared) > len(tables)
    assert [title for title, table in tables.items() if not table.rows] == []


def test_other_pages_say_that_a_table_has_no_rows(office: Office) -> None:
    assert tables_of(office, PaymentFactory())["Refunds"].rows == []


@pytest.mark.parametrize(("order", "first"), [({}, -1), ({"order": ("pk",)}, 0)])
def test_the_rows_of_a_table_are_the_newest_first_or_in_its_own_order(
    merchant: Merchant, order: dict[str, Any], first: int
) -> None:
    payments = [PaymentFactory(merchant=merchant) for _ in range(3)]

    table = Related(Payment, "merchant", **order).table(merchant, site.get_model_admin(Payment))

    assert len(table.rows) == len(payments)
    assert payments[first].pk in str(table.rows[0][0])


def test_each_column_has_a_heading(rows: Rows, office: Office) -> None:
    browser = office(Role.ADMINISTRATOR)
    found = [
        table for row in rows.values() for table in browser.get(page_of(row)).context["tables"]
    ]
    found += browser.get(f"{page_of(rows[Payout])}?ask=100.00").context["tables"]

    assert [table.title for table in found if "" in table.columns] == []


def test_deliveries_of_an_endpoint_say_when_and_not_where(rows: Rows, office: Office) -> None:
    deliveries = tables_of(office, rows[Webhook])["Deliveries"]

    assert columns_of(deliveries)[0] == "Created"
    assert "URL" not in columns_of(deliveries)
    assert "endpoint=" in deliveries.more


def test_the_mode_of_a_key_is_said_first(rows: Rows, office: Office) -> None:
    assert columns_of(tables_of(office, rows[Merchant])["API keys"])[:2] == ["Key", "Mode"]


def test_an_amount_of_a_table_has_its_currency_once(rows: Rows, office: Office) -> None:
    payments = tables_of(office, rows[Merchant])["Newest payments"]

    assert columns_of(payments)[1] == "Amount, BSD"
    assert str(payments.rows[0][1]) == '<span class="bo-amount">5,000.00</span>'


def test_figures_of_a_table_stand_below_each_other(rows: Rows, office: Office) -> None:
    deliveries = tables_of(office, rows[Webhook])["Deliveries"]
    made_of = tables_of(office, rows[Payout])["What it is made of"]

    attempts = columns_of(deliveries).index("Attempts")
    assert str(deliveries.columns[attempts]) == '<span class="bo-amount">Attempts</span>'
    assert str(deliveries.rows[0][attempts]) == '<span class="bo-amount">0</span>'
    assert str(made_of.columns[1]) == '<span class="bo-amount">How many</span>'
    assert str(made_of.rows[1][1]) == '<span class="bo-amount">1</span>'


@pytest.mark.parametrize(
    ("table", "is_narrow"),
    [
        (Table("Payments", "abcde", [["1"] * 5]), False),
        (Table("Payments", "abcd", [["1"] * 4]), True),
        (Table("Payments", "abcde", []), True),
        (Table("What explains it", "abcde", [["1"] * 5], is_first=True), True),
    ],
)
def test_a_narrow_table_fits_into_half_of_a_page(table: Table, is_narrow: bool) -> None:
    assert table.is_narrow is is_narrow


def test_a_statement_shows_what_moved_and_how_many_days_it_leaves_out(
    rows: Rows, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement: Any = rows[AccountStatement]
    first = statement.created_at.date()
    sums = {"payments_amount": 1_250, "fees_amount": -19, "refunds_amount": 0}
    sums |= {"adjustments_amount": 0, "payouts_amount": 0, "returned_payouts_amount": 0}
    days = [DaySums(first + timedelta(days=number), sums, 123_456) for number in range(45)]
    monkeypatch.setattr("backoffice.admin.statements.statement_days", lambda _: iter(days))

    title = f"Day by day, in BSD: the last {DAYS_SHOWN} of 45 days with movements"
    table = tables_of(office, statement)[title]

    assert columns_of(table) == ["Day", "Payments", "Fees", "Balance"]
    assert len(table.rows) == DAYS_SHOWN
    assert ">12.50<" in str(table.rows[0][1])
    assert ">1,234.56<" in str(table.rows[0][3])


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (1234, "1,234"), (None, EMPTY), ("", EMPTY)]
)
def test_a_count_of_none_is_a_figure_and_an_unknown_one_is_not(value: Any, shown: str) -> None:
    field = Figure("Rows", lambda row: row)

    assert (field.cell(value), field(value)) == (shown, amount(shown))


def test_the_numbers_of_items_are_aligned_like_their_prices(
    office: Office, merchant: Merchant
) -> None:
    items = [{"name": "Guava duff", "quantity": 4, "price": 650}]
    payment = PaymentFactory(merchant=merchant, amount=2_600, line_items=items)

    page = office(Role.SUPPORT).get(page_of(payment)).content.decode()

    for cell in ("Quantity", "4", "Price, BSD", "6.50"):
        assert f'<span class="bo-amount">{cell}</span>' in page


def test_the_page_of_an_account_is_headed_by_the_name_of_its_owner(
    office: Office, rows: Rows
) -> None:
    merchant = Merchant.objects.get(pk=rows[Merchant].pk)
    customer = Customer.objects.get(pk=rows[Customer].pk)
    headings = {
        "merchant": f"Merchant account: {merchant.name}",
        "wallet": f"Wallet account: {customer}",
    }
    headings["funding"] = "Funding account: house"
    accounts = [Account.objects.filter(purpose=purpose).latest("pk") for purpose in headings]
    browser = office(Role.FINANCE)

    titles = [browser.get(page_of(account)).context["title"] for account in accounts]

    assert titles == list(headings.values())


def test_the_account_of_someone_erased_is_headed_by_its_owners_id(
    office: Office, rows: Rows
) -> None:
    account = Account.objects.filter(purpose=Purpose.WALLET).latest("pk")
    nameless = dict.fromkeys(("name", "email", "language", "pin_hash"), "")
    Customer.objects.filter(pk=account.owner).update(
        erased_at=utc_now(), frozen_at=utc_now(), phone="+0123456789", **nameless
    )

    title = office(Role.FINANCE).get(page_of(account)).context["title"]

    assert title == f"Wallet account: {account.owner}"


def test_accounts_are_listed_by_the_names_of_their_owners_and_kept_by_their_ids(
    office: Office, rows: Rows
) -> None:
    merchant = Merchant.objects.get(pk=rows[Merchant].pk)
    customer = Customer.objects.get(pk=rows[Customer].pk)
    accounts = "/admin/ledger/account/"
    browser = office(Role.FINANCE)

    page = browser.get(f"{accounts}?mode=both").content.decode()
    file = browser.get(f"{accounts}export/csv/?mode=both").content.decode()

    for owner, name in ((merchant, merchant.name), (customer, customer.masked_phone)):
        assert name in page
        assert owner.pk in file
