"""Which waiting entries the next file may explain, and which of them keep payouts shut"""

from unittest import mock

import pytest

from core.clock import utc_now
from payouts import continuity
from payouts.bank import importing
from payouts.bank.reopening import reopen
from payouts.bank.storage import NOT_LOOKED_AT
from payouts.errors import BankEntriesWaiting
from payouts.models import PayoutBatch, PayoutOrder
from tests.ledger.thief import change
from tests.payouts.bank_files import order_of, read, status_report
from tests.payouts.bank_rows import stored

ORDER, OLD_ORDER, RUN, UNKNOWN = "its order", "its old order", "its run", "0" * 32
WAITING = [
    ({"end_to_end_id": f"E-{UNKNOWN}"}, True),
    ({"end_to_end_id": "E-1"}, True),
    ({"end_to_end_id": OLD_ORDER}, True),
    ({"end_to_end_id": "INVOICE 7"}, False),
    ({"message_reference": RUN}, True),
    ({"message_reference": f"B-{UNKNOWN}"}, False),
    ({}, False),
    ({"end_to_end_id": ORDER, "kind": "return"}, True),
    ({"end_to_end_id": ORDER, "kind": "credit"}, False),
    ({"problem": NOT_LOOKED_AT}, True),
    ({"problem": NOT_LOOKED_AT, "kind": "credit"}, True),
    ({"problem": NOT_LOOKED_AT, "livemode": False}, False),
    ({"end_to_end_id": ORDER, "livemode": False}, False),
    ({"end_to_end_id": ORDER, "credited_to": "top_1"}, False),
]


def named(pair, values):
    """Put the names of the pair's orders and run for what stands for them."""
    meant = {ORDER: order_of(pair[0]), OLD_ORDER: "po-123", RUN: pair[0].batch.message_id}
    return {name: meant.get(value, value) for name, value in values.items()}


@pytest.mark.parametrize(("values", "is_tried"), WAITING, ids=str)
def test_what_may_be_explained_by_now_is_tried_again(sent_pair, monkeypatch, values, is_tried):
    change(PayoutOrder.objects.get(payout=sent_pair[1]), end_to_end_id="po-123")
    waiting = stored(**named(sent_pair, values))
    old_batch = PayoutBatch.objects.get()
    old_batch.pk, old_batch.message_id = "bat_old", ""
    old_batch.save(force_insert=True)
    match_entry = mock.Mock(return_value=True)
    monkeypatch.setattr(importing, "match_entry", match_entry)

    done = read(status_report(sent_pair[0].batch, ("E-2", "ACSC"), message_id="S-2"))

    own, *others = [call.kwargs["entry_id"] for call in match_entry.call_args_list]
    assert own == done.stored.file.entries.get().pk
    assert others == ([waiting.pk] if is_tried else [])
    assert (done.matched, done.matched_earlier, done.unmatched) == (1, int(is_tried), 1)


def test_it_tells_how_many_entries_of_the_file_it_has_looked_at(sent_pair, monkeypatch):
    stored(end_to_end_id=order_of(sent_pair[0]))
    told = []
    monkeypatch.setattr(importing, "match_entry", mock.Mock(return_value=False))
    file = read(status_report(sent_pair[0].batch, ("E-2", "ACSC"), ("E-3", "ACSC"))).stored

    importing.match_bank_file(
        stored=file,
        actor="staff:ann",
        now=utc_now(),
        progress=lambda number, count: told.append((number, count)),
    )

    assert told == [(1, 2), (2, 2)]


SHUT = [
    ({"end_to_end_id": f"E-{UNKNOWN}"}, True),
    ({"end_to_end_id": f"e-{UNKNOWN[:14]}"}, True),
    ({"end_to_end_id": f"E-{UNKNOWN[:13]}"}, False),
    ({"message_reference": f"B-{UNKNOWN}"}, True),
    ({"message_reference": RUN}, True),
    ({"message_reference": "SALARIES"}, False),
    ({"end_to_end_id": ORDER}, True),
    ({"end_to_end_id": ORDER, "kind": "return"}, True),
    ({"end_to_end_id": ORDER, "kind": "rejected"}, True),
    ({"end_to_end_id": ORDER, "kind": "processing"}, False),
    ({"end_to_end_id": ORDER, "kind": "settled"}, False),
    ({"end_to_end_id": f"E-{UNKNOWN}", "kind": "settled"}, True),
    ({"end_to_end_id": ORDER, "kind": "credit"}, False),
    ({"end_to_end_id": ORDER, "livemode": False}, False),
    ({"end_to_end_id": ORDER, "credited_to": "top_1"}, False),
    ({}, False),
]


@pytest.mark.parametrize(("values", "is_shut"), SHUT, ids=str)
def test_what_the_bank_says_of_an_order_keeps_payouts_shut(sent_pair, values, is_shut):
    waiting = stored(**{"problem": "Why it waits.", **named(sent_pair, values)})
    continuity.shut(actor="staff:ann", now=utc_now())

    if is_shut:
        with pytest.raises(BankEntriesWaiting) as refusal:
            reopen(actor="staff:ann", now=utc_now())
        said = f"bank_entries: 1, such as {waiting.pk}: Why it waits."
        assert refusal.value.details == said
    else:
        reopen(actor="staff:ann", now=utc_now())

    assert continuity.is_shut(now=utc_now()) is is_shut


def test_the_oldest_that_keeps_them_shut_is_named(sent_pair):
    newer, older = (stored(end_to_end_id=f"E-{UNKNOWN}") for _ in range(2))
    type(newer).objects.filter(pk=older.pk).update(created_at="2026-01-01T00:00Z")

    with pytest.raises(BankEntriesWaiting, match=f"2, such as {older.pk}"):
        reopen(actor="staff:ann", now=utc_now())
