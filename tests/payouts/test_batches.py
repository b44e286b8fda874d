"""Payouts handed to the bank in batches, and a batch as CSV"""

import csv
import io
from datetime import date

import pytest
import time_machine

from core.clock import utc_now
from core.errors import ValidationFailed
from payouts.bank_accounts import close_bank_account
from payouts.batches import find_batch, orders_of
from payouts.csv_file import COLUMNS, csv_file
from payouts.errors import PayoutBatchNotFound
from payouts.models import BankHoliday, Payout, PayoutBatch
from tests.payouts.batching import batch_of, live_payout, order_with


def test_it_takes_what_is_due_into_transit(api):
    payouts = [live_payout(api, amount=1250), live_payout(api, amount=700)]

    batch = batch_of()

    assert (batch.count, batch.total_amount, batch.created_by) == (2, 1950, "staff:ann")
    for payout in payouts:
        payout.refresh_from_db()
        assert (payout.status, payout.batch) == ("in_transit", batch)
        assert payout.transitions.latest("id").actor == "staff:ann"


def test_it_tells_how_many_it_has_taken(api):
    for amount in (1250, 700):
        live_payout(api, amount=amount)
    told = []

    batch_of(progress=lambda count, total: told.append((count, total)))

    assert told == [(1, 2), (2, 2)]


def test_it_is_refused_for_a_day_on_which_banks_rest(api):
    BankHoliday.objects.create(date=date(2100, 1, 4), name="Majority Rule Day")
    live_payout(api)

    for day in (date(2100, 1, 2), date(2100, 1, 3), date(2100, 1, 4)):  # Saturday to Monday
        with pytest.raises(ValidationFailed) as refusal:
            batch_of(execution_date=day)
        assert refusal.value.details == (
            "execution_date: must be a business day to come; the next one is 2100-01-05"
        )

    assert not PayoutBatch.objects.exists()
    assert Payout.objects.get().status == "scheduled"
    assert batch_of(execution_date=date(2100, 1, 5)).count == 1


def test_a_payout_goes_out_in_one_batch(api):
    live_payout(api)
    batch_of()

    assert batch_of() is None
    assert PayoutBatch.objects.count() == 1


def test_it_leaves_what_is_not_due_or_not_meant(api, payout):
    live_payout(api, currency="USD")
    early = live_payout(api)
    canceled = live_payout(api)
    api(canceled.merchant, live=True).post(f"/v1/payouts/{canceled.id}/cancel")

    Payout.objects.update(send_date=date(2026, 3, 19))
    assert batch_of(execution_date=date(2026, 3, 18)) is None
    batch = batch_of()

    assert [each.id for each in batch.payouts.all()] == [early.id]


def test_a_payout_to_a_closed_account_fails_instead(api):
    payouts = [live_payout(api), live_payout(api)]
    account_id = payouts[0].bank_account_id
    close_bank_account(bank_account_id=account_id, actor="staff:ann", now=utc_now())

    batch = batch_of()

    statuses = [Payout.objects.get(pk=each.pk).status for each in payouts]
    assert statuses == ["failed", "in_transit"]
    assert (batch.count, batch.total_amount) == (1, 1250)


def test_what_leaves_late_arrives_later(api):
    with time_machine.travel("2026-11-16T17:00Z", tick=False):  # a Monday
        payouts = [live_payout(api), live_payout(api)]
    at_once, late = date(2026, 11, 16), date(2026, 11, 20)
    promised = payouts[0].arrival_date

    Payout.objects.filter(pk=payouts[1].pk).update(send_date=late)
    batch_of(execution_date=at_once)
    Payout.objects.filter(pk=payouts[1].pk).update(send_date=at_once)
    batch_of(execution_date=late)

    [first, second] = [Payout.objects.get(pk=each.pk).arrival_date for each in payouts]
    assert first == promised == date(2026, 11, 17)
    assert second == date(2026, 11, 23)


def test_a_batch_is_found_again(api):
    live_payout(api)
    batch = batch_of()

    assert find_batch(batch.id) == batch
    with pytest.raises(PayoutBatchNotFound):
        find_batch("batch_x")


def test_the_csv_has_a_line_for_each_payout(api):
    payout = live_payout(api, amount=123_405, description='Rent, "June"', clearing_code="07")

    text = csv_file(orders_of(batch_of()))
    payout.refresh_from_db()

    assert text.count("\r\n") == 2
    head, line = csv.reader(io.StringIO(text, newline=""))
    assert dict(zip(head, line, strict=True)) == {
        "payout_id": payout.id,
        "amount": "1234.05",
        "amount_cents": "123405",
        "currency": "BSD",
        "holder_name": "Conch Shack Ltd",
        "account_number": "123456789012",
        "bank_name": "Bank of the Islands",
        "bic": "BOTIBSNSXXX",
        "clearing_code": "07",
        "description": 'Rent, "June"',
        "end_to_end_id": payout.order.end_to_end_id,
    }
    assert tuple(head) == COLUMNS


@pytest.mark.parametrize(
    ("name", "written"),
    [
        *[(name, f"'{name}") for name in ("=1+1", "+1", "-1", "@SUM(A1)", "\0=1", "  =1+1", "\t1")],
        *[(f"{splits}=1", f"'{splits}'=1") for splits in "\t\r\n"],
        ("Ann;=1+1", "Ann;'=1+1"),
    ],
)
def test_no_cell_of_the_csv_is_a_formula(name, written):
    order = order_with(holder_name=name, bank_name=name, description=name)

    [_, line] = csv.reader(io.StringIO(csv_file([order]), newline=""))

    assert [line[4], line[6], line[9]] == [written] * 3
