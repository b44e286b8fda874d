"""A batch is as good as its items: each payout leaves, fails or waits by itself."""

import io
from datetime import date

import pytest
from django.core.management import call_command
from django.db import connection

from core.clock import utc_now
from core.errors import ValidationFailed
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from payouts import batches
from payouts.bank.by_hand import set_aside
from payouts.bank_accounts import close_bank_account
from payouts.batch_reconciliation import check_batches
from payouts.errors import BankEntriesWaiting, PayoutStatusUnfit
from payouts.models import BankEntry, Payout, PayoutBatch
from payouts.sending import send_due
from payouts.services import mark_sent, record_failed
from tests.payouts.bank_files import (
    batch_details,
    entry,
    order_of,
    read,
    statement,
    status_report,
)
from tests.payouts.batching import batch_of, live_payout, undo


def suspend(merchant) -> None:
    set_status(merchant_id=merchant.id, status=MerchantStatus.SUSPENDED, now=utc_now())


def statuses(payouts: list[Payout]) -> list[str]:
    return [Payout.objects.get(pk=payout.pk).status for payout in payouts]


def test_what_cannot_leave_fails_or_waits_and_the_rest_goes(api, settings):
    payouts = [live_payout(api, amount=amount) for amount in (1000, 900, 800, 90_000)]
    closed, suspended, small, _ = payouts
    now = utc_now()
    close_bank_account(bank_account_id=closed.bank_account_id, actor="staff:ann", now=now)
    suspend(suspended.merchant)
    settings.PAYOUT_MINIMUM = 850

    batch = batch_of()

    assert statuses(payouts) == ["failed", "scheduled", "failed", "in_transit"]
    assert (batch.count, batch.total_amount) == (1, 90_000)
    assert Payout.objects.get(pk=closed.pk).failure_code == "bank_account_closed"
    assert Payout.objects.get(pk=small.pk).failure_code == "below_minimum"


def test_what_was_ordered_leaves_though_its_account_is_closed_meanwhile(api):
    """What is in the bank's file is in transit: its money is not also back in the balance."""
    payout = live_payout(api)
    meanwhile: list[str] = []

    def between(execute, sql, *rest):
        if not meanwhile and sql.startswith('INSERT INTO "payouts_payoutorder"'):
            meanwhile.append(payout.bank_account_id)
            close_bank_account(bank_account_id=meanwhile[0], actor="staff:ann", now=utc_now())
        return execute(sql, *rest)

    with connection.execute_wrapper(between):
        batch = batch_of()

    assert meanwhile == [payout.bank_account_id]
    assert (batch.count, statuses([payout])) == (1, ["in_transit"])
    assert list(check_batches()) == []


def test_failures_count_where_nothing_is_left_to_send(api):
    payout = live_payout(api)
    close_bank_account(bank_account_id=payout.bank_account_id, actor="staff:ann", now=utc_now())

    assert batch_of() is None

    assert statuses([payout]) == ["failed"]
    assert PayoutBatch.objects.count() == 0
    balance = api(payout.merchant, live=True).get("/v1/balance").json()
    assert balance["available"] == [{"currency": "BSD", "amount": 1250}]


def test_what_fails_leaves_its_place_to_the_next(api, monkeypatch):
    monkeypatch.setattr(batches, "MAX_PAYOUTS", 2)
    payouts = [live_payout(api) for _ in range(4)]
    for payout in payouts[:2]:
        close_bank_account(bank_account_id=payout.bank_account_id, actor="x", now=utc_now())

    assert batch_of().count == 2

    assert statuses(payouts) == ["failed", "failed", "in_transit", "in_transit"]


def test_a_payout_of_a_merchant_let_in_again_goes_with_the_next(api):
    payout = live_payout(api)
    suspend(payout.merchant)
    assert batch_of() is None

    set_status(merchant_id=payout.merchant_id, status=MerchantStatus.VERIFIED, now=utc_now())

    assert batch_of().count == 1


def test_it_takes_exactly_those_that_are_named(api):
    first, second, third = (live_payout(api) for _ in range(3))
    api(second.merchant, live=True).post(f"/v1/payouts/{second.id}/cancel")

    batch = batch_of(payout_ids=[first.id, second.id])

    assert [each.id for each in batch.payouts.all()] == [first.id]
    assert statuses([third]) == ["scheduled"]


def test_more_than_fit_in_one_go_with_the_next(api, monkeypatch):
    monkeypatch.setattr(batches, "MAX_PAYOUTS", 2)
    for _ in range(5):
        live_payout(api)

    assert [batch_of().count for _ in range(3)] == [2, 2, 1]
    assert batch_of() is None


def test_sending_by_itself_skips_a_suspended_merchant(payout):
    suspend(payout.merchant)
    Payout.objects.update(send_date="2020-01-01")

    assert send_due(now=utc_now()) == 0
    assert statuses([payout]) == ["scheduled"]


def test_a_merchant_that_is_suspended_during_the_sweep_is_not_paid(payout):
    suspend(payout.merchant)

    with pytest.raises(PayoutStatusUnfit, match="suspended"):
        mark_sent(payout_id=payout.pk, actor="system:x", now=utc_now())

    assert statuses([payout]) == ["scheduled"]


@pytest.mark.django_db(transaction=True)
def test_what_the_bank_speaks_of_already_waits_until_that_is_explained(own_sent_pair):
    told = order_of(own_sent_pair[0])
    undo(own_sent_pair[0].batch)
    read(status_report(PayoutBatch(message_id=f"B-{'0' * 32}"), (told, "ACSC")))

    assert [each.id for each in batch_of().payouts.all()] == [own_sent_pair[1].pk]
    assert statuses(own_sent_pair) == ["scheduled", "in_transit"]

    waiting = BankEntry.objects.unmatched().get()
    set_aside(entry_id=waiting.pk, note="Asked.", actor="staff:ann", now=utc_now(), by_two=True)
    assert batch_of().count == 1


@pytest.mark.django_db(transaction=True)
def test_what_the_bank_speaks_of_already_is_neither_canceled_nor_refused(api, own_sent_pair):
    payout = own_sent_pair[0]
    told = order_of(payout)
    undo(payout.batch)
    read(status_report(PayoutBatch(message_id=f"B-{'0' * 32}"), (told, "ACSC")))
    path, merchant = f"/v1/payouts/{payout.pk}/cancel", api(payout.merchant, live=True)

    assert merchant.post(path).status_code == 422
    with pytest.raises(PayoutStatusUnfit):
        refuse(payout)
    assert statuses([payout]) == ["scheduled"]

    waiting = BankEntry.objects.unmatched().get()
    set_aside(entry_id=waiting.pk, note="Asked.", actor="staff:ann", now=utc_now(), by_two=True)
    refuse(payout)
    assert statuses([payout]) == ["failed"]


def refuse(payout: Payout) -> None:
    record_failed(payout_id=payout.pk, code="x", message="y", actor="staff:ann", now=utc_now())


@pytest.mark.django_db(transaction=True)
def test_nothing_leaves_while_the_bank_speaks_of_a_run_that_is_not_known(own_sent_pair):
    lost = own_sent_pair[0].batch
    undo(lost)
    read(statement(entry(lost.total_amount, details=batch_details(lost))))

    with pytest.raises(BankEntriesWaiting):
        batch_of()

    assert statuses(own_sent_pair) == ["scheduled", "scheduled"]


@pytest.mark.django_db(transaction=True)
def test_who_sends_us_money_under_the_name_of_a_run_stops_no_payout(own_sent_pair):
    lost = own_sent_pair[0].batch
    undo(lost)
    read(statement(entry(100, direction="CRDT", details=batch_details(lost))))

    assert batch_of().count == 2


def test_what_the_bank_books_under_a_name_that_is_no_run_of_ours_stops_no_payout(api, settings):
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000 777", "BOTIBSNS"
    live_payout(api)
    read(statement(entry(100, details=batch_details(PayoutBatch(message_id="SALARIES-11")))))
    assert BankEntry.objects.unmatched().get().message_reference == "SALARIES-11"

    assert batch_of().count == 1


def test_a_day_that_is_over_is_refused(api):
    payout = live_payout(api)
    Payout.objects.update(send_date=date(2026, 3, 16))

    with pytest.raises(ValidationFailed, match=r"the next one is 2026-03-18"):
        batch_of(execution_date=date(2026, 3, 17))

    assert statuses([payout]) == ["scheduled"]


def test_the_command_says_what_is_left(api, monkeypatch, settings, tmp_path):
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "999000", "BOTIBSNSXXX"
    monkeypatch.setattr(batches, "MAX_PAYOUTS", 2)
    for _ in range(3):
        live_payout(api)
    said = []
    for name in ("1.xml", "2.xml"):
        out = io.StringIO()
        call_command("export_payouts", str(tmp_path / name), stdout=out)
        said.append(out.getvalue().splitlines()[1:])

    assert said == [["1 more are due: run it again with another file."], []]
