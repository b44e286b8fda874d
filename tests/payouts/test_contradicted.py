"""What the bank has booked otherwise than we know holds back the merchant's next payout"""

from dataclasses import replace

import pytest

from core.clock import utc_now
from payouts import sending
from payouts.bank_accounts import open_bank_account
from payouts.models import BankEntry, Payout, PayoutBatch
from payouts.sending import send_due
from payouts.services import mark_sent, record_failed
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
)
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.conftest import DETAILS
from tests.payouts.contradicting import STAFF, explain, leaves, next_payout
from tests.payouts.merchant_balance import credit


def fail(payout):
    record_failed(payout_id=payout.pk, code="x", message="No.", actor=STAFF, now=utc_now())


@pytest.mark.each_on_postgres("what the bank refuses is written by other statements")
@pytest.mark.parametrize("form", [statement, notification])
@pytest.mark.parametrize("refusal", ["staff", "bank"])
def test_what_was_refused_and_paid_does_not_leave_again(sent_pair, form, refusal):
    payout = sent_pair[0]
    if refusal == "staff":
        fail(payout)
    else:
        read(status_report(payout.batch, (order_of(payout), "RJCT")))
    again = next_payout(payout)
    assert again.amount == 1250

    read(form(entry(1250, order_of(payout))))

    assert not leaves(again)
    explain()
    assert leaves(again)


def test_it_leaves_once_the_money_has_come_back(sent_pair):
    payout = sent_pair[0]
    fail(payout)
    again = next_payout(payout)
    read(statement(entry(1250, order_of(payout))))
    assert not leaves(again)

    read(statement(returned(payout), message_id="M-2", number="2"))

    assert leaves(again)


def test_a_run_that_was_booked_whole_holds_back_what_was_refused_of_it(api, sent_pair):
    paid, refused = sent_pair
    fail(refused)
    again, other = next_payout(refused), live_payout(api)

    read(statement(entry(2050, details=batch_details(paid.batch))))

    assert not leaves(again)
    assert leaves(other)
    explain()
    assert leaves(again)


@pytest.mark.parametrize(
    ("named", "goes"), [("the other", True), ("cut", True), ("none", False), ("Rent May", False)]
)
def test_a_debit_of_one_order_speaks_of_no_other_of_its_run(sent_pair, named, goes):
    """It names its run as well, as most banks do; and it waits, for it is a cent too little."""
    (other, refused), order = sent_pair, order_of(sent_pair[0])
    fail(refused)
    again = next_payout(refused)
    name = {"the other": order, "cut": order[:16], "none": "NOTPROVIDED"}.get(named, named)

    read(statement(entry(1249, details=batch_details(other.batch, (name, 1249)))))

    assert BankEntry.objects.unmatched().get().message_reference == other.batch.message_id
    assert leaves(again) is goes


@pytest.mark.parametrize("amount", [1250, 1249])
def test_a_debit_that_is_one_too_many_or_another_holds_back_too(sent_pair, amount):
    payout = sent_pair[0]
    read(statement(entry(1250, order_of(payout)), returned(payout)))
    again = next_payout(payout)

    read(statement(entry(amount, order_of(payout), reference="2"), message_id="M-2", number="2"))

    assert not leaves(again)


def test_another_merchant_goes(api, sent_pair):
    fail(sent_pair[0])
    read(statement(entry(1250, order_of(sent_pair[0]))))

    assert leaves(live_payout(api))


@pytest.mark.parametrize(("currency", "livemode"), [("USD", True), ("BSD", False)])
def test_another_currency_or_mode_of_the_merchant_goes(sent_pair, currency, livemode):
    payout = sent_pair[0]
    fail(payout)
    held = next_payout(payout)
    read(statement(entry(1250, order_of(payout))))
    merchant = payout.merchant
    open_bank_account(
        merchant_id=merchant.pk,
        livemode=livemode,
        details=replace(DETAILS, currency=currency),
        actor=STAFF,
        now=utc_now(),
    )
    credit(merchant, 1250, currency=currency, livemode=livemode)
    other = next_payout(payout, currency=currency, livemode=livemode)

    batch_of(currency, livemode=livemode)

    assert statuses_of([held, other]) == ["scheduled", "in_transit"]
    assert not leaves(held)


def test_an_automatic_provider_waits_too(sent_pair, settings):
    settings.PAYOUT_PROVIDER = "payouts.providers.Simulated"
    fail(sent_pair[0])
    again = next_payout(sent_pair[0])
    read(statement(entry(1250, order_of(sent_pair[0]))))
    Payout.objects.filter(pk=again.pk).update(send_date=utc_now().date())

    send_due(now=utc_now())
    assert Payout.objects.get(pk=again.pk).status == "scheduled"

    explain()
    send_due(now=utc_now())
    assert Payout.objects.get(pk=again.pk).status == "in_transit"


def test_a_charge_of_an_earlier_payout_holds_nothing_back(sent_pair):
    payout = sent_pair[0]
    read(statement(entry(1250, order_of(payout)), returned(payout)))
    code = "<BkTxCd><Domn><Fmly><SubFmlyCd>CHRG</SubFmlyCd></Fmly></Domn></BkTxCd>"
    again = next_payout(payout)

    charge = entry(50, order_of(payout), reference="C").replace("<NtryDtls>", f"{code}<NtryDtls>")
    read(statement(charge, message_id="M-2", number="2"))

    assert leaves(again)


@pytest.mark.parametrize("status", ["ACSC", "ACCC"])
def test_what_was_refused_and_is_reported_as_settled_does_not_leave_again(sent_pair, status):
    payout = sent_pair[0]
    fail(payout)
    again = next_payout(payout)

    read(status_report(payout.batch, (order_of(payout), status)))

    assert "Payouts to its merchant wait." in BankEntry.objects.unmatched().get().problem
    assert not leaves(again)
    explain()
    assert leaves(again)


def test_what_was_reported_as_settled_leaves_once_it_was_booked_and_came_back(sent_pair):
    payout = sent_pair[0]
    fail(payout)
    again = next_payout(payout)
    read(status_report(payout.batch, (order_of(payout), "ACSC")))

    read(statement(entry(1250, order_of(payout)), returned(payout)))

    assert leaves(again)


def test_a_run_that_is_reported_as_settled_holds_back_what_was_refused_of_it(sent_pair):
    fail(sent_pair[1])
    again = next_payout(sent_pair[1])

    read(status_report(sent_pair[0].batch, group="ACSC"))

    assert not leaves(again)


def test_what_the_bank_says_while_payouts_leave_counts(sent_pair, settings, monkeypatch):
    settings.PAYOUT_PROVIDER = "payouts.providers.Simulated"
    for payout in sent_pair:
        fail(payout)
    first, second = (next_payout(payout) for payout in sent_pair)
    Payout.objects.filter(pk__in=[first.pk, second.pk]).update(send_date=utc_now().date())

    def send_and_hear(**values):
        monkeypatch.setattr(sending, "mark_sent", mark_sent)
        read(statement(entry(800, order_of(sent_pair[1]))))
        return mark_sent(**values)

    monkeypatch.setattr(sending, "mark_sent", send_and_hear)
    assert send_due(now=utc_now()) == 1

    assert statuses_of([first, second]) == ["in_transit", "scheduled"]


def test_what_is_paid_and_booked_and_told_of_again_keeps_nothing(sent_pair):
    """It is in no balance; its return would put it there, and then it is held back."""
    paid = sent_pair[0]
    day = {"start": "2026-01-19T00:00:00Z", "end": "2026-01-20T00:00:00Z"}
    later = {"start": "2026-01-20T00:00:00Z", "end": "2026-01-21T00:00:00Z"}
    read(statement(entry(1250, order_of(paid)), **day))
    credit(paid.merchant, 1250, livemode=True)
    again = next_payout(paid)

    read(statement(entry(1250, order_of(paid)), message_id="M-2", number="2", **later))

    assert BankEntry.objects.unmatched().count() == 1
    assert leaves(again)


def test_what_is_paid_and_not_yet_booked_holds_back_if_another_amount_is(sent_pair):
    paid = sent_pair[0]
    read(status_report(paid.batch, (order_of(paid), "ACSC")))
    assert statuses_of([paid]) == ["paid"]
    credit(paid.merchant, 1250, livemode=True)
    again = next_payout(paid)

    read(statement(entry(1249, order_of(paid))))

    assert not leaves(again)


def test_a_run_booked_otherwise_holds_back_only_what_was_refused_of_it(sent_pair):
    taken, refused = sent_pair
    fail(refused)
    credit(taken.merchant, 1250, livemode=True)
    again, held = next_payout(taken), next_payout(refused)

    read(statement(entry(2049, details=batch_details(taken.batch))))

    batch_of()
    assert statuses_of([again, held]) == ["in_transit", "scheduled"]


def test_what_came_back_and_never_left_holds_nothing_back(sent_pair):
    fail(sent_pair[0])
    again = next_payout(sent_pair[0])

    read(statement(returned(sent_pair[0])))

    assert BankEntry.objects.unmatched().get().kind == "return"
    assert leaves(again)


@pytest.mark.parametrize("of_run", [True, False])
def test_a_debit_of_the_other_mode_holds_nothing_back(sent_pair, of_run):
    refused = sent_pair[1]
    fail(refused)
    again = next_payout(refused)
    name = {"details": batch_details(refused.batch)} if of_run else {}

    read(statement(entry(800, "" if of_run else order_of(refused), **name)), livemode=False)

    assert BankEntry.objects.unmatched().count() == 1
    assert leaves(again)


def test_a_debit_of_no_run_is_none_of_a_run_without_a_name(sent_pair):
    fail(sent_pair[0])
    again = next_payout(sent_pair[0])
    PayoutBatch.objects.update(message_id="")

    read(statement(entry(700)))

    assert BankEntry.objects.unmatched().get().message_reference == ""
    assert leaves(again)


def test_a_debit_of_a_test_payout_holds_back_no_live_one(sent_pair):
    merchant = sent_pair[0].merchant
    open_bank_account(
        merchant_id=merchant.pk, livemode=False, details=DETAILS, actor=STAFF, now=utc_now()
    )
    for livemode in (False, True):
        credit(merchant, 1250, livemode=livemode)
    of_test, again = (next_payout(sent_pair[0], livemode=mode) for mode in (False, True))
    batch_of(livemode=False)
    fail(of_test)

    read(statement(entry(1250, order_of(of_test))))

    assert leaves(again)
