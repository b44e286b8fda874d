"""Lists: their filters, what is counted, what an export holds, and saved views."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from openpyxl import load_workbook

from backoffice.admin.payments import PaymentAdmin
from backoffice.formats import long_text
from backoffice.models import AuditEntry
from backoffice.resource.days import id_at
from backoffice.resource.paginator import COUNTED
from backoffice.roles import Role
from core.clock import utc_now
from core.ids import new_id
from customers.models import Customer
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db

PAYMENTS = "/admin/payments/payment/"


def test_ids_begin_with_their_time() -> None:
    instant = utc_now()

    assert id_at("pay", instant) <= new_id("pay", instant) < id_at("pay", instant + timedelta(1))


def made_on(merchant: Merchant, days_ago: int, amount: int) -> Payment:
    instant = utc_now() - timedelta(days=days_ago)
    return PaymentFactory(
        id=new_id("pay", instant), merchant=merchant, amount=amount, created_at=instant
    )


def rows_of(office: Office, query: str, role: Role = Role.FINANCE) -> list[dict[str, str]]:
    response = office(role).get(f"{PAYMENTS}export/csv/?{query}")
    assert response.status_code == 200
    return list(csv.DictReader(io.StringIO(response.content.decode().lstrip("\ufeff"))))


def test_filters_live_in_the_address(
    office: Office, merchant: Merchant, stranger: Merchant
) -> None:
    old, new = made_on(merchant, 3, 300), made_on(merchant, 0, 100)
    other = made_on(stranger, 0, 200)
    paid = paid_payment(merchant, 400)

    def found(query: str) -> set[str]:
        return {row["Payment"] for row in rows_of(office, query)}

    assert found("mode=test") == {old.pk, new.pk, other.pk, paid.pk}
    assert found("mode=live") == set()
    assert found("") == set()  # live, where nothing is said
    assert found("mode=test&day=today") == {new.pk, other.pk, paid.pk}
    assert found("mode=test&status=completed") == {paid.pk}
    assert found(f"mode=both&merchant={stranger.pk}") == {other.pk}
    assert found(f"mode=both&customer={paid.customer_id}") == {paid.pk}
    day = (utc_now() - timedelta(days=3)).date()
    assert found(f"mode=test&day_from={day - timedelta(days=1)}&day_to={day}") == {old.pk}


def test_an_export_is_the_list_on_the_screen(office: Office, merchant: Merchant) -> None:
    paid = paid_payment(merchant, 123_456, reference="=HYPERLINK(1)")

    rows = rows_of(office, "mode=test&status=completed")

    assert len(rows) == 1
    row = rows[0]
    assert (row["Gross"], row["Gross in smallest units"], row["Currency"]) == (
        "1234.56",
        "123456",
        "BSD",
    )
    assert (row["Payment"], row["Status"], row["Mode"]) == (paid.pk, "completed", "test")
    assert row["Reference"] == "'=HYPERLINK(1)"
    assert row["Customer"] == "'+1 242 ••• 0100"
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.act, entry.reason) == ("export", "csv: mode=test&status=completed")


def test_an_export_for_excel_says_the_same(office: Office, merchant: Merchant) -> None:
    paid_payment(merchant, 123_456, reference="=1+1", order_id="no XML\uffff")

    response = office(Role.FINANCE).get(f"{PAYMENTS}export/xlsx/?mode=test")

    sheet = load_workbook(io.BytesIO(response.content)).active
    assert sheet is not None
    titles, row = list(sheet.iter_rows(values_only=True))
    cells = dict(zip(titles, row, strict=True))
    assert cells["Gross in smallest units"] == 123_456
    assert cells["Reference"] == "'=1+1"
    assert all(cell.data_type != "f" for line in sheet.iter_rows() for cell in line)


def test_the_last_sheet_of_an_excel_file_names_the_zone_of_its_times(office: Office) -> None:
    response = office(Role.FINANCE).get(f"{PAYMENTS}export/xlsx/?mode=test")

    book = load_workbook(io.BytesIO(response.content))
    assert book.active == book.worksheets[0]
    about = list(book.worksheets[-1].iter_rows(values_only=True))
    assert (book.sheetnames, about[1]) == (["Payments", "About"], ("Time zone", "America/Nassau"))


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("payouts/accountstatement", "A statement is made on the merchant&#x27;s page."),
        ("refunds/inquiry", "What customers report on a receipt comes here."),
    ],
)
def test_an_empty_list_says_what_comes_there_or_that_nothing_fits_its_filters(
    office: Office, page: str, said: str
) -> None:
    browser, unmatched = office(Role.FINANCE), "Nothing matches these filters."

    shown = browser.get(f"/admin/{page}/").content.decode()
    filtered = browser.get(f"/admin/{page}/", {"mode": "test"}).content.decode()

    assert ("Nothing here." in shown, said in shown, unmatched in shown) == (True, True, False)
    assert ("Nothing here." in filtered, said in filtered) == (False, False)
    assert f'{unmatched}</p><a class="bo-button" href="?">Clear them</a>' in filtered


def test_a_list_counts_no_further_than_its_pages(office: Office, merchant: Merchant) -> None:
    first = PaymentFactory(merchant=merchant)
    rows = [
        Payment(
            **{
                field.attname: getattr(first, field.attname)
                for field in Payment._meta.concrete_fields
            }
            | {"id": new_id("pay", utc_now())}
        )
        for _ in range(COUNTED + 5)
    ]
    Payment.objects.bulk_create(rows)

    page = office(Role.VIEWER).get(PAYMENTS, {"mode": "test"}).content.decode()

    assert f"The first {COUNTED:,} payments; there are more" in page
    assert office(Role.VIEWER).get(f"{PAYMENTS}?mode=test&p=20").status_code == 200


def test_few_rows_are_found_by_their_keys(office: Office, merchant: Merchant) -> None:
    """Otherwise PostgreSQL may look for them along the newest rows of all merchants."""
    newest = PaymentFactory.create_batch(3, merchant=merchant)[-1]
    viewer = office(Role.VIEWER)

    with CaptureQueriesContext(connection) as statements:
        page = viewer.get(PAYMENTS, {"mode": "both", "merchant": merchant.pk}).content.decode()
    rows = [each["sql"] for each in statements if 'FROM "payments_payment"' in each["sql"]]
    with CaptureQueriesContext(connection) as others:
        viewer.get(PAYMENTS, {"mode": "both", "merchant": merchant.pk, "status": "failed"})

    assert newest.pk in page
    assert "ORDER BY" not in rows[0]
    assert f"'{newest.pk}'" in rows[1]
    assert sum('FROM "payments_payment"' in each["sql"] for each in others) == 1
    with CaptureQueriesContext(connection) as statements:
        viewer.get(PAYMENTS, {"mode": "both", "merchant": merchant.pk, "sort": "largest"})
    assert (
        f"'{newest.pk}'"
        in [each["sql"] for each in statements if 'FROM "payments_payment"' in each["sql"]][1]
    )


def test_a_page_of_many_rows_is_found_by_the_keys_in_its_order(
    office: Office, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An index has them: of a merchant's thousands, only the rows of the page are read."""
    monkeypatch.setattr("backoffice.resource.paginator.COUNTED", 2)
    monkeypatch.setattr(PaymentAdmin, "list_per_page", 1)
    amounts = {"first": 300, "second": 100, "third": 200}
    pks = {name: PaymentFactory(merchant=merchant, amount=it).pk for name, it in amounts.items()}
    viewer = office(Role.VIEWER)

    with CaptureQueriesContext(connection) as sent:
        page = viewer.get(f"{PAYMENTS}?mode=test&p=2")
    _, rows = [it["sql"] for it in sent if 'FROM "payments_payment"' in it["sql"]]
    smallest = viewer.get(f"{PAYMENTS}?mode=test&p=2&sort=smallest")

    assert [row.pk for row in page.context["cl"].result_list] == [pks["second"]]
    assert [row.pk for row in smallest.context["cl"].result_list] == [pks["third"]]
    assert re.search(r'"id" IN \(SELECT U0."id" .* ORDER BY .* LIMIT 1 OFFSET 1\)', rows)


def test_no_script_gets_into_a_page(office: Office, merchant: Merchant) -> None:
    attack = "<script>alert(1)</script>"
    Merchant.objects.update(name=attack)
    payment = paid_payment(
        merchant, 1_250, description=attack, reference=attack, metadata={attack: attack}
    )
    Customer.objects.update(name=attack, email=f"{attack}@x")
    browser = office(Role.ADMINISTRATOR)

    for page in (
        f"{PAYMENTS}?mode=test",
        f"{PAYMENTS}{payment.pk}/change/",
        f"/admin/customers/customer/{payment.customer_id}/change/",
        f"/admin/merchants/merchant/{merchant.pk}/change/",
        f"/admin/search/?q={attack}",
        f"{PAYMENTS}?status={attack}",
        f"{PAYMENTS}?merchant={attack}",
        f"/admin/views/?path={attack}&query={attack}",
    ):
        assert attack not in browser.get(page).content.decode()


@pytest.mark.parametrize(
    "address",
    [
        "?merchant=%00",
        "?mode=test&status=%00",
        "pay_%00/change/",
        "pay_%00/acts/refund/",
        "export/csv/?merchant=%00",
    ],
)
def test_an_address_that_no_database_can_hold_is_refused(office: Office, address: str) -> None:
    response = office(Role.FINANCE).get(f"{PAYMENTS}{address}")

    assert (response.status_code, response.json()["code"]) == (400, "INVALID_REQUEST")


@pytest.mark.parametrize("page", ["payouts/bankholiday/foo", "auth/user/foo", "payments/payment/x"])
def test_what_is_no_key_of_a_row_is_not_found(office: Office, page: str) -> None:
    assert office(Role.ADMINISTRATOR).get(f"/admin/{page}/change/").status_code == 404


def test_an_account_of_five_thousand_digits_is_none(office: Office) -> None:
    response = office(Role.FINANCE).get("/admin/ledger/transfer/", {"account": "9" * 5_000})

    assert response.status_code == 200


NO_DAYS = [
    ("paid_from=2026-11-31", "Paid: “2026-11-31” is not a day"),
    ("paid_from=2026-11-30&paid_to=2026-11-31", "Paid: “2026-11-31” is not a day"),
    ("paid_to=2026-11-20", "Paid: the first day, before “2026-11-20”, is missing"),
    ("paid_from=2026-11-20&paid_to=2026-11-03", "Paid: “2026-11-03” is before “2026-11-20”"),
    ("paid=2026-11-20..2026-11-03", "Paid: “2026-11-03” is before “2026-11-20”"),
    ("paid=2026-11-31", "Paid: “2026-11-31” is not a day"),
    ("day=someday", "Day: “someday” is not a day"),
    ("day=,", "Day: “,” is not a day"),
    ("day=2026-02-30..", "Day: “2026-02-30” is not a day"),
]


@pytest.mark.each_on_postgres("the rows of no days are of its own indexes")
@pytest.mark.parametrize(("days", "told"), NO_DAYS)
def test_what_is_no_day_lists_and_exports_nothing(office: Office, days: str, told: str) -> None:
    paid = paid_payment()

    page = office(Role.FINANCE).get(f"{PAYMENTS}?mode=test&{days}").content.decode()

    assert f"{told}. Nothing is listed." in page
    assert paid.pk not in page
    assert rows_of(office, f"mode=test&{days}") == []
    assert len(rows_of(office, "mode=test&paid=today")) == 1


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "https://till.shop.example.com/hooks/v2",
            ["https://", "till", ".shop", ".example", ".com/", "hooks/", "v2", ""],
        ),
        ("Cake. 1/2 of it", ["Cake. 1/2 of it"]),
    ],
)
def test_the_words_of_a_url_stay_whole_in_a_narrow_column(text: str, parts: list[str]) -> None:
    shown = long_text(text, 50)

    assert (
        shown.removeprefix('<span class="bo-long" title="">').removesuffix("</span>").split("<wbr>")
        == parts
    )
