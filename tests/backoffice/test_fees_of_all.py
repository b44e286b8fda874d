"""Finance reads what the service has earned from all shops in some days, by the ledger."""

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.utils import timezone
from django.utils.html import strip_tags
from pytest_django import DjangoAssertNumQueries

from backoffice import figures
from backoffice.figures import fees_between
from backoffice.roles import Role
from core.clock import utc_now
from ledger.models import Account, Transfer
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import address, fields_of
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of, paid_payment
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db
PAGE = address(Account, "list_act", "fees")


def sell_at_two_shops() -> None:
    """Charge 2.50 and 0.30, and return 0.50 of the first with a refund of a fifth."""
    paid = paid_payment(MerchantFactory(fee_basis_points=250), 10_000)
    paid_payment(MerchantFactory(fee_basis_points=300), 1_000)
    draft, caller = RefundDraft(amount=2_000), caller_of(paid.merchant)
    create_refund(caller=caller, payment_id=paid.pk, draft=draft, now=utc_now())


def test_finance_reads_the_fees_of_all_shops_in_each_currency(office: Office) -> None:
    sell_at_two_shops()
    paid_payment(MerchantFactory(fee_basis_points=1_000), 2_500, currency="JPY")
    browser, today = office(Role.FINANCE), str(timezone.localtime(utc_now()).date())
    assert PAGE in browser.get(address(Account, "changelist")).content.decode()
    form = fields_of(browser.get(PAGE).content.decode()) | {"mode": "test"}
    assert form["first_day"].endswith("-01")
    days = {"first_day": today, "last_day": today}

    page = browser.post(PAGE, form | days)

    table = page.context["table"]
    assert table.title.endswith(", so far, test")
    assert [strip_tags(" ".join(row)) for row in table.rows] == [
        "BSD 2.80 0.50 2.30",
        "JPY 250 0 250",
    ]
    again = fields_of(page.content.decode())
    assert browser.post(PAGE, again | {"mode": "live"}).status_code == 200


def test_only_the_days_and_the_mode_asked_for_count() -> None:
    begun = utc_now()
    sell_at_two_shops()
    ended = utc_now()

    day = timedelta(days=1)
    assert fees_between(livemode=False, start=begun, end=ended) == {"BSD": (280, 50)}
    assert fees_between(livemode=False, start=ended, end=ended + day) == {"BSD": (0, 0)}
    assert fees_between(livemode=False, start=begun - day, end=begun) == {"BSD": (0, 0)}
    assert fees_between(livemode=True, start=begun, end=ended) == {}


def test_the_first_instant_is_within_the_days_and_the_last_one_is_not() -> None:
    sell_at_two_shops()
    charged = Transfer.objects.filter(credit_account__purpose="fees")
    first, second = charged.order_by("created_at").values_list("created_at", flat=True)

    assert fees_between(livemode=False, start=first, end=second) == {"BSD": (250, 0)}


def test_fees_of_many_shops_are_added_up_some_shops_at_a_time(
    monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    begun = utc_now()
    sell_at_two_shops()
    monkeypatch.setattr(figures, "ACCOUNTS_AT_ONCE", 1)

    with django_assert_num_queries(1 + 2 * 2):
        assert fees_between(livemode=False, start=begun, end=utc_now()) == {"BSD": (280, 50)}
    monkeypatch.setattr(figures, "FEES_ADDED_UP", 2)  # as many as were charged
    assert fees_between(livemode=False, start=begun, end=utc_now()) == {"BSD": (280, 50)}
    monkeypatch.setattr(figures, "FEES_ADDED_UP", 1)
    assert fees_between(livemode=False, start=begun, end=utc_now()) is None


def test_more_than_can_be_added_up_is_no_figure(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = utc_now()
    sell_at_two_shops()
    browser, today = office(Role.FINANCE), str(timezone.localtime(utc_now()).date())
    form = fields_of(browser.get(PAGE).content.decode())
    days = {"mode": "test", "first_day": today, "last_day": today}
    monkeypatch.setattr(figures, "FEES_ADDED_UP", 1)

    assert fees_between(livemode=False, start=begun, end=utc_now()) is None
    [said] = get_messages(browser.post(PAGE, form | days).wsgi_request)
    assert said.level_tag == "warning"
    assert "choose fewer days" in str(said)


@pytest.mark.parametrize(
    ("first", "last", "field", "said"),
    [
        ("2026-03-02", "2026-03-01", "last_day", "Enter a day that is not before the first."),
        ("2026-03-01", "2999-12-31", "last_day", "Enter a day that is not after today."),
    ],
)
def test_days_that_cannot_be_added_up_are_refused(
    office: Office, first: str, last: str, field: str, said: str
) -> None:
    browser = office(Role.FINANCE)
    form = fields_of(browser.get(PAGE).content.decode()) | {"mode": "test"}

    refused = browser.post(PAGE, form | {"first_day": first, "last_day": last})

    assert refused.context["form"].errors == {field: [said]}


def test_tomorrow_is_refused_and_today_is_not(office: Office) -> None:
    browser, today = office(Role.FINANCE), timezone.localtime(utc_now()).date()
    form = fields_of(browser.get(PAGE).content.decode()) | {"mode": "test"}

    for days, status in ((0, 200), (1, 422)):
        last = str(today + timedelta(days=days))
        assert browser.post(PAGE, form | {"last_day": last}).status_code == status


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_a_day_at_the_end_of_the_calendar_is_refused_in_the_fees_of_all(
    office: Office, day: str
) -> None:
    browser = office(Role.FINANCE)
    form = fields_of(browser.get(PAGE).content.decode()) | {"mode": "test"}

    refused = browser.post(PAGE, form | {"first_day": day, "last_day": day})

    assert refused.context["form"].errors["last_day"] == ["Enter a day of the years 2000 to 9998."]


@pytest.mark.parametrize("role", [Role.SUPPORT, Role.DEVELOPER, Role.VIEWER])
def test_who_sees_no_ledger_reads_no_fees_of_it(office: Office, role: Role) -> None:
    assert office(role).get(PAGE).status_code == 403
