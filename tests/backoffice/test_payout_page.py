"""A payout line by line, what explains a difference, and a merchant's statement."""

import io
import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.contrib.auth.models import User
from openpyxl import load_workbook
from pypdf import PdfReader

from backoffice.export_sources import content_of
from backoffice.formats import MINUS, day_text
from backoffice.models import AuditEntry, ExportRun
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.exports import LEASE, make_due
from backoffice.sheets import csv_lines
from backoffice.statement_files import KINDS, period_of, statement_sheet
from core.clock import utc_now
from core.money import share_of
from ledger.models import Account, Purpose
from ledger.services import balance_of
from merchants.models import Merchant
from messages.models import Message
from payments.models import Payment
from payouts.composition import composition_of
from payouts.models import AccountStatement, Payout
from payouts.services import mark_sent, record_paid, record_returned
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of, paid_payment, scheduled_payout
from tests.factories import MerchantFactory
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db


@pytest.fixture
def seller() -> Merchant:
    return MerchantFactory(fee_basis_points=150)


@pytest.fixture
def payments(seller: Merchant) -> list[Payment]:
    return [paid_payment(seller, amount, order_id=f"A-{amount}") for amount in (10_000, 5_000)]


@pytest.fixture
def payout(seller: Merchant, payments: list[Payment]) -> Payout:
    refund(payments[1], 1_269)
    return scheduled_payout(seller)


def refund(payment: Payment, amount: int) -> None:
    create_refund(
        caller=caller_of(payment.merchant),
        payment_id=payment.pk,
        draft=RefundDraft(amount=amount, reason="Cold"),
        now=utc_now(),
    )


def page(office: Office, payout: Payout, query: str = "") -> str:
    return office(Role.FINANCE).get(f"{page_of(payout)}{query}").content.decode()


def test_its_parts_lead_from_the_balance_before_to_that_after(payout: Payout) -> None:
    made_of = composition_of(payout)

    assert made_of.parts["payments_amount"].amount == 15_000
    assert made_of.parts["refunds_amount"].amount == -1_269
    assert made_of.parts["fees_amount"].amount == -225 + share_of(75, 1_269, 5_000)
    total = made_of.opening_amount + sum(part.amount for part in made_of.parts.values())
    assert total - made_of.payout_amount == made_of.closing_amount == 0
    assert made_of.payout_amount == payout.amount


@pytest.mark.each_on_postgres(ITS_OWN)
def test_its_page_names_each_part_with_its_movements(office: Office, payout: Payout) -> None:
    shown = page(office, payout)

    for words in ("What it is made of", "Balance before", "Amount, BSD", ">150.00<"):
        assert words in shown
    assert ">Fees, less fees refunded<" in shown
    assert f">{MINUS}12.69<" in shown  # the one minus of all amounts
    address = f"/admin/payouts/statementline/?payout={payout.pk}&amp;part=refunds_amount"
    assert address in shown
    listed = office(Role.FINANCE).get(address.replace("&amp;", "&")).content.decode()
    assert "1 movement" in listed
    assert f"{MINUS}B$12.69 BSD" in listed


def test_it_explains_a_difference(office: Office, payout: Payout) -> None:
    shown = page(office, payout, "?ask=12.50")

    assert "What makes up B$12.50 BSD here" in shown  # 12.69 went back, and 0.19 of the fee came
    assert shown.count(">Amount, BSD<") == 2
    assert f">{MINUS}12.69<" in shown
    assert ">0.19<" in shown
    [refused] = re.findall(
        "“what” is not an amount in BSD.*?</section>", page(office, payout, "?ask=what"), re.S
    )
    assert "None." not in refused


def test_it_says_if_nothing_explains_a_difference(office: Office, payout: Payout) -> None:
    [explained] = re.findall(
        "Nothing here makes up B[$]6.66 BSD.*?</section>", page(office, payout, "?ask=6.66"), re.S
    )

    assert "alone or in pairs" in explained
    assert "None." not in explained


def test_it_names_what_came_too_late(office: Office, seller: Merchant, payout: Payout) -> None:
    late = paid_payment(seller, 7_777)
    scheduled_payout(seller)

    shown = page(office, payout, "?ask=77.77")

    assert "What came too late for this payout: B$77.77 BSD in the next one" in shown
    assert late.pk in shown


@pytest.fixture
def statement(office: Office, seller: Merchant, payout: Payout) -> AccountStatement:
    """A statement of this month so far, ready with its file."""
    response = act(
        office(Role.FINANCE),
        seller,
        "statement",
        mode="test",
        period="this_month",
        currency="BSD",
        form="xlsx",
    )
    assert response.status_code == 302, response.content
    made = AccountStatement.objects.get()
    assert response["Location"] == page_of(ExportRun.objects.get())
    return made


def ready(statement: AccountStatement) -> None:

    from payouts.account_statements import make_due as make_statements

    make_statements(now=utc_now() + timedelta(minutes=2))
    statement.refresh_from_db()
    assert statement.ready_at


def test_a_month_adds_up_in_excel(
    office: Office, seller: Merchant, payout: Payout, statement: AccountStatement
) -> None:
    assert make_due(content_of=content_of, now=utc_now()) == 0  # the statement is not over yet
    ready(statement)
    assert make_due(content_of=content_of, now=utc_now()) == 1

    run = ExportRun.objects.get()
    file = office(Role.FINANCE).get(f"/admin/backoffice/exportrun/{run.pk}/file/")
    book = load_workbook(io.BytesIO(file.getvalue()))
    sums = {row[0]: row[1] for row in book["Summary"].iter_rows(values_only=True)}
    assert sums["Time zone"] == seller.time_zone
    assert sums["Payments"] == 150
    assert sums["Closing balance"] == sums["Opening balance"] == 0
    lines = list(book["Movements"].iter_rows(values_only=True))
    titles, opening, *movements, closing = lines
    place = titles.index("Amount in smallest units")
    assert sum(int(str(line[place])) for line in movements) == 0
    assert (opening[1], closing[1]) == ("Opening balance", "Closing balance")
    assert [line[titles.index("Order")] for line in movements if line[1] == "Payment"] == [
        "A-10000",
        "A-5000",
    ]
    [refunded] = [line for line in movements if line[1] == "Refund"]
    assert refunded[titles.index("Order")] == "A-5000"
    account = Account.objects.get(owner=seller.pk, purpose=Purpose.MERCHANT)
    assert closing[titles.index("Balance")] == balance_of(account)


@pytest.mark.parametrize("zone", ["America/Nassau", "Asia/Tokyo"])
def test_the_balances_of_a_month_are_dated_within_it(
    seller: Merchant, statement: AccountStatement, zone: str
) -> None:
    Merchant.objects.filter(pk=seller.pk).update(time_zone=zone)
    first_day = datetime(2026, 2, 1, tzinfo=ZoneInfo(zone))
    AccountStatement.objects.update(start_at=first_day, end_at=first_day + timedelta(days=28))
    statement = AccountStatement.objects.get()

    lines = [line.decode() for line in csv_lines(statement_sheet(statement))]

    assert lines[1].startswith("2026-02-01 00:00:00")
    assert lines[-1].startswith("2026-02-28 23:59:59")


def test_an_accountant_reads_words_and_no_codes(
    payout: Payout, request: pytest.FixtureRequest
) -> None:
    mark_sent(payout_id=payout.pk, actor="staff:x", now=utc_now())
    record_paid(payout_id=payout.pk, actor="staff:x", now=utc_now())
    record_returned(payout_id=payout.pk, code="", message="", actor="system:x", now=utc_now())
    statement = request.getfixturevalue("statement")
    ready(statement)

    kinds = {row[1] for row in statement_sheet(statement).rows}

    assert "Payout sent back" in kinds
    assert kinds <= {*KINDS.values(), "Opening balance", "Closing balance"}
    assert [words for words in KINDS.values() if "_" in words] == []


@pytest.mark.parametrize(("form", "begins"), [("pdf", b"%PDF"), ("csv", b"\xef\xbb\xbfDate,Type")])
def test_its_page_shows_the_sums_and_makes_other_files(
    office: Office, statement: AccountStatement, form: str, begins: bytes
) -> None:
    ready(statement)
    shown = office(Role.FINANCE).get(page_of(statement)).content.decode()
    for words in ("It adds up.", "Opening balance", "Day by day", ">150.00<"):
        assert words in shown

    User.objects.update(email="finance@office.example")
    office(Role.FINANCE).get(f"/admin/payouts/accountstatement/{statement.pk}/file/{form}/")
    run = ExportRun.objects.get(form=form)
    ExportRun.objects.filter(pk=run.pk).update(lease_until=utc_now() + LEASE)
    asked = office(Role.FINANCE).get(page_of(run)).content.decode()
    assert ("0 rows so far" in asked) == (form == "csv")
    ExportRun.objects.filter(pk=run.pk).update(lease_until=None)
    while make_due(content_of=content_of, now=utc_now()):  # a file per turn
        pass

    run = ExportRun.objects.get(form=form)
    file = office(Role.FINANCE).get(f"/admin/backoffice/exportrun/{run.pk}/file/")
    content = file.getvalue()
    assert content.startswith(begins)
    if form == "pdf":
        days = " to ".join(map(day_text, period_of(statement)))
        page = PdfReader(io.BytesIO(content)).pages[0].extract_text()
        assert f"{days}, {statement.merchant.time_zone}" in page
        assert f"{statement.pk}, {days}, {statement.merchant.name}" in page
    told = Message.objects.get(about=run.pk).text
    assert f"It {'is kept' if form == 'pdf' else 'has '}" in told


def test_viewers_see_a_statement_and_get_no_file(
    office: Office, statement: AccountStatement
) -> None:
    viewer = office(Role.VIEWER)
    assert viewer.get(page_of(statement)).status_code == 200

    answer = viewer.get(f"/admin/payouts/accountstatement/{statement.pk}/file/csv/")

    assert answer.status_code == 403
    assert AuditEntry.objects.latest("sequence").outcome == "forbidden"
    assert ExportRun.objects.count() == 1
