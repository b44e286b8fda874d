"""POST and GET /v1/statements: any period, each line a transfer, sums equal to the ledger's."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.db.models import Sum

from core.clock import iso, utc_now
from ledger.models import Account, Purpose, Transfer, TransferKind
from merchants.models import Merchant
from payments.models import Payment
from payments.statuses import PaymentStatus
from payouts import account_statements
from payouts.account_statements import SUMS
from payouts.models import AccountStatement, AccountStatementPart, Payout
from payouts.services import mark_sent, record_failed
from payouts.tasks import forget_statements, make_statements
from tests.client import Api
from tests.factories import MerchantFactory, PaymentFactory
from tests.payments.journeys import bring_to
from tests.payouts.merchant_balance import credit
from tests.wild_ticks import off_by

pytestmark = pytest.mark.django_db
PATH = "/v1/statements"
MARCH, APRIL = datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)
NOON = datetime(2026, 3, 17, 12, tzinfo=UTC)


def ask(api: Api, merchant: Merchant, start: datetime, end: datetime, **body: Any) -> Any:
    return api(merchant).post(PATH, {"start_at": iso(start), "end_at": iso(end), **body})


def of_ledger(merchant: Merchant, **period: Any) -> int:
    """Add up what came and went, from the transfers alone."""
    rows = Transfer.objects.filter(livemode=False, currency="BSD", **period)
    into = rows.filter(credit_account__owner=merchant.id, credit_account__purpose=Purpose.MERCHANT)
    out = rows.filter(debit_account__owner=merchant.id, debit_account__purpose=Purpose.MERCHANT)
    return sum(
        sign * (side.aggregate(sum=Sum("amount"))["sum"] or 0)
        for sign, side in ((1, into), (-1, out))
    )


@pytest.fixture
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account_statements, "PART_LINES", 3)


@pytest.fixture
def busy(api: Api) -> Merchant:
    """A merchant with a movement of each kind, an hour after one another, from noon on."""
    merchant: Merchant = MerchantFactory.create(fee_basis_points=250)
    with off_by(NOON - timedelta(days=20) - utc_now()):
        credit(merchant, 5_000)
    with off_by(NOON - utc_now()):
        payment: Payment = bring_to(
            PaymentFactory(merchant=merchant, amount=2_000), PaymentStatus.COMPLETED
        )
    with off_by(NOON + timedelta(hours=1) - utc_now()):
        api(merchant).post(f"/v1/payments/{payment.id}/refund", {"amount": 500})
    with off_by(NOON + timedelta(hours=2) - utc_now()):
        api(merchant).post("/v1/payouts", {"amount": 3_000})
    with off_by(NOON + timedelta(hours=3) - utc_now()):
        [payout] = Payout.objects.all()
        mark_sent(payout_id=payout.pk, actor="staff:ann", now=utc_now())
        record_failed(
            payout_id=payout.pk, code="closed", message="", actor="staff:ann", now=utc_now()
        )
    with off_by(NOON + timedelta(hours=4) - utc_now()):
        credit(merchant, -70)
    return merchant


def test_it_adds_up_what_came_and_went(api: Api, busy: Merchant) -> None:
    start, end = NOON, NOON + timedelta(hours=5)
    response = ask(api, busy, start, end)

    assert response.status_code == 201
    body = response.json()
    assert response["Location"] == f"{PATH}/{body['id']}"
    assert body["id"].startswith("stm_")
    sums = {name: value for name, value in body.items() if name.endswith("_amount")}
    assert sums == {
        "opening_amount": 5_000,
        "payments_amount": 2_000,
        "fees_amount": -37,
        "refunds_amount": -500,
        "adjustments_amount": -70,
        "payouts_amount": -3_000,
        "returned_payouts_amount": 3_000,
        "closing_amount": 6_393,
    }
    assert (body["status"], body["lines_count"], body["livemode"]) == ("ready", 7, False)
    assert api(busy).get(f"{PATH}/{body['id']}").json() == body
    assert api(busy).get(PATH).json()["statements"] == [body]


@pytest.mark.parametrize("hours", range(-1, 6))
def test_it_is_what_the_ledger_says_for_any_period(api: Api, busy: Merchant, hours: int) -> None:
    start, end = NOON + timedelta(hours=hours), NOON + timedelta(hours=hours + 2)
    body = ask(api, busy, start, end).json()

    assert body["opening_amount"] == of_ledger(busy, created_at__lt=start)
    assert body["closing_amount"] == of_ledger(busy, created_at__lt=end)
    lines = api(busy).get(f"{PATH}/{body['id']}/lines").json()["lines"]
    within = of_ledger(busy, created_at__gte=start, created_at__lt=end)
    assert sum(line["amount"] for line in lines) == within


def test_every_kind_of_movement_has_its_sum() -> None:
    assert set(SUMS) == set(TransferKind)


def test_periods_join_without_a_gap(api: Api, busy: Merchant) -> None:
    bodies = [
        ask(api, busy, NOON + timedelta(hours=each), NOON + timedelta(hours=each + 1)).json()
        for each in range(6)
    ]

    for one, next_one in pairwise(bodies):
        assert one["closing_amount"] == next_one["opening_amount"]
    assert sum(body["lines_count"] for body in bodies) == 7


def test_each_line_is_a_transfer(api: Api, busy: Merchant) -> None:
    statement = ask(api, busy, NOON, NOON + timedelta(hours=5)).json()

    page = api(busy).get(f"{PATH}/{statement['id']}/lines", {"limit": "2", "offset": "1"}).json()

    assert (page["total"], page["limit"], page["offset"]) == (7, 2, 1)
    fee = Transfer.objects.get(kind=TransferKind.FEE)
    assert page["lines"][0] == {
        "type": "fee",
        "reference": fee.reference,
        "amount": -50,
        "transaction_id": fee.transaction_id,
        "created_at": iso(fee.created_at),
        **({"description": fee.description} if fee.description else {}),
    }


@pytest.mark.parametrize(
    ("query", "headers"), [({"format": "csv"}, {}), ({}, {"Accept": "text/csv"})]
)
def test_a_file_has_the_same_lines(
    api: Api, busy: Merchant, query: dict[str, str], headers: dict[str, str]
) -> None:
    statement = ask(api, busy, NOON, NOON + timedelta(hours=5)).json()

    response = api(busy).get(f"{PATH}/{statement['id']}/lines", query, **headers)

    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert statement["id"] in response["Content-Disposition"]
    rows = list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))
    lines = api(busy).get(f"{PATH}/{statement['id']}/lines").json()["lines"]
    assert [int(row["amount_cents"]) for row in rows] == [line["amount"] for line in lines]
    assert rows[-1]["amount"] == "-0.70"


def test_the_reference_shows_the_columns_of_a_file(api: Api, busy: Merchant, openapi: str) -> None:
    document = json.loads(openapi)["paths"][f"{PATH}/{{statement_id}}/lines"]["get"]
    statement = ask(api, busy, NOON, NOON + timedelta(hours=5)).json()

    file = api(busy).get(f"{PATH}/{statement['id']}/lines", {"format": "csv"})

    example = document["responses"]["200"]["content"]["text/csv"]["example"]
    assert file.content.decode().startswith(example)


def test_a_long_one_is_made_in_the_background(api: Api, busy: Merchant, few_lines: None) -> None:
    statement = ask(api, busy, NOON, NOON + timedelta(hours=5)).json()
    lines = f"{PATH}/{statement['id']}/lines"

    assert statement["status"] == "pending"
    assert not [name for name in statement if name.endswith(("_amount", "_count"))]
    refused = api(busy).get(lines)
    assert (refused.status_code, refused.json()["code"]) == (409, "CONFLICT")
    assert (make_statements(), make_statements()) == (1, 0)

    body = api(busy).get(f"{PATH}/{statement['id']}").json()
    assert (body["status"], body["closing_amount"], body["lines_count"]) == ("ready", 6_393, 7)
    assert AccountStatementPart.objects.count() == 3
    whole = api(busy).get(lines).json()["lines"]
    assert len(whole) == 7
    for offset in range(7):
        page = api(busy).get(lines, {"limit": "4", "offset": str(offset)}).json()
        assert page["lines"] == whole[offset : offset + 4]


def test_a_transfer_that_turns_up_late_is_not_missed(
    api: Api, busy: Merchant, few_lines: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that was posted before the period was closed is committed while it is being copied."""
    statement = ask(api, busy, NOON, NOON + timedelta(hours=5)).json()
    copy = account_statements._copy_part
    copied = []

    def copy_meanwhile(*args: Any) -> bool:
        more = copy(*args)
        copied.append(more)
        if len(copied) == 2:
            Account.objects.update(closed_until=None)
            credit(busy, 11, at=NOON)
        return more

    monkeypatch.setattr(account_statements, "_copy_part", copy_meanwhile)

    assert make_statements() == 1
    body = api(busy).get(f"{PATH}/{statement['id']}").json()
    assert (body["lines_count"], body["closing_amount"]) == (8, 6_404)


def test_one_that_fails_holds_up_no_other(
    api: Api, busy: Merchant, few_lines: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ask(api, busy, NOON, NOON + timedelta(hours=5)).json()["id"]
    ask(api, busy, NOON, NOON + timedelta(hours=4))
    copy, tried = account_statements._copy_part, []

    def copy_or_fail(statement: AccountStatement, *args: Any) -> bool:
        if statement.pk == broken:
            tried.append(statement.pk)
            raise ZeroDivisionError
        return copy(statement, *args)

    monkeypatch.setattr(account_statements, "_copy_part", copy_or_fail)

    assert make_statements() == 1
    assert tried == [broken]
    assert AccountStatement.objects.get(ready_at=None).pk == broken


def test_one_that_ended_just_now_waits_for_what_is_being_committed(
    api: Api, merchant: Merchant
) -> None:
    end = utc_now()
    credit(merchant, 100, at=end - timedelta(seconds=1))
    statement = ask(api, merchant, end - timedelta(hours=1), end).json()

    assert (statement["status"], make_statements()) == ("pending", 0)
    with off_by(timedelta(seconds=61)):
        assert make_statements() == 1


def test_one_without_movements_is_empty(api: Api, merchant: Merchant) -> None:
    body = ask(api, merchant, NOON, NOON + timedelta(days=1), currency="USD").json()

    assert (body["status"], body["currency"]) == ("ready", "USD")
    assert body["opening_amount"] == body["closing_amount"] == 0


def test_it_refuses_more_than_a_few_that_wait(
    api: Api, busy: Merchant, few_lines: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_statements, "MOST_PENDING", 1)
    ask(api, busy, NOON, NOON + timedelta(hours=5))

    assert ask(api, busy, NOON, NOON + timedelta(hours=4)).status_code == 409


@pytest.mark.parametrize("query", [{"format": "pdf"}, {"starting_after": "x"}, {"limit": "0"}])
def test_it_refuses_another_page_or_format(api: Api, busy: Merchant, query: dict[str, str]) -> None:
    statement = ask(api, busy, NOON, NOON + timedelta(hours=5)).json()

    assert api(busy).get(f"{PATH}/{statement['id']}/lines", query).status_code == 400


def test_a_month_later_it_is_gone(api: Api, busy: Merchant) -> None:
    ask(api, busy, NOON, NOON + timedelta(hours=5))

    assert forget_statements() == 0
    AccountStatement.objects.update(created_at=utc_now() - timedelta(days=30, seconds=1))
    assert forget_statements() == 2
    assert AccountStatement.objects.count() == 0
    assert AccountStatementPart.objects.count() == 0


def test_it_hides_another_merchants_and_the_other_mode(
    api: Api, busy: Merchant, stranger: Merchant
) -> None:
    statement = ask(api, busy, NOON, NOON + timedelta(hours=5)).json()

    for client in (api(stranger), api(busy, live=True)):
        for path in (f"{PATH}/{statement['id']}", f"{PATH}/{statement['id']}/lines"):
            response = client.get(path)
            assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")
        assert client.get(PATH).json()["total"] == 0
    assert ask(api, stranger, NOON, NOON + timedelta(hours=5)).json()["lines_count"] == 0
