"""Orders and runs that the bank knows and a restored database does not, each by its name"""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection

from core.clock import utc_now
from payouts.batches import entry_of_unknown_file, note_departure, scheduled_under
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, Payout
from payouts.order_references import end_to_end_id
from tests.payouts.bank_files import entry, read, statement, statuses_of, waiting_entries
from tests.payouts.bank_rows import stored
from tests.payouts.batching import batch_of, live_payout

LATER = datetime(2026, 3, 18, tzinfo=UTC)
UNKNOWN = f"B-{'0' * 32}"


@pytest.fixture
def pair(api, settings):
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    return live_payout(api, amount=1250), live_payout(api, amount=800)


def departs(payout, **values):
    told: dict[str, Any] = {
        "reference": end_to_end_id(payout),
        "livemode": True,
        "amounts": (1300, 800),
        "currency": "BSD",
    }
    return note_departure(**(told | values), actor="staff:ann", now=utc_now())


def test_it_is_the_one_with_that_name(pair):
    order = departs(pair[1])

    assert order.payout == pair[1]
    assert statuses_of(pair) == ["scheduled", "in_transit"]
    assert order.batch.created_by == "staff:ann"


@pytest.mark.parametrize("other", [{"amounts": (801, 799)}, {"currency": "USD"}, {"amounts": ()}])
def test_other_money_under_its_name_is_refused(pair, other):
    with pytest.raises(BankEntryUnfit, match=f"knows payout {pair[1].pk}, which is scheduled"):
        departs(pair[1], **other)

    assert statuses_of(pair) == ["scheduled", "scheduled"]


@pytest.mark.parametrize("other", [{"livemode": False}, {"reference": f"E-{'0' * 32}"}])
def test_it_is_none_of_the_other_mode_or_of_another_name(pair, other):
    assert departs(pair[1], **other) is None

    assert statuses_of(pair) == ["scheduled", "scheduled"]


def test_a_debit_in_test_mode_lets_no_live_payout_leave(pair):
    read(statement(entry(800, end_to_end_id(pair[1]))), livemode=False)

    assert statuses_of(pair) == ["scheduled", "scheduled"]
    assert waiting_entries() == ["There is no order with this reference."]


def test_what_has_left_meanwhile_leaves_no_second_time(pair):
    """Between the search and the lock someone else has sent it."""

    def between(execute, sql, *rest):
        found = execute(sql, *rest)
        if '"payouts_payout"."status" = ' in sql and 'ORDER BY "payouts_payout"."id"' in sql:
            Payout.objects.filter(pk=pair[1].pk).update(status="canceled", canceled_at=utc_now())
        return found

    with connection.execute_wrapper(between):
        assert departs(pair[1]) is None


def test_only_what_is_scheduled_is_listed_by_its_name(pair, django_assert_num_queries):
    names = {end_to_end_id(payout) for payout in pair}
    assert list(scheduled_under(names, livemode=True)) == [
        (end_to_end_id(payout), payout) for payout in pair
    ]
    Payout.objects.filter(pk=pair[0].pk).update(status="canceled", canceled_at=utc_now())

    assert [payout for _, payout in scheduled_under(names, livemode=True)] == [pair[1]]
    assert list(scheduled_under(names, livemode=False)) == []
    with django_assert_num_queries(0):
        assert list(scheduled_under({"INVOICE 7", ""}, livemode=True)) == []


@pytest.mark.parametrize(
    ("values", "is_unknown"),
    [
        ({}, True),
        ({"message_reference": UNKNOWN.lower()}, True),
        ({"message_reference": UNKNOWN[:16]}, True),
        ({"kind": "settled"}, True),
        ({"kind": "return"}, True),
        ({"kind": "credit"}, False),
        ({"livemode": False}, False),
        ({"end_to_end_id": "E-1"}, False),
        ({"message_reference": "SALARIES"}, False),
        ({"message_reference": ""}, False),
        ({"state": "other", "note": "Asked.", "resolved_at": LATER}, False),
    ],
    ids=str,
)
def test_a_run_is_unknown_that_no_batch_has_the_name_of(sent_pair, values, is_unknown):
    found = stored(**{"message_reference": UNKNOWN, **values})

    assert entry_of_unknown_file(livemode=True) == (found if is_unknown else None)


@pytest.mark.parametrize("length", [16, 34])
@pytest.mark.parametrize("spelled", [str.lower, str.upper])
def test_a_run_is_known_by_its_name_or_the_beginning_of_it(sent_pair, spelled, length):
    stored(message_reference=spelled(sent_pair[0].batch.message_id)[:length])

    assert entry_of_unknown_file(livemode=True) is None


def test_the_oldest_entry_of_one_is_named(sent_pair):
    first, second = (stored(message_reference=UNKNOWN) for _ in range(2))
    BankEntry.objects.filter(pk=first.pk).update(created_at=second.created_at)
    assert entry_of_unknown_file(livemode=True) == min(first, second, key=lambda it: it.pk)

    BankEntry.objects.filter(pk=second.pk).update(created_at="2026-01-01T00:00Z")

    assert entry_of_unknown_file(livemode=True) == second


def test_what_is_scheduled_meanwhile_for_another_merchant_waits_for_the_next_run(api, pair):
    """Its merchant is not locked: it might be suspended before the batch exists."""
    late: list[Payout] = []

    def between(execute, sql, *rest):
        if not late and '"payouts_payout"."merchant_id" IN (%s, %s)' in sql:
            late.append(pair[0])
            late.append(live_payout(api))
        return execute(sql, *rest)

    with connection.execute_wrapper(between):
        assert batch_of().count == 2

    assert statuses_of(late) == ["in_transit", "scheduled"]
