"""Exports in the background: made by a worker, seen by their requester, told when ready."""

import io
from datetime import datetime, timedelta
from decimal import Decimal

import pytest
import time_machine
from celery.exceptions import SoftTimeLimitExceeded
from django.contrib.auth.models import Group, User
from openpyxl import load_workbook

from backoffice.export_sources import content_of
from backoffice.models import AuditEntry, ExportForm, ExportPart, ExportRun
from backoffice.pages import export
from backoffice.resource import paginator
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services import exports
from backoffice.services.exports import LEASE, MOST_ATTEMPTS, delete_old, make_due, start_export
from backoffice.tasks import make_exports
from core.clock import utc_now
from core.errors import ApiError
from merchants.models import Merchant
from messages.models import Message
from payments.models import Payment
from payments.numbers import number_of
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import paid_payment
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db
PAYMENTS = "/admin/payments/payment/"


@pytest.fixture(autouse=True)
def _long_from_two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paginator, "COUNTED", 2)
    monkeypatch.setattr(export, "CHUNK", 2)
    monkeypatch.setattr(exports, "NOTED_EVERY", 2)


@pytest.fixture
def paid(merchant: Merchant) -> list[Payment]:
    return [paid_payment(merchant, amount, order_id=f"A-{amount}") for amount in (100, 250, 900)]


def asked(office: Office, form: str = "csv", query: str = "mode=test") -> ExportRun:
    response = office(Role.FINANCE).get(f"{PAYMENTS}export/{form}/?{query}")
    run = ExportRun.objects.latest("pk")
    assert (response.status_code, response["Location"]) == (302, page_of(run))
    return run


def made(run: ExportRun) -> ExportRun:
    make_due(content_of=content_of, now=utc_now())
    run.refresh_from_db()
    return run


def test_its_days_and_hours_are_those_of_staff(office: Office, merchant: Merchant) -> None:
    with time_machine.travel("2026-11-10T02:00Z", tick=False):  # the 9th, 21:00, in Nassau
        for _ in range(3):
            paid_payment(merchant)
        listed = office(Role.FINANCE).get(f"{PAYMENTS}?mode=test&day=today").context["cl"]
        run = made(asked(office, query="mode=test&day=today"))

        text = file_of(office, run).decode()

    assert (run.row_count, listed.paginator.has_more) == (3, True)
    assert text.count("2026-11-09 21:00:00") == 2 * 3  # created and paid


def file_of(office: Office, run: ExportRun) -> bytes:
    response = office(Role.FINANCE).get(f"/admin/backoffice/exportrun/{run.pk}/file/")
    assert response.status_code == 200
    return response.getvalue()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_long_list_is_made_in_the_background(office: Office, paid: list[Payment]) -> None:
    User.objects.filter(username="finance").delete()
    run = asked(office)
    User.objects.filter(username="finance").update(email="finance@office.example")
    page = office(Role.FINANCE).get(page_of(run)).content.decode()
    assert "It waits for its turn, requested under a minute ago." in page
    assert "data-reload" in page
    assert '<a class="bo-link" href="/admin/payments/payment/?mode=test">Payments</a>' in page

    made(run)

    assert (run.state, run.row_count) == ("ready", 3)
    lines = file_of(office, run).decode().splitlines()
    assert len(lines) == 4
    assert [paid[number].pk in lines[3 - number] for number in range(3)] == [True] * 3
    page = office(Role.FINANCE).get(page_of(run)).content.decode()
    assert f"/admin/backoffice/exportrun/{run.pk}/file/" in page
    assert "data-reload" not in page
    message = Message.objects.get(kind="staff_export")
    assert message.recipient == "finance@office.example"
    assert message.subject.endswith("your export is ready")
    assert AuditEntry.objects.filter(act="download export", subject_id=run.pk).count() == 1


def test_one_of_the_oldest_first_begins_with_them(office: Office, paid: list[Payment]) -> None:
    run = made(asked(office, query="mode=test&sort=oldest"))

    lines = file_of(office, run).decode().splitlines()
    assert [paid[number].pk in lines[number + 1] for number in range(3)] == [True] * 3


def test_an_address_of_any_length_is_exported(office: Office, paid: list[Payment]) -> None:
    run = made(asked(office, query=f"mode=test&columns={'amount,' * 200}"))

    assert (run.state, run.row_count) == ("ready", 3)


def test_numbers_and_instants_have_their_types_in_excel(
    office: Office, paid: list[Payment]
) -> None:
    run = made(asked(office, "xlsx"))

    page = load_workbook(io.BytesIO(file_of(office, run))).active
    assert page is not None
    assert page.sheet_format.defaultColWidth >= len("2026-11-09 21:00:00")
    titles, newest, *_ = list(page.iter_rows())
    cells = {str(title.value): cell for title, cell in zip(titles, newest, strict=True)}
    payment = paid[-1]
    assert isinstance(cells["Paid"].value, datetime)
    assert (cells["Gross"].value, cells["Gross"].number_format) == (9, "#,##0.00")
    assert cells["Gross"].data_type == "n"
    assert cells["Currency"].value == "BSD"
    assert cells["Gross in smallest units"].value == 900
    assert cells["Fee"].value == float(Decimal(payment.fee or 0) / 100)
    assert cells["Net before refunds in smallest units"].value == payment.net
    assert cells["Refunded in smallest units"].value == 0
    assert cells["Order"].value == "A-900"
    assert cells["Transaction"].value == payment.transaction_id
    assert cells["Receipt number"].value == number_of(payment.id)
    assert [str(title.value) for title in titles].count("Currency") == 1


def test_headings_and_ids_are_read_whole_in_excel(office: Office, paid: list[Payment]) -> None:
    page = load_workbook(io.BytesIO(file_of(office, made(asked(office, "xlsx"))))).active

    assert page is not None
    assert page.max_row == 1 + len(paid)
    titles, newest = list(page.iter_rows(max_row=2))
    for title, cell in zip(titles, newest, strict=True):
        assert title.font.b
        width = page.column_dimensions[title.column_letter].width
        assert width >= max(len(str(title.value)), len("2026-11-09 21:00:00"))
        assert width >= len(str(cell.value))
    assert [titles[-1].value, newest[-1].value] == ["Payment", paid[-1].pk]


def test_an_export_is_its_requesters_alone(office: Office, paid: list[Payment]) -> None:
    run = made(asked(office))
    other = office(Role.FINANCE, "other")

    assert other.get(page_of(run)).status_code == 404
    assert other.get(f"/admin/backoffice/exportrun/{run.pk}/file/").status_code == 404
    assert run.name not in other.get("/admin/backoffice/exportrun/").content.decode()


def test_there_is_no_file_before_it_is_made(office: Office, paid: list[Payment]) -> None:
    run = asked(office)

    answer = office(Role.FINANCE).get(f"/admin/backoffice/exportrun/{run.pk}/file/")

    assert answer.status_code == 404


def test_who_may_not_export_any_more_gets_no_file(office: Office, paid: list[Payment]) -> None:
    run = asked(office)
    run.asked_by.groups.set([Group.objects.get_or_create(name=Role.VIEWER.value)[0]])

    made(run)

    assert (run.state, run.error) == ("failed", "The requester may not export this any more.")


def test_a_worker_that_dies_is_followed_by_another(office: Office, paid: list[Payment]) -> None:
    run = asked(office)
    now = utc_now()
    ExportRun.objects.update(lease_until=now + LEASE, attempts=1)

    assert make_due(content_of=content_of, now=now) == 0
    assert make_due(content_of=content_of, now=now + LEASE) == 1
    assert ExportPart.objects.filter(run=run).count() == 1


def test_what_cannot_be_made_is_given_up(
    office: Office, paid: list[Payment], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, now = asked(office), utc_now()
    for attempt in range(MOST_ATTEMPTS):
        assert run.state == "pending"
        assert make_due(content_of=lambda _: 1 / 0, now=now + attempt * LEASE) == 0  # type: ignore[arg-type, return-value]
        run.refresh_from_db()

    assert (run.state, run.attempts) == ("failed", MOST_ATTEMPTS)


def test_one_whose_workers_are_killed_is_given_up(office: Office, paid: list[Payment]) -> None:
    run = asked(office)
    ExportRun.objects.update(lease_until=utc_now(), attempts=MOST_ATTEMPTS)

    assert made(run).state == "failed"
    assert not ExportPart.objects.exists()


def test_a_turn_makes_one_and_two_are_made_at_a_time(office: Office, paid: list[Payment]) -> None:
    asked(office)
    asked(office)
    pending, now = ExportRun.objects.filter(finished_at=None), utc_now()
    pending.update(lease_until=now + LEASE, attempts=1)
    asked(office)
    asked(office)

    assert make_due(content_of=content_of, now=now) == 0
    pending.update(lease_until=None)

    assert make_due(content_of=content_of, now=now) == 1
    assert pending.count() == 3


def test_the_end_of_a_turn_is_the_end_of_its_work(office: Office, paid: list[Payment]) -> None:
    def take_too_long(run: ExportRun) -> bytes:
        raise SoftTimeLimitExceeded

    asked(office)
    asked(office)

    with pytest.raises(SoftTimeLimitExceeded):
        make_due(content_of=take_too_long, now=utc_now())

    assert ExportRun.objects.filter(attempts=1).count() == 1
    assert (make_exports.acks_late, make_exports.soft_time_limit) == (False, 3_600)


def test_one_person_has_five_made_at_a_time(paid: list[Payment]) -> None:
    def ask() -> ExportRun:
        return start_export(
            staff=staff_as(Role.FINANCE),
            resource="payments.payment",
            query="",
            form=ExportForm.CSV,
            name="payments.csv",
            now=utc_now(),
        )

    for _ in range(5):
        ask()
    with pytest.raises(ApiError) as refused:
        ask()

    assert refused.value.code == "EXPORTS_TOO_MANY"


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_file_is_deleted_after_a_week(office: Office, paid: list[Payment]) -> None:
    made(asked(office))
    now = utc_now()

    assert delete_old(now=now + timedelta(days=6)) == 0
    assert delete_old(now=now + timedelta(days=8)) == 2

    assert not ExportPart.objects.exists()


@pytest.mark.each_on_postgres(ITS_OWN)
def test_payments_are_listed_by_the_day_they_were_paid(office: Office, merchant: Merchant) -> None:
    payment = paid_payment(merchant)
    Payment.objects.filter(pk=payment.pk).update(completed_at=utc_now() - timedelta(days=40))
    day = (utc_now() - timedelta(days=40)).date()

    def found(query: str) -> bool:
        page = office(Role.FINANCE).get(f"{PAYMENTS}?mode=test&{query}").content.decode()
        return f"{PAYMENTS}{payment.pk}/change/" in page

    around = f"paid_from={day - timedelta(days=1)}&paid_to={day + timedelta(days=1)}"
    assert not found("paid=today")
    # A payment is created before it is paid: this one's id is of today.
    assert not found(around)
    Payment.objects.filter(pk=payment.pk).update(completed_at=utc_now())
    assert found("paid=today")
    assert not found(around)
