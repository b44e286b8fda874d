"""POST /v1/payments: what each mode takes, and when its payments expire."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from django.utils.dateparse import parse_datetime

from core.clock import iso, utc_now
from core.instants import today_in
from merchants.models import Merchant
from payments.models import Payment
from tests.client import Api

pytestmark = pytest.mark.django_db
ITEMS = [
    {"name": "Coffee", "quantity": 2, "price": 450},
    {"name": "Cake", "quantity": 1, "price": 350},
]
FREE = [{"name": name, "quantity": 1, "price": 0} for name in "AB"]


def create(api: Api, merchant: Merchant, **body: object) -> dict[str, object]:
    response = api(merchant).post("/v1/payments", body)
    assert response.status_code == 201, response.json()
    record: dict[str, object] = response.json()
    return record


def refusal(api: Api, merchant: Merchant, **body: object) -> tuple[int, str, str]:
    response = api(merchant).post("/v1/payments", body)
    assert Payment.objects.count() == 0
    return response.status_code, response.json()["code"], response.json()["details"]


def lifetime(record: dict[str, object]) -> timedelta:
    created, expires = (parse_datetime(str(record[name])) for name in ("created_at", "expires_at"))
    assert created is not None
    assert expires is not None
    return expires - created


def test_a_dynamic_payment_lives_24_hours(api: Api, merchant: Merchant) -> None:
    assert lifetime(create(api, merchant, amount=1)) == timedelta(hours=24)


def test_another_life_can_be_chosen(api: Api, merchant: Merchant) -> None:
    record = create(api, merchant, amount=1, expires_in=1_800)
    assert lifetime(record) == timedelta(minutes=30)


@pytest.mark.parametrize("seconds", [59, 2_592_001, 0, -1, "60", 60.5, True])
def test_a_life_has_bounds(api: Api, merchant: Merchant, seconds: object) -> None:
    status, code, details = refusal(api, merchant, amount=1, expires_in=seconds)
    assert (status, code) == (422, "VALIDATION_FAILED")
    assert details == "expires_in: must be an integer from 60 to 2592000"


def test_a_counter_never_expires(api: Api, merchant: Merchant) -> None:
    record = create(api, merchant, payment_mode="STATIC_PAY")
    assert "expires_at" not in record
    assert "amount" not in record
    assert create(api, merchant, payment_mode="STATIC_PAY", amount=500)["amount"] == 500


def test_a_counter_cannot_be_given_a_life(api: Api, merchant: Merchant) -> None:
    status, code, _ = refusal(api, merchant, payment_mode="STATIC_PAY", expires_in=600)
    assert (status, code) == (422, "VALIDATION_FAILED")


@pytest.mark.parametrize(
    ("body", "amount"),
    [
        ({"line_items": ITEMS}, 1_250),
        ({"total": 1_400, "line_items": ITEMS}, 1_400),
        ({"amount": 1_400, "total": 1_400}, 1_400),
        ({"amount": 900}, 900),
        ({"amount": 1}, 1),
        ({"amount": 1, "line_items": FREE}, 1),
        ({"line_items": [{"name": "A", "quantity": 1, "price": 100, "tax": 100}]}, 100),
        ({"line_items": [{"name": "A", "quantity": 1, "price": 99_999_999_999}]}, 99_999_999_999),
    ],
)
def test_an_order_knows_its_amount(
    api: Api, merchant: Merchant, body: dict[str, object], amount: int
) -> None:
    record = create(api, merchant, payment_mode="ORDER_PAY", order_id="A-1", **body)
    assert record["amount"] == amount
    assert record["order_id"] == "A-1"
    assert record.get("line_items") == body.get("line_items")


@pytest.mark.parametrize(
    "body",
    [
        {"amount": 1_400, "total": 1_300},
        {},
        {"line_items": []},
        {"line_items": [{"name": "A", "quantity": 99_999_999_999, "price": 99_999_999_999}]},
    ],
)
def test_an_order_that_contradicts_itself(
    api: Api, merchant: Merchant, body: dict[str, object]
) -> None:
    status, code, _ = refusal(api, merchant, payment_mode="ORDER_PAY", **body)
    assert (status, code) == (422, "INVALID_AMOUNT")


@pytest.mark.parametrize(
    "items",
    [{}, "A", [1], [{"quantity": 1, "price": 1}], [{"name": "A" * 256, "quantity": 1, "price": 1}]],
)
def test_line_items_have_a_form(api: Api, merchant: Merchant, items: object) -> None:
    status, code, details = refusal(
        api, merchant, payment_mode="ORDER_PAY", amount=1, line_items=items
    )
    assert (status, code) == (422, "VALIDATION_FAILED")
    assert details.startswith("line_items")


@pytest.mark.parametrize("zone", ["America/Nassau", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_an_invoice_expires_when_its_due_date_ends(api: Api, merchant: Merchant, zone: str) -> None:
    merchant.time_zone = zone
    merchant.save()
    today = today_in(zone, utc_now())
    record = create(
        api,
        merchant,
        payment_mode="INVOICE_PAY",
        amount=5,
        due_date=today.isoformat(),
        invoice_number="I-1",
        terms="Net",
        customer_email="a@example.com",
    )
    midnight = datetime.combine(today + timedelta(days=1), time.min, tzinfo=ZoneInfo(zone))
    assert record["expires_at"] == iso(midnight)
    kept = {
        name: record[name] for name in ("invoice_number", "terms", "customer_email", "due_date")
    }
    assert kept == {
        "invoice_number": "I-1",
        "terms": "Net",
        "customer_email": "a@example.com",
        "due_date": today.isoformat(),
    }


def test_an_invoice_is_due_in_thirty_days_by_default(api: Api, merchant: Merchant) -> None:
    record = create(api, merchant, payment_mode="INVOICE_PAY", amount=5)
    expected = today_in("America/Nassau", utc_now()) + timedelta(days=30)
    assert date.fromisoformat(str(record["due_date"])) == expected


@pytest.mark.parametrize("due", ["2020-01-01", "2026-13-40", "tomorrow", 5, "9999-12-31"])
def test_an_invoice_refuses_a_bad_due_date(api: Api, merchant: Merchant, due: object) -> None:
    status, code, details = refusal(
        api, merchant, payment_mode="INVOICE_PAY", amount=5, due_date=due
    )
    assert (status, code) == (422, "VALIDATION_FAILED")
    assert details.startswith("due_date: must be")


@pytest.mark.parametrize(
    ("days", "is_taken"), [(-1, False), (0, True), (3_660, True), (3_661, False)]
)
def test_an_invoice_is_due_within_ten_years(
    api: Api, merchant: Merchant, days: int, *, is_taken: bool
) -> None:
    due = (today_in(merchant.time_zone, utc_now()) + timedelta(days=days)).isoformat()
    if is_taken:
        record = create(api, merchant, payment_mode="INVOICE_PAY", amount=5, due_date=due)
        assert record["due_date"] == due
        return
    *_, details = refusal(api, merchant, payment_mode="INVOICE_PAY", amount=5, due_date=due)
    assert details == "due_date: must be today or later, and within 10 years"


def test_a_reference_is_kept(api: Api, merchant: Merchant) -> None:
    record = create(api, merchant, payment_mode="REFERENCE_PAY", amount=5, reference="R-9")
    assert record["reference"] == "R-9"


def test_inputs_of_another_mode_are_ignored(api: Api, merchant: Merchant) -> None:
    record = create(api, merchant, amount=5, reference="R-9", order_id="A", terms="Net")
    assert not {"reference", "order_id", "terms"} & set(record)


@pytest.mark.parametrize("mode", ["DYNAMIC_PAY", "INVOICE_PAY", "REFERENCE_PAY"])
def test_the_amount_is_needed(api: Api, merchant: Merchant, mode: str) -> None:
    status, code, details = refusal(api, merchant, payment_mode=mode)
    assert (status, code) == (422, "INVALID_AMOUNT")
    assert details == "amount: is required: an integer number of cents"
