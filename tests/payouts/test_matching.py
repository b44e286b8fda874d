"""Which payouts an entry is of: those of the order or run that it names, and no others"""

from datetime import timedelta

import pytest

from payouts.bank.matching import FITTING, apply_entry
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankEntryKind, Payout, PayoutBatch, PayoutOrder
from payouts.statuses import PayoutStatus
from tests.ledger.thief import change
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
from tests.payouts.bank_rows import stored
from tests.payouts.batching import batch_of, live_payout

NO_ORDER = "There is no order with this reference."
PAID = {"in_transit", "paid", "returned"}
PLAUSIBLE = {
    "processing": PAID,
    "settled": PAID,
    "debit": PAID,
    "rejected": {"in_transit", "failed", "returned"},
    "return": PAID,
}


def is_as_it_was(pair):
    assert statuses_of(pair) == ["in_transit", "in_transit"]


@pytest.mark.parametrize("status", PayoutStatus.values)
@pytest.mark.parametrize("kind", BankEntryKind.values)
def test_what_is_plausible_of_a_payout(sent_pair, kind, status):
    assert (status in FITTING.get(kind, ())) is (status in PLAUSIBLE.get(kind, ()))
    if status in PLAUSIBLE.get(kind, ()):
        return
    payout = Payout(pk=sent_pair[0].pk, status=status, amount=1250, currency="BSD")
    told = stored("notification", kind=kind, amount=1250)

    with pytest.raises(BankEntryUnfit, match=r"The bank says|A person has to say"):
        apply_entry(told, BankEntryKind(kind), [payout], actor="staff:ann", now=told.created_at)
    is_as_it_was(sent_pair)


def test_an_unknown_run_of_the_same_money_is_none_of_ours(sent_pair):
    read(statement(entry(2050, details=batch_details(PayoutBatch(message_id="B-other")))))

    assert waiting_entries() == [NO_ORDER]
    is_as_it_was(sent_pair)


def test_a_run_of_the_other_mode_is_none_of_ours(sent_pair):
    read(statement(entry(2050, details=batch_details(sent_pair[0].batch))), livemode=False)

    assert waiting_entries() == [NO_ORDER]
    is_as_it_was(sent_pair)


def test_what_names_nothing_is_not_of_a_run_without_a_name(sent_pair):
    PayoutBatch.objects.update(message_id="")

    read(statement(entry(2050)))

    assert waiting_entries() == [NO_ORDER]
    is_as_it_was(sent_pair)


def test_each_run_has_its_own_payouts(api, sent_pair):
    other = live_payout(api, amount=2050)
    batch_of()

    read(statement(entry(2050, details=batch_details(sent_pair[0].batch))))

    assert statuses_of([*sent_pair, other]) == ["paid", "paid", "in_transit"]


def test_a_report_speaks_of_what_another_has_named(sent_pair):
    batch = sent_pair[0].batch
    read(status_report(batch, (order_of(sent_pair[0]), "ACSP")))

    read(status_report(batch, group="ACSC", message_id="S-2"))

    assert statuses_of(sent_pair) == ["paid", "paid"]


@pytest.mark.parametrize(("cents", "waits"), [(1251, 1), (1250, 1), (1249, 0)])
def test_a_charge_is_less_than_what_it_is_for(sent_pair, cents, waits):
    code = "<BkTxCd><Domn><Fmly><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>"
    name = f"<Refs><EndToEndId>{order_of(sent_pair[0])}</EndToEndId></Refs>"

    details = f"{code}<NtryDtls><TxDtls>{name}</TxDtls></NtryDtls>"
    read(statement(entry(cents, details=details)))

    assert BankEntry.objects.unmatched().count() == waits
    is_as_it_was(sent_pair)


def test_what_comes_back_before_it_was_booked_was_paid_a_moment_before(sent_pair):
    read(notification(returned(sent_pair[0])))

    payout = Payout.objects.get(pk=sent_pair[0].pk)
    assert payout.paid_at is not None
    assert payout.returned_at == payout.paid_at + timedelta(milliseconds=1)
    assert payout.bank_reference == "RTN 1"


def test_an_order_that_an_earlier_release_has_named_otherwise_is_found(sent_pair):
    order = PayoutOrder.objects.get(payout=sent_pair[0])
    change(order, end_to_end_id="po-123")

    read(statement(entry(1250, "po-123")))

    assert statuses_of(sent_pair) == ["paid", "in_transit"]
