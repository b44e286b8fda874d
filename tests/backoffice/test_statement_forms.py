"""The form of a merchant's statement: what it proposes, and the days it takes."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from backoffice.errors import Forbidden
from backoffice.formats import clock
from backoffice.models import AuditEntry, ExportForm, ExportRun
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.statements import start_file
from core.clock import utc_now
from merchants.models import Merchant
from payouts.account_statements import request_statement
from payouts.models import AccountStatement
from tests.backoffice.acting import act, fields_of, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import caller_of, paid_payment
from tests.ledger.thief import all_rights

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("currencies", "proposed"), [([], "BSD"), (["KWD"], "KWD"), (["JPY", "KWD"], "BSD")]
)
def test_the_only_currency_of_a_merchant_is_proposed(
    office: Office, merchant: Merchant, currencies: list[str], proposed: str
) -> None:
    for currency in currencies:
        paid_payment(merchant, currency=currency)

    form = office(Role.FINANCE).get(page_of_act(merchant, "statement")).content.decode()

    assert fields_of(form)["currency"] == proposed


@pytest.mark.parametrize(
    "days",
    [
        {},
        {"first_day": "2026-02-01"},
        {"first_day": "2026-02-02", "last_day": "2026-02-01"},
        {"period": "last_month", "first_day": "2026-02-01", "last_day": "2026-02-02"},
    ],
)
def test_a_period_of_no_days_is_refused(office: Office, merchant: Merchant, days: dict) -> None:
    values = {"mode": "test", "period": "days", "currency": "BSD", "form": "csv"} | days
    response = act(office(Role.FINANCE), merchant, "statement", **values)

    assert response.status_code == 422
    assert not AccountStatement.objects.exists()
    assert office(Role.SUPPORT).get(page_of_act(merchant, "statement")).status_code == 403


@pytest.mark.parametrize(
    ("period", "begins", "ends"),
    [
        ({"period": "last_month"}, "2026-02-01T05:00:00", "2026-03-01T05:00:00"),
        (
            {"period": "days", "first_day": "2026-03-08", "last_day": "2026-03-09"},
            "2026-03-08T05:00:00",
            "2026-03-10T04:00:00",  # summer time began on the 8th
        ),
    ],
)
def test_a_statement_is_of_the_days_of_the_merchant(
    office: Office, merchant: Merchant, period: dict[str, str], begins: str, ends: str
) -> None:
    values = {"mode": "test", "currency": "BSD", "form": "csv"} | period
    finance = office(Role.FINANCE)

    assert act(finance, merchant, "statement", **values).status_code == 302

    made = AccountStatement.objects.get()
    told = finance.get(page_of(ExportRun.objects.get())).content.decode()
    assert ("The file is being made." in told, "is ready" in told) == (True, False)
    assert "takes a minute" not in told
    assert [f"{at:%Y-%m-%dT%H:%M:%S}" for at in (made.start_at, made.end_at)] == [begins, ends]


def test_a_statement_up_to_this_moment_says_that_it_takes_a_minute(
    office: Office, merchant: Merchant, settings
) -> None:
    values = {"mode": "test", "currency": "BSD", "form": "csv", "period": "this_month"}
    finance = office(Role.FINANCE)

    act(finance, merchant, "statement", **values)

    told = finance.get(page_of(ExportRun.objects.get())).content.decode()
    assert "The file is being made. One up to this moment takes a minute." in told
    assert "It waits for its turn" not in told
    end = AccountStatement.objects.get().end_at
    with timezone.override(settings.STAFF_TIME_ZONE):
        starts, ends = (clock(at, utc_now()) for at in (end + timedelta(minutes=1), end))
    assert f"It starts at {starts}, when every movement before {ends} is known, requested" in told


def test_the_timeline_of_a_merchant_names_the_days_of_a_statement(
    office: Office, merchant: Merchant
) -> None:
    finance, days = office(Role.FINANCE), {"first_day": "2026-02-01", "last_day": "2026-02-28"}
    make(finance, merchant, period="days", **days)

    told = finance.get(page_of(merchant)).context["timeline"]

    [made] = [each for each in told if each.title == "Staff: make statement — done"]
    assert made.details[0] == "1 Feb 2026 to 28 Feb 2026"
    file = finance.get(page_of(ExportRun.objects.get())).content.decode()
    assert "It waits for its turn, requested" in file


def test_a_merchants_page_is_shown_although_the_days_of_a_statement_were_altered(
    office: Office, merchant: Merchant
) -> None:
    finance = office(Role.FINANCE)
    make(finance, merchant)
    with all_rights():
        made = AuditEntry._base_manager.filter(act="make statement")
        assert made.update(after={"from": "soon", "to": 7})

    told = finance.get(page_of(merchant)).context["timeline"]

    assert [each.details[0] for each in told if "statement" in each.title] == [""]


@pytest.mark.parametrize("last_day", ["2026-03-19", "2026-02-27"])
def test_a_statement_of_days_to_come_or_backwards_is_refused(
    office: Office, merchant: Merchant, last_day: str
) -> None:
    days = {"period": "days", "first_day": "2026-02-28", "last_day": last_day}
    values = {"mode": "test", "currency": "BSD", "form": "csv"} | days

    response = act(office(Role.FINANCE), merchant, "statement", **values)

    assert response.status_code == 422
    assert "Enter the first and the last day, not after today." in response.content.decode()
    assert not AccountStatement.objects.exists()


def make(browser: Client, merchant: Merchant, **values: str) -> str:
    """Make a statement; return what the page of its file says."""
    values = {"mode": "test", "currency": "BSD", "form": "csv", "period": "this_month"} | values
    response = act(browser, merchant, "statement", **values)
    assert response.status_code == 302
    return browser.get(response.headers["Location"]).content.decode()


def made_so_far() -> tuple[int, int]:
    return AccountStatement.objects.count(), ExportRun.objects.count()


@pytest.mark.parametrize("period", ["last_month", "this_month"])
def test_a_statement_that_is_requested_again_is_the_one_there_is(
    office: Office, merchant: Merchant, period: str
) -> None:
    paid_payment(merchant)
    finance = office(Role.FINANCE)

    make(finance, merchant, period=period)
    assert "The file is being made already." in make(finance, merchant, period=period)
    ExportRun.objects.update(finished_at=utc_now())
    assert "There is this file already, requested " in make(finance, merchant, period=period)
    assert made_so_far() == (1, 1)

    make(finance, merchant, period=period, form="xlsx")
    assert made_so_far() == (1, 2)


def test_a_statement_is_made_anew_after_another_movement(
    office: Office, merchant: Merchant
) -> None:
    finance = office(Role.FINANCE)
    paid_payment(merchant)
    make(finance, merchant)
    paid_payment(merchant)

    make(finance, merchant)

    assert made_so_far() == (2, 2)


def test_a_statement_of_yesterday_is_not_that_of_today(office: Office, merchant: Merchant) -> None:
    finance = office(Role.FINANCE)
    make(finance, merchant)
    AccountStatement.objects.update(end_at=utc_now() - timedelta(days=1))

    make(finance, merchant)

    assert made_so_far() == (2, 2)


@pytest.mark.parametrize("change", ["failed", "renamed", "a colleague's"])
def test_another_file_of_a_statement_is_made_where_the_first_does_not_serve(
    office: Office, merchant: Merchant, change: str
) -> None:
    make(office(Role.FINANCE), merchant)
    if change == "failed":
        ExportRun.objects.update(finished_at=utc_now(), error="It could not be made.")
    if change == "renamed":
        Merchant.objects.update(updated_at=utc_now())
    role = Role.ADMINISTRATOR if change == "a colleague's" else Role.FINANCE

    assert "The file is being made." in make(office(role), merchant)

    assert made_so_far() == (1, 2)


def test_who_may_no_longer_export_is_given_no_file_made_before(merchant: Merchant) -> None:
    staff, now = staff_as(Role.FINANCE), utc_now()
    period = {"start_at": now - timedelta(days=2), "end_at": now - timedelta(days=1)}
    statement = request_statement(caller=caller_of(merchant), currency="BSD", **period, now=now)
    start_file(staff=staff, statement=statement, form=ExportForm.CSV, now=now)
    demoted = replace(staff, roles=frozenset({Role.VIEWER}))

    with pytest.raises(Forbidden):
        start_file(staff=demoted, statement=statement, form=ExportForm.CSV, now=now)
