"""The ledger's bank account against the bank's statements: nothing, or each cent explained"""

import re
from datetime import timedelta

import pytest

from core.clock import utc_now
from core.database_clock import database_now
from merchants.models import Merchant
from payouts.bank.booking_reconciliation import check_bookings
from payouts.bank.by_hand import match_by_hand, set_aside
from payouts.bank.position import positions
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, BankStatement, Payout
from payouts.services import record_paid, record_returned
from tests.payouts.bank_files import entry, notification, order_of, read, statement
from tests.payouts.batching import batch_of, live_payout

pytestmark = pytest.mark.usefixtures("debtor_account")
STAFF = "staff:ann"


@pytest.fixture
def sent(api):
    payout = live_payout(api, amount=1250)
    batch_of()
    return Payout.objects.get(pk=payout.pk)


def difference():
    [position] = positions(livemode=True)
    return position.difference, [(part.words, part.amount) for part in position.parts]


def act_on_entry(act, **values):
    entry_id = BankEntry.objects.unmatched().get().pk
    return act(entry_id=entry_id, actor=STAFF, now=utc_now(), **values)


def test_there_is_none_before_the_first_statement(sent):
    record_paid(payout_id=sent.pk, actor=STAFF, now=utc_now())

    assert positions(livemode=True) == []


def test_it_is_nothing_once_all_is_booked(sent):
    read(statement(entry(1250, order_of(sent)), opening=5000, closing=3750))

    assert difference() == (0, [])
    assert BankStatement.objects.get().closing_amount == 3750


def test_what_is_paid_and_not_booked_makes_it_up(sent):
    read(statement())
    read(notification(entry(1250, order_of(sent))))

    assert difference() == (1250, [("paid, not booked yet", 1250)])


def test_payouts_from_before_the_first_statement_are_not_looked_for(sent):
    record_paid(payout_id=sent.pk, actor=STAFF, now=utc_now())
    Payout.objects.filter(pk=sent.pk).update(paid_at="2019-12-31T00:00Z")
    read(statement())

    assert difference() == (0, [])


def test_what_the_bank_alone_knows_makes_it_up_until_someone_says_what_it_is(sent):
    read(statement(entry(500, reference="FEE"), opening=5000, closing=4500))
    assert difference() == (-500, [("booked, not matched yet", -500)])

    act_on_entry(set_aside, note="The bank's fee for October")

    assert difference() == (0, [])
    resolved = BankEntry.objects.get()
    assert (resolved.state, resolved.resolved_by) == ("other", STAFF)
    with pytest.raises(BankEntryUnfit):
        set_aside(entry_id=resolved.pk, note="again", actor=STAFF, now=utc_now())


def test_a_return_is_open_until_it_is_booked_too(sent):
    read(statement(entry(1250, order_of(sent))))
    record_returned(payout_id=sent.pk, code="x", message="y", actor=STAFF, now=utc_now())
    assert difference() == (-1250, [("returned, the return not booked yet", -1250)])

    # This bank does not say that what comes in is a return.
    back = entry(1250, reference="IN", direction="CRDT")
    read(statement(back, message_id="M-2", number="2026-2"))
    assert difference()[0] == 0
    assert len(difference()[1]) == 2
    act_on_entry(match_by_hand, payout_id=sent.pk)

    assert difference() == (0, [])
    assert list(check_bookings()) == []


def test_a_return_that_is_booked_first_is_open_until_the_payout_is(sent):
    back = entry(1250, order_of(sent), direction="CRDT", returned="AC01", reference="IN")
    read(statement(back))
    assert difference() == (1250, [("return booked, the payout not yet", 1250)])

    read(statement(entry(1250, order_of(sent)), message_id="M-2", number="2026-2"))

    assert difference() == (0, [])


def test_matching_by_hand_pays_and_does_not_take_another_amount(sent):
    read(statement(entry(1249)))
    with pytest.raises(BankEntryUnfit):
        act_on_entry(match_by_hand, payout_id=sent.pk)
    act_on_entry(set_aside, note="Not ours")
    read(statement(entry(1250, reference="T2"), message_id="M-2", number="2026-2"))

    act_on_entry(match_by_hand, payout_id=sent.pk)

    assert Payout.objects.get(pk=sent.pk).status == "paid"
    assert difference() == (0, [])


def test_it_is_a_metric(sent, client):
    read(statement(entry(700, reference="FEE")))

    lines = client.get("/metrics").content.decode().splitlines()

    assert 'bank_difference_cents{currency="BSD"} -700.0' in lines
    assert "bank_entries_unmatched 1.0" in lines


@pytest.fixture
def measured(client):
    def measure(name):
        text = client.get("/metrics").content.decode()
        [found] = re.findall(rf"^bank_{name} (\S+)$", text, re.MULTILINE)
        return float(found)

    return measure


def test_it_says_how_old_the_oldest_of_it_is(sent, measured):
    fee, tax = entry(700, reference="FEE"), entry(500, reference="TAX")
    read(statement(fee, tax, entry(300, reference="BACK", direction="CRDT")))
    BankEntry.objects.update(created_at=database_now())
    BankEntry.objects.filter(amount=700).update(created_at=database_now() - timedelta(hours=5))

    assert 18_000 <= measured("entries_longest_unmatched_seconds") < 18_060
    assert 18_000 <= measured('longest_difference_seconds{currency="BSD"}') < 18_060
    old = BankEntry.objects.get(amount=700)
    set_aside(entry_id=old.pk, note="The bank's fee", actor=STAFF, now=utc_now())

    assert 0 <= measured("entries_longest_unmatched_seconds") < 60  # another waits, a new one
    assert 0 <= measured('longest_difference_seconds{currency="BSD"}') < 60


def test_what_the_bank_reports_of_test_money_is_not_waited_for(sent, measured):
    read(statement(entry(700, reference="FEE")))
    BankEntry.objects.update(livemode=False, created_at=database_now() - timedelta(hours=5))

    assert measured("entries_unmatched") == 0
    assert measured("entries_longest_unmatched_seconds") == 0


def test_parts_that_make_no_difference_have_no_age(sent, measured):
    fee, refund = entry(700, reference="FEE"), entry(700, reference="BACK", direction="CRDT")
    read(statement(fee, refund))
    BankEntry.objects.update(created_at=database_now() - timedelta(hours=5))

    assert measured('difference_cents{currency="BSD"}') == 0
    assert measured('longest_difference_seconds{currency="BSD"}') == 0
    assert measured("entries_longest_unmatched_seconds") >= 18_000


def test_payouts_that_no_one_can_send_are_not_overdue(api, client):
    """A ticket that stays for as long as its merchant is suspended."""
    late = live_payout(api, amount=1250)
    Payout.objects.update(send_date="2020-01-02")
    assert 'payouts_overdue{status="scheduled"} 1.0' in client.get("/metrics").content.decode()

    Merchant.objects.filter(pk=late.merchant_id).update(status="suspended")
    assert 'payouts_overdue{status="scheduled"} 0.0' in client.get("/metrics").content.decode()
    batch = {"status": "in_transit", "in_transit_at": utc_now(), "arrival_date": "2020-01-03"}
    Payout.objects.update(**batch)
    assert 'payouts_overdue{status="in_transit"} 1.0' in client.get("/metrics").content.decode()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"booked_at": None}, "was booked by the bank, which is not noted"),
        ({"return_booked_at": utc_now()}, "no entry of a statement says so"),
        ({"amount": 1251}, "holds 1250; the payouts that are paid make 1251"),
        ({"amount": 1249}, "is not of the money of payout"),
        ({"currency": "USD"}, "is not of the money of payout"),
    ],
)
def test_verification_names_what_the_entries_do_not_prove(sent, change, sentence):
    read(statement(entry(1250, order_of(sent))))
    assert list(check_bookings()) == []

    Payout.objects.filter(pk=sent.pk).update(**change)

    assert sentence in "\n".join(check_bookings())
