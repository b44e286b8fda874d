"""Which references are ours, by their form or because an order or run of ours bears them"""

import re

import pytest

from payouts.contradictions import our_reference
from payouts.models import BankEntry, PayoutBatch, PayoutOrder
from payouts.order_references import (
    is_batch_reference,
    is_order_reference,
    is_truncated_reference,
    normalize_reference,
)
from tests.ledger.thief import change
from tests.payouts.bank_files import order_of

WHOLE = "0123456789abcdef" * 2


@pytest.fixture
def named(sent_pair):
    """An order and a run of an earlier release, which named them otherwise."""
    change(PayoutOrder.objects.get(payout=sent_pair[0]), end_to_end_id="po-123")
    PayoutBatch.objects.update(message_id="bat-123")


@pytest.mark.parametrize(
    ("reference", "of_order", "of_run"),
    [
        (f"E-{WHOLE}", True, False),
        (f"e-{WHOLE.upper()}", True, False),
        (f"E-{WHOLE[:14]}", True, False),
        (f"E-{WHOLE[:13]}", False, False),
        (f"E-{WHOLE}0", False, False),
        (f"E-{WHOLE[:-1]}x", False, False),
        (f"XE-{WHOLE}", False, False),
        (f"B-{WHOLE}", False, True),
        (f"b-{WHOLE[:31]}", False, True),
        (f"B-{WHOLE[:13]}", False, False),
        ("po-123", True, False),
        ("bat-123", False, True),
        ("po-124", False, False),
        ("INVOICE 7", False, False),
        ("", False, False),
    ],
)
def test_it_is_known_by_its_form_or_from_a_row(named, reference, of_order, of_run):
    assert (is_order_reference(reference), is_batch_reference(reference)) == (of_order, of_run)
    found = [
        our_reference(BankEntry(kind="debit", **{field: reference}))
        for field in ("end_to_end_id", "message_reference")
    ]
    spelled = normalize_reference(reference)
    assert found == [spelled if of_order else "", spelled if of_run else ""]
    assert our_reference(BankEntry(kind="credit", end_to_end_id=reference)) == ""


def test_nothing_is_named_by_an_empty_reference(named):
    change(PayoutOrder.objects.get(end_to_end_id="po-123"), end_to_end_id="")
    PayoutBatch.objects.update(message_id="")

    assert not is_order_reference("")
    assert not is_batch_reference("")


@pytest.mark.parametrize(
    ("characters", "is_cut"), [(13, False), (14, True), (31, True), (32, False)]
)
@pytest.mark.parametrize("prefix", ["E-", "B-"])
def test_a_name_that_is_cut_has_fourteen_characters_at_least(prefix, characters, is_cut):
    assert is_truncated_reference(prefix + WHOLE[:characters]) is is_cut
    assert not is_truncated_reference(f"X-{WHOLE[:characters]}")


@pytest.mark.parametrize(
    ("reference", "spelled"),
    [
        (f"e-{WHOLE.upper()}", f"E-{WHOLE}"),
        (f"b-{WHOLE[:14].upper()}", f"B-{WHOLE[:14]}"),
        ("e-ABC", "e-ABC"),
        ("Invoice 7", "Invoice 7"),
        ("", ""),
    ],
)
def test_only_ours_is_spelled_our_way(reference, spelled):
    assert normalize_reference(reference) == spelled


def test_ours_are_of_one_form(sent_pair):
    assert re.fullmatch("E-[0-9a-f]{32}", order_of(sent_pair[0]))
    assert re.fullmatch("B-[0-9a-f]{32}", sent_pair[0].batch.message_id)
