"""Two payout runs at once, and payouts against whatever else moves the same money"""

import dataclasses
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection, connections

from core.clock import utc_now
from ledger.errors import InsufficientBalance
from ledger.models import Purpose, Transfer
from merchants.models import Merchant
from payouts.bank_accounts import open_bank_account
from payouts.batch_reconciliation import check_batches
from payouts.gathering import gather_ahead
from payouts.models import BankAccount, Payout, PayoutBatch, StatementLine
from payouts.reconciliation import check_payouts
from payouts.scheduling import schedule_due
from payouts.sending import fetch_results, send_due
from tests.events import event_types
from tests.payouts.batching import batch_of
from tests.payouts.conftest import DETAILS
from tests.payouts.merchant_balance import credit, held
from tests.races import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
MONDAY = datetime(2026, 11, 16, 12, tzinfo=UTC)


def failures(results):
    return [result for result in results if isinstance(result, Exception)]


def with_account(api, merchant):
    """Call as a merchant whose test bank account is there: its making would put us in a row."""
    details = dataclasses.replace(DETAILS, bic="", clearing_code="1")
    open_bank_account(
        merchant_id=merchant.id, livemode=False, details=details, actor="staff:ann", now=utc_now()
    )
    return api(merchant)


def lines_are_whole():
    """Every transfer of a merchant's account that was gathered stands in one statement."""
    assert list(check_payouts()) == []
    paid_out = Transfer.objects.filter(kind="payout").count()
    gathered = StatementLine.objects.filter(transfer__kind="payout").count()
    return paid_out == gathered


def test_two_runs_at_once_put_each_movement_in_one_payout(merchant, bank_account):
    Merchant.objects.update(created_at=datetime(2026, 6, 1, tzinfo=UTC))
    for number in range(20):
        credit(merchant, 100 + number, livemode=True)

    results = at_once([lambda: schedule_due(now=MONDAY)] * 6)

    assert not failures(results)
    assert (results.count(1), results.count(0)) == (1, 5)
    payout = Payout.objects.get()
    assert (payout.amount, payout.statement.movements_count) == (2190, 20)
    assert held(merchant, Purpose.MERCHANT, livemode=True) == 0
    assert event_types() == ["payout.created"]
    assert lines_are_whole()


def test_the_cut_off_races_new_payments(api, merchant):
    client = with_account(api, merchant)
    credit(merchant, 1000)

    results = at_once(
        [lambda: client.post("/v1/payouts", {}).status_code] * 3
        + [lambda: credit(merchant, 130)] * 12
        + [lambda: gather_ahead()] * 2
    )
    client.post("/v1/payouts", {})

    assert not failures(results)
    amounts = list(Payout.objects.values_list("amount", flat=True))
    assert sum(amounts) == 1000 + 12 * 130
    assert held(merchant, Purpose.MERCHANT) == 0
    assert lines_are_whole()


def test_the_same_money_is_paid_out_once(api, merchant):
    client = with_account(api, merchant)
    credit(merchant, 1000)

    results = at_once([lambda: client.post("/v1/payouts", {"amount": 300}).status_code] * 8)

    assert (results.count(422), results.count(201)) == (5, 3)
    assert Payout.objects.count() == 3
    assert held(merchant, Purpose.MERCHANT) == 100
    assert held(merchant, Purpose.PAYOUTS) == 900
    assert lines_are_whole()


def test_a_balance_is_of_one_moment(api, merchant):
    """A payout in the middle of the reading shows its money exactly once."""
    client = with_account(api, merchant)
    credit(merchant, 1000)
    meanwhile = []

    def pay_out():
        meanwhile.append(client.post("/v1/payouts", {"amount": 400}).status_code)
        connections.close_all()

    def between(execute, sql, *rest):
        if not meanwhile and 'FROM "payouts_payout"' in sql:
            with ThreadPoolExecutor(1) as pool:
                pool.submit(pay_out).result()
        return execute(sql, *rest)

    with connection.execute_wrapper(between):
        body = api(merchant).get("/v1/balance").json()

    assert meanwhile == [201]
    assert sum(body[part][0]["amount"] for part in ("available", "pending")) == 1000


def test_a_payout_and_a_debit_of_the_same_money(api, merchant):
    client = with_account(api, merchant)
    credit(merchant, 1000)

    results = at_once(
        [lambda: client.post("/v1/payouts", {"amount": 400}).status_code] * 4
        + [lambda: credit(merchant, -400)] * 4
    )

    paid_out = results.count(201)
    debited = sum(isinstance(result, str) for result in results)
    assert paid_out + debited == 2
    assert all(isinstance(result, InsufficientBalance) for result in failures(results))
    assert held(merchant, Purpose.MERCHANT) == 200
    assert lines_are_whole()


def test_a_payout_and_a_refund_of_the_same_money(api, merchant):
    client = with_account(api, merchant)
    sold = client.post("/v1/payments", {"amount": 1000}).json()["id"]
    client.post(f"/v1/payments/{sold}/confirm")

    answers = at_once(
        [
            lambda: client.post(f"/v1/payments/{sold}/refund", {}).json()["status"],
            lambda: client.post("/v1/payouts", {}).json().get("status", "refused"),
        ]
    )

    assert answers in (["succeeded", "refused"], ["pending", "scheduled"])
    assert held(merchant, Purpose.MERCHANT) == 0
    assert lines_are_whole()


def test_cancel_races_the_sending(api, merchant):
    client = api(merchant)
    for _ in range(4):
        credit(merchant, 500)
        client.post("/v1/payouts", {})
    ids = list(Payout.objects.values_list("pk", flat=True))
    late = datetime(2035, 1, 3, 12, tzinfo=UTC)

    at_once(
        [lambda payout_id=each: client.post(f"/v1/payouts/{payout_id}/cancel") for each in ids]
        + [lambda: send_due(now=late)] * 2
    )
    at_once([lambda: fetch_results(now=late + timedelta(days=1))] * 3)

    statuses = list(Payout.objects.values_list("status", flat=True))
    paid = statuses.count("paid")
    assert paid + statuses.count("canceled") == 4
    assert held(merchant, Purpose.BANK) == 500 * paid
    assert held(merchant, Purpose.MERCHANT) == 500 * (4 - paid)
    assert event_types("payout.p") == ["payout.paid"] * paid
    assert lines_are_whole()


def test_two_batches_at_once_take_each_payout_once(api, merchant, bank_account):
    credit(merchant, 5000, livemode=True)
    for _ in range(5):
        api(merchant, live=True).post("/v1/payouts", {"amount": 500})

    results = at_once([batch_of] * 4)

    assert sorted(result is None for result in results) == [False, True, True, True]
    assert PayoutBatch.objects.get().count == 5
    assert Payout.objects.filter(status="in_transit", batch__isnull=False).count() == 5


def test_an_account_that_is_closed_while_its_payout_leaves_is_still_paid(
    api, merchant, bank_account
):
    """What is in the bank's file is in transit: its money is not also back in the balance."""
    credit(merchant, 1000, livemode=True)
    client = api(merchant, live=True)
    client.post("/v1/payouts", {})
    closing: list[Future[int]] = []

    def close():
        status = client.post(f"/v1/bank-accounts/{bank_account.pk}/close").status_code
        connections.close_all()
        return status

    with ThreadPoolExecutor(1) as pool:

        def between(execute, sql, *rest):
            # It waits for the merchant, whom the batch holds until it is there.
            if not closing and sql.startswith('INSERT INTO "payouts_payoutorder"'):
                closing.append(pool.submit(close))
            return execute(sql, *rest)

        with connection.execute_wrapper(between):
            batch = batch_of()

    assert [each.result() for each in closing] == [200]
    payout = Payout.objects.get()
    assert (payout.status, payout.batch, batch.total_amount) == ("in_transit", batch, 1000)
    assert held(merchant, Purpose.MERCHANT, livemode=True) == 0
    assert list(check_batches()) == []


def test_the_first_test_payouts_at_once_share_one_bank_account(api, merchant):
    client = api(merchant)
    credit(merchant, 1000)

    at_once([lambda: client.post("/v1/payouts", {"amount": 200}).status_code] * 4)

    assert Payout.objects.count() == 4
    assert BankAccount.objects.count() == 1
