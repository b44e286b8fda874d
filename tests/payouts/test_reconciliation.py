"""verify_ledger proves every payout from its transfers, and every statement from its lines"""

import pytest
from django.core.management import call_command
from django.db import connection

from core.clock import utc_now
from ledger.models import Transfer
from payouts.models import Payout, Statement, StatementLine
from payouts.reconciliation import check_payouts
from payouts.services import mark_sent, record_failed, record_paid, record_returned
from tests.client import Api
from tests.factories import MerchantFactory
from tests.ledger.thief import change as tamper_with
from tests.payouts.merchant_balance import credit
from tests.shared_rows import shared

pytestmark = pytest.mark.django_db
STAFF = "staff:ann"


@pytest.fixture(scope="module")
def made(django_db_setup, django_db_blocker):
    """The payouts, made once: what a test changes of them is undone."""
    with shared(django_db_blocker, one_of_each) as ids:
        yield ids


def one_of_each():
    api, merchant = Api(), MerchantFactory()
    credit(merchant, 10_000)
    ids = [api(merchant).post("/v1/payouts", {"amount": 1000}).json()["id"] for _ in range(5)]
    for payout_id in ids[1:4]:
        mark_sent(payout_id=payout_id, actor=STAFF, now=utc_now())
    record_paid(payout_id=ids[2], actor=STAFF, now=utc_now())
    record_failed(payout_id=ids[3], code="x", message="y", actor=STAFF, now=utc_now())
    api(merchant).post(f"/v1/payouts/{ids[4]}/cancel")
    return ids


@pytest.fixture
def payouts(made):
    """One of each: scheduled, in transit, paid, failed, canceled."""
    return [Payout.objects.get(pk=payout_id) for payout_id in made]


def test_it_finds_nothing_wrong_with_what_happened(payouts):
    assert list(check_payouts()) == []
    call_command("verify_ledger", verbosity=0)


@pytest.mark.parametrize(
    ("place", "change", "sentence"),
    [
        (1, {"status": "paid", "paid_at": "2026-11-20T00:00Z"}, "without its payout_paid transfer"),
        (0, {"status": "canceled", "canceled_at": "2026-11-20T00:00Z"}, "without its payout_ret"),
        (2, {"status": "in_transit", "paid_at": None}, "has a payout_paid transfer"),
        (3, {"status": "scheduled", "failed_at": None}, "has a payout_returned transfer"),
        (0, {"amount": 999}, "without its payout transfer"),
        (0, {"currency": "USD"}, "without its payout transfer"),
    ],
)
def test_it_names_a_payout_that_is_not_what_its_transfers_say(payouts, place, change, sentence):
    Payout.objects.filter(pk=payouts[place].pk).update(**change)

    found = [each for each in check_payouts() if payouts[place].pk in each]

    assert any(sentence in each for each in found)


KINDS = {0: "payout", 2: "payout_paid", 3: "payout_returned", 5: "payout_reversed"}


@pytest.fixture
def moved(payouts, api):
    """One that came back after it was paid, too; and the transfer of each kind."""
    returned = api(payouts[0].merchant).post("/v1/payouts", {"amount": 1000}).json()["id"]
    mark_sent(payout_id=returned, actor=STAFF, now=utc_now())
    record_paid(payout_id=returned, actor=STAFF, now=utc_now())
    reason = {"code": "AC04", "message": "The account is closed."}
    record_returned(payout_id=returned, actor=STAFF, now=utc_now(), **reason)
    ids = [*(payout.pk for payout in payouts), returned]
    return {
        kind: Transfer.objects.get(kind=kind, reference=ids[place]) for place, kind in KINDS.items()
    }


def test_it_finds_nothing_wrong_with_one_that_came_back(moved):
    assert list(check_payouts()) == []


@pytest.mark.parametrize("kind", KINDS.values())
@pytest.mark.parametrize(
    ("place", "change"),
    [
        ("transfer", {"amount": 999}),
        ("transfer", {"currency": "USD"}),
        ("transfer", {"livemode": True}),
        ("transfer", {"reference": "po_x"}),
        ("debit_account", {"purpose": "fees"}),
        ("credit_account", {"purpose": "fees"}),
    ],
)
def test_it_names_a_payout_whose_transfer_moved_something_else(moved, kind, place, change):
    transfer = moved[kind]
    tamper_with(getattr(transfer, place, transfer), **change)

    found = [each for each in check_payouts() if f"without its {kind} transfer" in each]

    assert any(transfer.reference in each for each in found)


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        *(("payout", "debit_account"), ("payout", "credit_account")),
        *(("payout_paid", "debit_account"), ("payout_reversed", "credit_account")),
        *(("payout_returned", "debit_account"), ("payout_returned", "credit_account")),
    ],
)
def test_it_names_a_payout_whose_transfer_was_another_merchants(moved, stranger, kind, place):
    transfer = moved[kind]
    tamper_with(getattr(transfer, place), owner=stranger.pk)

    found = [each for each in check_payouts() if f"without its {kind} transfer" in each]

    assert any(transfer.reference in each for each in found)


def test_it_names_transfers_of_a_payout_that_is_gone(payouts):
    gone = payouts[2]
    with connection.constraint_checks_disabled():
        Payout.objects.filter(pk=gone.pk).update(id="po_x")
        found = list(check_payouts())
        Payout.objects.filter(pk="po_x").update(id=gone.pk)

    assert sum(f"is of payout {gone.pk}, which does not exist" in each for each in found) == 2


def test_it_names_a_statement_that_sums_wrongly(payouts):
    statement = payouts[0].statement
    Statement.objects.filter(pk=statement.pk).update(movements_count=9)

    assert list(check_payouts()) == [
        f"Statement {statement.pk} sums 9 movements to 10000; its 1 lines make 10000."
    ]


def test_it_names_a_statement_that_does_not_follow_the_one_before(payouts):
    statement = payouts[2].statement
    Statement.objects.filter(pk=statement.pk).update(opening_amount=8001, closing_amount=7001)

    found = list(check_payouts())

    assert f"Statement {statement.pk} does not open with what the one before closed with." in found


def test_it_names_a_line_that_is_not_what_its_transfer_moved(payouts):
    line = StatementLine.objects.earliest("transfer")
    StatementLine.objects.filter(pk=line.pk).update(amount=-line.amount)

    assert any(f"Line {line.pk} of statement" in each for each in check_payouts())


def test_it_names_a_transfer_that_stands_in_no_statement(payouts):
    line = StatementLine.objects.earliest("transfer")
    transfer_id = line.transfer_id
    Statement.objects.update(gathered_through=transfer_id)
    line.delete()

    found = list(check_payouts())

    assert f"Transfer {transfer_id} stands in no statement of its credit_account." in found


def test_it_names_a_statement_whose_lines_make_another_amount(payouts):
    statement = payouts[0].statement
    tamper_with(statement, movements_amount=10_001, closing_amount=9_001)

    found = list(check_payouts())

    assert f"Statement {statement.pk} sums 1 movements to 10001; its 1 lines make 10000." in found


def test_it_names_a_statement_that_its_payout_did_not_close(payouts):
    statement = payouts[0].statement
    tamper_with(statement, payout_amount=1_001, closing_amount=8_999)

    found = list(check_payouts())

    assert f"Statement {statement.pk} was not closed by a payout of its amount." in found


def test_it_names_a_statement_that_is_open_and_has_a_payout(payouts):
    account = payouts[0].statement.account
    still_open = Statement.objects.create(account=account, number=99, opening_amount=0)
    tamper_with(payouts[0], statement=still_open)

    assert f"Statement {still_open.pk} has a payout and is still open." in list(check_payouts())
