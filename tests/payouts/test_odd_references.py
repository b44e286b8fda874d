"""References as banks change them: in capitals, cut, or another beside the name of our run"""

import pytest

from core.clock import utc_now
from payouts.contradictions import contradiction_of, holds_back
from payouts.models import BankEntry, PayoutBatch
from payouts.order_references import end_to_end_id
from payouts.services import record_failed
from tests.funding.money_in import LIVE, customer_with, ordered, transfer
from tests.funding.money_in import held as money_of
from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    order_of,
    read,
    statement,
    status_report,
    statuses_of,
    waiting_entries,
)
from tests.payouts.batching import live_payout
from tests.payouts.contradicting import STAFF, explain, leaves, next_payout


def fail(payout):
    record_failed(payout_id=payout.pk, code="x", message="No.", actor=STAFF, now=utc_now())


def in_capitals(batch):
    return PayoutBatch(message_id=batch.message_id.upper())


@pytest.mark.parametrize("form", [statement, notification])
def test_an_order_in_capitals_is_that_order(sent_pair, form):
    name = order_of(sent_pair[0])
    assert name != name.upper()

    read(form(entry(1250, name.upper())))

    assert waiting_entries() == []
    assert statuses_of(sent_pair) == ["paid", "in_transit"]
    assert BankEntry.objects.get().end_to_end_id == name


def test_the_same_entry_in_a_second_file_is_the_same_one(sent_pair):
    told = entry(1250, order_of(sent_pair[0]).upper())
    read(notification(told))

    assert read(notification(told, message_id="M-2")).stored.known == 1


def test_a_report_in_capitals_is_of_that_order(sent_pair):
    orders = [(order_of(sent_pair[1]).upper(), "RJCT")]

    read(status_report(in_capitals(sent_pair[0].batch), *orders, group="ACSC"))

    assert waiting_entries() == []
    assert statuses_of(sent_pair) == ["paid", "failed"]


def test_a_run_in_capitals_is_that_run(sent_pair):
    read(statement(entry(2050, details=batch_details(in_capitals(sent_pair[0].batch)))))

    assert waiting_entries() == []
    assert statuses_of(sent_pair) == ["paid", "paid"]


def test_what_was_refused_is_held_back_by_a_debit_in_capitals(sent_pair):
    fail(sent_pair[0])
    again = next_payout(sent_pair[0])

    read(statement(entry(1250, order_of(sent_pair[0]).upper())))

    assert not leaves(again)


def test_what_was_refused_is_held_back_by_its_run_under_another_name_of_the_bank(sent_pair):
    fail(sent_pair[1])
    again = next_payout(sent_pair[1])
    name = f"<PmtInfId>{sent_pair[0].batch.message_id}</PmtInfId><EndToEndId>COLL 7</EndToEndId>"
    details = f"<NtryDtls><TxDtls><Refs>{name}</Refs></TxDtls></NtryDtls>"

    read(statement(entry(2050, details=details)))

    assert waiting_entries() == ["There is no order with this reference."]
    assert not leaves(again)


@pytest.mark.parametrize("length", [16, 33])
def test_a_name_that_is_cut_is_matched_by_no_one_and_holds_back(sent_pair, length):
    fail(sent_pair[0])
    again = next_payout(sent_pair[0])

    read(statement(entry(1250, order_of(sent_pair[0])[:length].upper())))

    assert waiting_entries() == ["There is no order with this reference."]
    assert holds_back(BankEntry.objects.get())
    assert contradiction_of(again) == BankEntry.objects.get().pk
    assert not leaves(again)
    explain()
    assert leaves(again)


@pytest.mark.parametrize("ended", ["scheduled", "canceled"])
def test_a_cut_name_that_we_never_ordered_holds_back(api, ended, settings):
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    payout = live_payout(api)
    if ended == "canceled":
        api(payout.merchant, live=True).post(f"/v1/payouts/{payout.pk}/cancel")
        held = next_payout(payout)
    else:
        held = payout

    read(statement(entry(1250, end_to_end_id(payout)[:16])))

    assert not leaves(held)


def test_a_short_name_of_someone_else_holds_no_one_back(sent_pair):
    fail(sent_pair[0])
    again = next_payout(sent_pair[0])

    read(statement(entry(1250, order_of(sent_pair[0])[:10])))

    assert not holds_back(BankEntry.objects.get())
    assert leaves(again)


@pytest.mark.parametrize("length", [16, 34])
@pytest.mark.parametrize("spelled", [str.lower, str.upper])
def test_what_was_refused_is_held_back_by_its_run_under_a_cut_name(sent_pair, length, spelled):
    fail(sent_pair[1])
    again = next_payout(sent_pair[1])
    name = "B-" + spelled(sent_pair[0].batch.message_id[2:length])

    read(statement(entry(2050, details=batch_details(PayoutBatch(message_id=name)))))

    assert holds_back(BankEntry.objects.get())
    assert not leaves(again)
    explain()
    assert leaves(again)


def test_a_debit_that_an_earlier_release_stored_in_capitals_holds_back(sent_pair):
    fail(sent_pair[0])
    again, name = next_payout(sent_pair[0]), order_of(sent_pair[0])
    read(statement(entry(1250, name)))
    BankEntry.objects.update(end_to_end_id=name.upper())

    assert holds_back(BankEntry.objects.get())
    assert not leaves(again)


def test_money_whose_sender_has_numbers_like_ours_can_be_credited(sent_pair):
    customer = customer_with(0, LIVE, livemode=True)
    reference = ordered(customer, 2_000).reference

    read(statement(transfer(2_000, reference, end_to_end_id="E-20261120123456")))

    assert money_of(customer) == 2_000


def test_money_that_may_be_our_order_that_came_back_is_not(sent_pair):
    customer = customer_with(0, LIVE, livemode=True)
    reference, name = ordered(customer, 2_000).reference, order_of(sent_pair[0])[:20]

    read(statement(transfer(2_000, reference, end_to_end_id=name)))

    assert money_of(customer) == 0
