"""Two importers at once: each answer of the bank counts once"""

import threading
from functools import partial
from typing import Any

import pytest
from django.db import transaction

from core.clock import utc_now
from ledger.errors import InsufficientBalance
from ledger.models import Purpose
from payouts.bank.by_hand import match_by_hand, undo_match
from payouts.bank.position import positions
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankFile, Payout, PayoutOrigin
from payouts.services import schedule_payout
from tests.events import event_types
from tests.ledger.funding import problems
from tests.payouts.bank_files import entry, notification, order_of, read, returned, statement
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import held
from tests.races import WAIT_SECONDS, at_once, held_up, wait_for_a_waiter

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def sent(api, settings):
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    payouts = [live_payout(api) for _ in range(4)]
    batch_of()
    return payouts


def booked(payouts):
    return [
        entry(payout.amount, order_of(payout), reference=f"T{number}")
        for number, payout in enumerate(payouts)
    ]


def done(result):
    assert not isinstance(result, Exception), result
    return result


def test_the_same_file_four_times(sent):
    content = statement(*booked(sent))

    results = at_once([lambda: read(content)] * 4)

    assert sum(done(result).matched for result in results) == 4
    assert (BankFile.objects.count(), BankEntry.objects.count()) == (1, 4)
    assert event_types().count("payout.paid") == 4


def test_different_files_about_the_same_payouts(sent):
    back = [
        entry(
            payout.amount,
            order_of(payout),
            direction="CRDT",
            returned="AC04",
            reference=f"R{number}",
        )
        for number, payout in enumerate(sent)
    ]
    files = [
        statement(*booked(sent)),
        statement(*booked(sent), message_id="M-2", number="2026-2"),
        notification(*reversed(back)),
        statement(*back, message_id="M-3", number="2026-3"),
    ]

    results = at_once([partial(read, content) for content in files])

    assert sum(done(result).unmatched for result in results) == 0
    assert not BankEntry.objects.unmatched().exists()
    assert set(Payout.objects.values_list("status", flat=True)) == {"returned"}
    assert event_types().count("payout.failed") == event_types().count("payout.paid") == 4
    assert held(sent[0].merchant, Purpose.MERCHANT, livemode=True) == 1250
    assert held(sent[0].merchant, Purpose.BANK, livemode=True) == 0


def test_a_match_is_undone_while_its_payout_comes_back_and_the_money_leaves_again(sent):
    """Each of the three is recorded once, in whichever order they come."""
    payout = sent[0]
    read(statement(entry(payout.amount, reference="RENT")))
    told = BankEntry.objects.get()
    match_by_hand(entry_id=told.pk, payout_id=payout.pk, actor="staff:ann", now=utc_now())
    own = entry(payout.amount, order_of(payout), reference="OWN")
    read(statement(own, message_id="M-2", number="2026-2"))
    back = statement(returned(payout), message_id="M-3", number="2026-3")

    results = at_once(
        [
            lambda: undo_match(
                entry_id=told.pk,
                matched_with=payout.pk,
                cause="It was the rent",
                actor="staff:ann",
                now=utc_now(),
            ),
            lambda: read(back),
            lambda: schedule_payout(
                merchant=payout.merchant,
                livemode=True,
                currency="BSD",
                amount=None,
                origin=PayoutOrigin.STAFF,
                actor="staff:ann",
                now=utc_now(),
            ),
        ]
    )
    read(statement(message_id="M-4", number="2026-4"))

    done(results[0]), done(results[1])
    left = [] if isinstance(results[2], InsufficientBalance) else [done(results[2])]
    payout.refresh_from_db()
    assert payout.status == "returned"
    assert [event_types().count(f"payout.{name}") for name in ("paid", "failed")] == [1, 1]
    assert BankEntry.objects.get(bank_reference="OWN").payout == payout
    assert BankEntry.objects.unmatched().get().bank_reference == "RENT"
    assert positions(livemode=True)[0].difference == -payout.amount
    again = sum(each.amount for each in left)
    assert held(payout.merchant, Purpose.MERCHANT, livemode=True) == payout.amount - again
    assert problems() == []


def test_a_match_is_undone_after_the_file_that_is_being_read(sent):
    """Without waiting, it would not see the payout's own entry, which had waited because of it."""
    payout = sent[0]
    read(statement(entry(payout.amount, reference="RENT")))
    told = BankEntry.objects.get()
    known: dict[str, Any] = {"actor": "staff:ann", "now": utc_now()}
    match_by_hand(entry_id=told.pk, payout_id=payout.pk, **known)
    own = statement(
        entry(payout.amount, order_of(payout), reference="OWN"), message_id="M-2", number="2026-2"
    )

    undo = partial(undo_match, entry_id=told.pk, matched_with=payout.pk, cause="Rent", **known)
    done(held_up(partial(read, own), undo))

    assert BankEntry.objects.get(bank_reference="OWN").payout == payout


def test_a_match_is_undone_after_a_colleague_has_made_it(sent):
    """Without waiting for the entry, it would refuse one that seems to wait for an explanation."""
    payout = sent[0]
    read(statement(entry(payout.amount, reference="RENT")))
    told = BankEntry.objects.get()
    known: dict[str, Any] = {"entry_id": told.pk, "actor": "staff:ann", "now": utc_now()}
    match = partial(match_by_hand, payout_id=payout.pk, **known)
    undo = partial(undo_match, matched_with=payout.pk, cause="Rent", **known)

    done(held_up(match, undo))

    assert BankEntry.objects.unmatched().get() == told
    assert problems() == []


def test_a_payout_stays_booked_by_what_a_colleague_is_matching_with_it(sent):
    """Without waiting for the payout, undoing a match would not see the one that books it."""
    payout = sent[0]
    read(notification(entry(payout.amount, reference="RENT")))
    told = BankEntry.objects.get()
    known: dict[str, Any] = {"actor": "staff:ann", "now": utc_now()}
    match_by_hand(entry_id=told.pk, payout_id=payout.pk, **known)
    read(statement(entry(payout.amount, reference="OWN"), message_id="M-2", number="2026-2"))
    own = BankEntry.objects.unmatched().get()
    match = partial(match_by_hand, entry_id=own.pk, payout_id=payout.pk, **known)
    undo = partial(undo_match, entry_id=told.pk, matched_with=payout.pk, cause="Rent", **known)

    done(held_up(match, undo))

    payout.refresh_from_db()
    assert (payout.booked_at is not None, payout.bank_reference) == (True, "OWN")
    assert BankEntry.objects.unmatched().get() == told


def test_a_match_is_undone_beside_one_by_hand_of_what_waits(sent):
    """Both take entries before payouts: in another order, the two would wait for each other."""
    payout = sent[0]
    read(statement(entry(payout.amount, reference="RENT")))
    told = BankEntry.objects.get()
    known: dict[str, Any] = {"actor": "staff:ann", "now": utc_now()}
    match_by_hand(entry_id=told.pk, payout_id=payout.pk, **known)
    own = entry(payout.amount, order_of(payout), reference="OWN")
    read(statement(own, message_id="M-2", number="2026-2"))
    waiting, has_begun = BankEntry.objects.unmatched().get(), threading.Event()

    def match() -> BankEntry:
        with transaction.atomic():
            BankEntry.objects.locked(waiting.pk)
            has_begun.set()
            wait_for_a_waiter()
            return match_by_hand(entry_id=waiting.pk, payout_id=payout.pk, **known)

    def undo() -> BankEntry:
        assert has_begun.wait(WAIT_SECONDS)
        return undo_match(entry_id=told.pk, matched_with=payout.pk, cause="Rent", **known)

    refused, undone = at_once([match, undo])

    done(undone)
    assert isinstance(refused, BankEntryUnfit), refused  # as `told` still booked the payout then
    assert BankEntry.objects.get(bank_reference="OWN").payout == payout
