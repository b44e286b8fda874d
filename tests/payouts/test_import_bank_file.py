"""The bank's files, imported: each answer becomes what it says of its payout, once"""

from unittest import mock

import pytest

from core.clock import utc_now
from ledger.models import Purpose
from payouts.bank import importing
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.matching import match_entry
from payouts.bank.storage import parse_bank_file, store_bank_file
from payouts.bank_words import WordsOfOrders
from payouts.models import BankEntry, BankFile, Payout
from payouts.reconciliation import check_payouts
from payouts.services import record_paid
from tests.events import event_types
from tests.payouts.bank_files import (
    batch_details,
    entry,
    notification,
    order_of,
    read,
    returned,
    statement,
    status_report,
    statuses_of,
    waiting_entries,
)
from tests.payouts.merchant_balance import held


def problems():
    return [*check_payouts(), *check_bookings()]


@pytest.mark.parametrize("version", ["03", "10"])
def test_a_status_report_settles_and_rejects_each_order(sent_pair, version):
    first, second = sent_pair
    report = status_report(
        first.batch,
        (order_of(first), "ACSC", "12.50"),
        (order_of(second), "RJCT", "8.00"),
        group="PART",
        version=version,
        reason="<Rsn><Cd>AC04</Cd></Rsn><AddtlInf>Closed.</AddtlInf>",
    )

    done = read(report)

    assert (done.matched, done.unmatched, done.stored.repeated) == (2, 0, False)
    assert statuses_of(sent_pair) == ["paid", "failed"]
    failed = Payout.objects.get(pk=second.pk)
    assert (failed.failure_code, failed.failure_message) == ("AC04", "Closed.")
    assert sorted(event_types()[-2:]) == ["payout.failed", "payout.paid"]
    assert problems() == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ({"group": "RJCT"}, "failed"),
        ({"payment": "RJCT"}, "failed"),
        ({"group": "ACSC"}, "paid"),
        ({"group": "ACSP"}, "in_transit"),
        ({"group": "ACCP", "payment": "RJCT"}, "failed"),
        ({"group": "PART", "payment": "PART"}, "in_transit"),
    ],
)
def test_a_status_of_the_group_is_that_of_each_order(sent_pair, words, expected):
    read(status_report(sent_pair[0].batch, **words))

    assert statuses_of(sent_pair) == [expected, expected]
    assert waiting_entries() == []


def test_a_group_does_not_speak_for_what_is_named(sent_pair):
    first = sent_pair[0]

    read(status_report(first.batch, (order_of(first), "RJCT"), group="ACSC"))

    assert statuses_of(sent_pair) == ["failed", "paid"]


@pytest.mark.parametrize(("version", "booked"), [("02", "<Sts>BOOK</Sts>"), ("08", None)])
@pytest.mark.parametrize("form", [statement, notification])
def test_a_booked_entry_pays_its_payout(sent_pair, form, version, booked):
    options = {"booked": booked} if booked else {}

    read(form(entry(1250, order_of(sent_pair[0]), **options), version=version))

    assert statuses_of(sent_pair) == ["paid", "in_transit"]
    paid = Payout.objects.get(pk=sent_pair[0].pk)
    assert (paid.bank_reference, paid.booked_at is not None) == ("TRN 1", form is statement)
    assert problems() == []


def test_an_entry_that_is_not_booked_yet_says_nothing(sent_pair):
    read(statement(entry(1250, order_of(sent_pair[0]), booked="<Sts><Cd>PDNG</Cd></Sts>")))

    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]
    assert not BankEntry.objects.exists()


@pytest.mark.parametrize("itemized", [True, False])
def test_one_entry_can_book_a_batch(sent_pair, itemized):
    parts = [(order_of(payout), payout.amount) for payout in sent_pair] if itemized else []

    read(statement(entry(2050, details=batch_details(sent_pair[0].batch, *parts))))

    assert statuses_of(sent_pair) == ["paid", "paid"]
    assert not Payout.objects.filter(booked_at=None).exists()
    assert problems() == []


def test_a_batch_is_booked_without_what_the_bank_refused(sent_pair):
    read(status_report(sent_pair[0].batch, (order_of(sent_pair[1]), "RJCT"), group="PART"))

    read(statement(entry(1250, details=batch_details(sent_pair[0].batch))))

    assert statuses_of(sent_pair) == ["paid", "failed"]
    assert problems() == []


@pytest.mark.parametrize("form", [statement, notification])
def test_money_that_comes_back_is_the_merchants_again(api, sent_pair, form):
    first = sent_pair[0]
    read(statement(entry(1250, order_of(first))))

    read(form(returned(first), message_id="M-2", number="2026-2"))

    body = api(first.merchant, live=True).get(f"/v1/payouts/{first.pk}").json()
    assert (body["status"], body["error_code"]) == ("returned", "AC04")
    assert body["error_message"] == "Account closed"
    assert body["returned_at"] >= body["paid_at"]
    assert held(first.merchant, Purpose.MERCHANT, livemode=True) == 1250
    assert held(first.merchant, Purpose.BANK, livemode=True) == 0
    assert event_types()[-2:] == ["payout.paid", "payout.failed"]
    assert problems() == []


def test_a_booking_that_the_bank_reverses_is_a_return(sent_pair):
    read(statement(entry(1250, order_of(sent_pair[0]))))

    read(statement(returned(sent_pair[0], returned="", reversal=True), message_id="2", number="2"))

    assert statuses_of(sent_pair) == ["returned", "in_transit"]


def test_a_return_may_come_before_the_booking(sent_pair):
    read(notification(returned(sent_pair[0])))
    assert statuses_of(sent_pair) == ["returned", "in_transit"]

    read(statement(entry(1250, order_of(sent_pair[0])), returned(sent_pair[0])))

    assert waiting_entries() == []
    payout = Payout.objects.get(pk=sent_pair[0].pk)
    assert payout.booked_at is not None
    assert payout.return_booked_at is not None
    assert event_types()[-2:] == ["payout.paid", "payout.failed"]
    assert held(sent_pair[0].merchant, Purpose.MERCHANT, livemode=True) == 1250
    assert problems() == []


def test_a_file_that_comes_twice_changes_nothing(sent_pair):
    content = statement(entry(1250, order_of(sent_pair[0])))
    read(content)
    before = event_types()

    again = read(content)

    assert (again.stored.repeated, again.matched, again.unmatched) == (True, 0, 0)
    assert event_types() == before
    assert (BankFile.objects.count(), BankEntry.objects.count()) == (1, 1)


@pytest.mark.django_db
def test_a_file_is_stored_once_and_says_so(settings):
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    parsed = parse_bank_file(statement(entry(1250, "X")).encode())
    stored = [
        store_bank_file(parsed=parsed, livemode=True, actor="staff:ann", now=utc_now())
        for _ in range(2)
    ]

    assert [(each.repeated, each.known) for each in stored] == [(False, 0), (True, 0)]
    assert stored[0].file == stored[1].file


@pytest.mark.parametrize(
    ("kind", "source", "is_credit"),
    [
        ("credit", "statement", True),
        ("credit", "notification", False),
        ("debit", "statement", False),
        ("debit", "notification", False),
    ],
)
def test_only_money_that_came_in_by_a_statement_is_a_booked_credit(kind, source, is_credit):
    assert BankEntry(kind=kind, source=source).is_booked_credit is is_credit


def test_an_entry_that_is_in_two_files_is_one_entry(sent_pair):
    first, second = (order_of(payout) for payout in sent_pair)
    read(statement(entry(1250, first)))

    other = read(
        statement(
            entry(1250, first),
            entry(800, second, reference="TRN 2"),
            message_id="M-2",
            number="2026-2",
        )
    )

    assert (other.matched, other.stored.known) == (1, 1)
    assert statuses_of(sent_pair) == ["paid", "paid"]
    assert waiting_entries() == []


def test_what_staff_have_recorded_is_not_recorded_again(sent_pair):
    record_paid(payout_id=sent_pair[0].pk, actor="staff:ann", now=utc_now())
    before = event_types()

    read(statement(entry(1250, order_of(sent_pair[0]))))

    assert (event_types(), waiting_entries()) == (before, [])
    assert Payout.objects.get(pk=sent_pair[0].pk).booked_at is not None


def test_only_what_names_an_order_or_a_run_is_tried_again(sent_pair, monkeypatch):
    ours = entry(1250, details=batch_details(sent_pair[0].batch))
    read(statement(entry(700, reference="FEE"), ours))
    match_entry = mock.Mock(return_value=False)
    monkeypatch.setattr(importing, "match_entry", match_entry)

    read(status_report(sent_pair[0].batch, message_id="S-2"))

    waiting = BankEntry.objects.get(kind="debit", amount=1250)
    assert [call.kwargs["entry_id"] for call in match_entry.call_args_list] == [waiting.pk]


def test_what_waited_is_explained_by_a_later_file(sent_pair):
    paid, refused = sent_pair
    read(statement(entry(1250, details=batch_details(paid.batch))))
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]

    result = read(status_report(paid.batch, (order_of(refused), "RJCT")))

    assert (result.matched, result.matched_earlier) == (1, 1)
    assert statuses_of(sent_pair) == ["paid", "failed"]
    assert waiting_entries() == []


def test_what_is_matched_is_not_matched_again(sent_pair):
    read(statement(entry(1250, order_of(sent_pair[0]))))
    events, matched = event_types(), BankEntry.objects.values().get()

    assert not match_entry(
        entry_id=matched["id"], words=WordsOfOrders(), actor="staff:bob", now=utc_now()
    )

    assert (event_types(), BankEntry.objects.values().get()) == (events, matched)
    assert (matched["resolved_by"], problems()) == ("staff:ann", [])
