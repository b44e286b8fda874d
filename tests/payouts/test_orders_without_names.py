"""A status report that does not name an order says nothing of the rest of its run"""

import pytest

from core.clock import utc_now
from payouts.bank.by_hand import match_by_hand, set_aside
from payouts.models import BankEntry
from tests.payouts.bank_files import (
    order_of,
    read,
    statement,
    status_report,
    statuses_of,
    waiting_entries,
)

NAMELESS = "The report does not name the order: match it with its payout."
WITHIN = "An order in the report has no reference: what is said of others may concern it."
STAFF = "staff:ann"


@pytest.mark.parametrize("name", ["NOTPROVIDED", ""])
@pytest.mark.parametrize("status", ["RJCT", "ACSC"])
def test_it_waits_and_moves_no_payout(sent_pair, name, status):
    read(status_report(sent_pair[0].batch, (name, status)))

    assert waiting_entries() == [NAMELESS]
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]


def test_an_order_without_the_element_waits_too(sent_pair):
    report = status_report(sent_pair[0].batch, ("", "RJCT"))

    read(report.replace("<OrgnlEndToEndId></OrgnlEndToEndId>", ""))

    assert waiting_entries() == [NAMELESS]
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]


@pytest.mark.parametrize("levels", [{"group": "RJCT"}, {"payment": "ACSC"}])
def test_what_is_said_of_the_others_waits_with_it(sent_pair, levels):
    named = (order_of(sent_pair[0]), "ACSC")

    read(status_report(sent_pair[0].batch, named, ("NOTPROVIDED", "RJCT"), **levels))

    assert sorted(waiting_entries()) == [WITHIN, NAMELESS]
    assert statuses_of(sent_pair) == ["paid", "in_transit"]


def test_one_of_an_earlier_release_is_not_its_run(sent_pair):
    """It was stored with the reference of the run, as what speaks of all of it."""
    read(status_report(sent_pair[0].batch, ("NOTPROVIDED", "RJCT"), group="ACSC"))
    stored = BankEntry.objects.filter(kind="rejected")
    stored.update(message_reference=sent_pair[0].batch.message_id)

    read(statement())

    assert sorted(waiting_entries()) == [WITHIN, NAMELESS]
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]


def test_a_person_names_it_and_the_rest_is_matched_with_the_next_file(sent_pair):
    read(status_report(sent_pair[0].batch, ("NOTPROVIDED", "RJCT"), payment="ACSC"))
    nameless = BankEntry.objects.get(kind="rejected")

    match_by_hand(entry_id=nameless.pk, payout_id=sent_pair[1].pk, actor=STAFF, now=utc_now())
    assert statuses_of(sent_pair) == ["in_transit", "failed"]
    read(statement())

    assert waiting_entries() == []
    assert statuses_of(sent_pair) == ["paid", "failed"]


def test_the_rest_waits_though_it_was_set_aside(sent_pair):
    read(status_report(sent_pair[0].batch, ("NOTPROVIDED", "ACSC"), payment="RJCT"))
    nameless = BankEntry.objects.get(kind="settled")

    set_aside(entry_id=nameless.pk, note="Asked.", actor=STAFF, now=utc_now())
    read(statement())

    assert waiting_entries() == [WITHIN]
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]
