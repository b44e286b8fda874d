"""What a person says of an entry: a return less a charge, a run under no name, a second thought"""

import pytest

from core.clock import utc_now
from ledger.models import Purpose, Transfer, TransferKind
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.by_hand import match_batch_by_hand, match_by_hand, reopen_entry, set_aside
from payouts.bank.position import positions
from payouts.bank.same_money import refuse_duplicate
from payouts.errors import BankEntryUnfit, PayoutBatchNotFound
from payouts.models import BankEntry
from tests.funding.money_in import LIVE, customer_with, notified, ordered, transfer
from tests.funding.money_in import held as money_of
from tests.ledger.funding import problems
from tests.ledger.thief import change
from tests.payouts.bank_files import (
    entry,
    notification,
    order_of,
    read,
    statement,
    status_report,
    statuses_of,
)
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import held

STAFF = "staff:ann"


def by_hand(act, **values):
    entry_id = BankEntry.objects.unmatched().get().pk
    return act(entry_id=entry_id, actor=STAFF, now=utc_now(), **values)


@pytest.mark.parametrize(("merchant_bears_it", "balance"), [(False, 1250), (True, 1000)])
def test_a_return_less_a_charge_is_all_of_the_payout(sent_pair, merchant_bears_it, balance):
    payout = sent_pair[0]
    back = entry(1000, order_of(payout), direction="CRDT", returned="AC04", reference="R")
    read(statement(entry(1250, order_of(payout)), back))
    with pytest.raises(BankEntryUnfit, match=r"2\.50 less than the payout"):
        by_hand(match_by_hand, payout_id=payout.pk)

    agreed = {"payout_id": payout.pk, "merchant_bears_charge": merchant_bears_it}
    with pytest.raises(BankEntryUnfit, match="not the one that was approved"):
        by_hand(match_by_hand, charge_amount=249, **agreed)

    by_hand(match_by_hand, charge_amount=250, **agreed)

    assert statuses_of([payout]) == ["returned"]
    assert held(payout.merchant, Purpose.MERCHANT, livemode=True) == balance
    assert positions(livemode=True)[0].difference == 0
    assert [*check_bookings(), *problems()] == []


def test_a_charge_that_two_kinds_of_file_tell_of_is_taken_once(sent_pair):
    payout = sent_pair[0]
    back = entry(1000, order_of(payout), direction="CRDT", returned="AC04", reference="R")
    read(notification(back))
    agreed = {"payout_id": payout.pk, "charge_amount": 250, "merchant_bears_charge": True}
    by_hand(match_by_hand, **agreed)
    read(statement(entry(1250, order_of(payout)), back))

    by_hand(match_by_hand, **agreed)

    assert held(payout.merchant, Purpose.MERCHANT, livemode=True) == 1000
    assert positions(livemode=True)[0].difference == 0
    assert [*check_bookings(), *problems()] == []


def test_more_than_the_payout_is_no_return_of_it(sent_pair):
    payout = sent_pair[0]
    read(statement(entry(1251, order_of(payout), direction="CRDT", returned="AC04")))

    with pytest.raises(BankEntryUnfit, match="not that of the order"):
        by_hand(match_by_hand, payout_id=payout.pk)
    with pytest.raises(BankEntryUnfit, match="not the one that was approved"):
        by_hand(match_by_hand, payout_id=payout.pk, charge_amount=1)


def test_a_debit_of_a_run_that_it_does_not_name(sent_pair):
    batch = sent_pair[0].batch
    read(status_report(batch, (order_of(sent_pair[1]), "RJCT")))
    read(statement(entry(1250, reference="RUN")))

    by_hand(match_batch_by_hand, batch_id=batch.pk)

    assert statuses_of(sent_pair) == ["paid", "failed"]
    assert BankEntry.objects.get(bank_reference="RUN").batch == batch
    assert positions(livemode=True)[0].difference == 0
    assert list(check_bookings()) == []


def test_a_run_is_not_what_has_another_amount_or_came_in(api, sent_pair):
    read(statement(entry(800, reference="RUN")))
    another = [live_payout(api), batch_of(livemode=True)][1]

    with pytest.raises(BankEntryUnfit, match="not that of the order"):
        by_hand(match_batch_by_hand, batch_id=another.pk)
    with pytest.raises(PayoutBatchNotFound):
        by_hand(match_batch_by_hand, batch_id="bat_0")

    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]
    BankEntry.objects.update(kind="credit")
    with pytest.raises(BankEntryUnfit, match="outgoing money"):
        by_hand(match_batch_by_hand, batch_id=another.pk)


def test_what_was_set_aside_waits_again_and_can_be_matched(sent_pair):
    read(statement(entry(1250, reference="?")))
    explained = by_hand(set_aside, note="The bank's fee")
    assert positions(livemode=True)[0].difference == 0

    reopen_entry(entry_id=explained.pk)

    assert positions(livemode=True)[0].difference == -1250
    explained.refresh_from_db()
    assert (explained.problem, explained.note) == ("Was set aside: The bank's fee", "")
    by_hand(match_by_hand, payout_id=sent_pair[0].pk)
    with pytest.raises(BankEntryUnfit):
        reopen_entry(entry_id=explained.pk)


@pytest.mark.parametrize("returned", ["", "AC04"])
def test_money_that_another_file_gave_elsewhere_comes_back_to_no_payout(sent_pair, returned):
    """The notification's text named a customer's top-up; the statement has lost it."""
    payout = sent_pair[0]
    customer = customer_with(0, LIVE, livemode=True)
    reference = ordered(customer, payout.amount).reference
    notified(transfer(payout.amount, reference, reference="IN 77"))
    lost = entry(payout.amount, direction="CRDT", reference="IN 77", returned=returned)
    read(statement(entry(payout.amount, order_of(payout)), lost))

    with pytest.raises(BankEntryUnfit, match="already reported this money"):
        by_hand(match_by_hand, payout_id=payout.pk)

    assert money_of(customer) == payout.amount
    assert held(payout.merchant, Purpose.MERCHANT, livemode=True) == 0


def test_an_entry_of_the_other_mode_is_of_no_payout(sent_pair):
    read(statement(entry(1250, reference="T")), livemode=False)

    with pytest.raises(BankEntryUnfit) as refused:
        by_hand(match_by_hand, payout_id=sent_pair[0].pk)

    assert refused.value.details == "payout: is of the other mode"
    assert BankEntry.objects.unmatched().count() == 1
    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]


def test_a_debit_of_the_other_mode_is_of_no_run(sent_pair):
    read(statement(entry(2050, reference="T")), livemode=False)

    with pytest.raises(PayoutBatchNotFound):
        by_hand(match_batch_by_hand, batch_id=sent_pair[0].batch_id)

    assert statuses_of(sent_pair) == ["in_transit", "in_transit"]


def test_what_names_an_order_is_explained_again_by_two(sent_pair):
    read(statement(entry(1, order_of(sent_pair[0]))))
    explained = by_hand(set_aside, note="Asked.", by_two=True)

    with pytest.raises(BankEntryUnfit, match="explaining it again takes two people"):
        reopen_entry(entry_id=explained.pk)

    assert reopen_entry(entry_id=explained.pk, by_two=True).state == "unmatched"


def test_a_charge_that_an_earlier_release_has_taken_is_not_taken_again(sent_pair):
    """It posted the charge under the id of the entry."""
    payout = sent_pair[0]
    back = entry(1000, order_of(payout), direction="CRDT", returned="AC04", reference="R")
    read(notification(back))
    agreed = {"payout_id": payout.pk, "charge_amount": 250, "merchant_bears_charge": True}
    told = by_hand(match_by_hand, **agreed)
    taken = Transfer.objects.get(reference=payout.pk, kind=TransferKind.ADJUSTMENT)
    change(taken, reference=told.pk)
    read(statement(entry(1250, order_of(payout)), back))

    by_hand(match_by_hand, **agreed)

    assert held(payout.merchant, Purpose.MERCHANT, livemode=True) == 1000


ONCE = [
    ({}, "debit", "statement", True),
    ({"charge_amount": 1249}, "debit", "statement", True),
    ({"charge_amount": 1250}, "debit", "statement", False),
    ({"kind": "return"}, "return", "statement", True),
    ({"kind": "credit"}, "return", "statement", True),
    # Another kind of file tells of the same once more.
    ({}, "debit", "notification", False),
    ({"kind": "credit"}, "return", "notification", False),
    # What left may come back, and leave again no more than once.
    ({}, "return", "statement", False),
    ({"kind": "return"}, "debit", "statement", False),
    ({"kind": "credit"}, "debit", "statement", False),
    # Reports say what they say as often as they like.
    *(({"kind": kind}, kind, "statement", False) for kind in ("settled", "rejected", "processing")),
    ({"state": "unmatched", "resolved_at": None}, "debit", "statement", False),
    ({"state": "other", "note": "Not ours."}, "debit", "statement", False),
]


@pytest.mark.parametrize("of_run", [True, False])
@pytest.mark.parametrize(("before", "kind", "source", "is_refused"), ONCE)
def test_one_kind_of_file_tells_of_it_once(sent_pair, before, kind, source, is_refused, of_run):
    payout, other = sent_pair
    read(statement(entry(1250, order_of(payout))))
    told = {"payout": None, "batch": payout.batch_id} if of_run else {}
    BankEntry.objects.update(**before, **told)
    again = BankEntry.objects.get()
    again.source = source

    if is_refused:
        with pytest.raises(BankEntryUnfit, match="already reported this about the payout"):
            refuse_duplicate(again, kind, payout)
    else:
        refuse_duplicate(again, kind, payout)
    if not of_run:
        refuse_duplicate(again, kind, other)
