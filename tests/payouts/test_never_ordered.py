"""What the bank has of a payout that we never ordered holds back the merchant's next payout"""

import pytest

from core.clock import utc_now
from payouts.bank.by_hand import set_aside
from payouts.bank_accounts import close_bank_account, open_bank_account
from payouts.contradictions import contradiction_of, contradictions_of
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry, Payout, PayoutBatch
from payouts.order_references import end_to_end_id
from payouts.sending import send_due
from tests.funding.money_in import transfer
from tests.payouts.bank_files import entry, notification, read, statement, status_report
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.conftest import DETAILS
from tests.payouts.contradicting import STAFF, explain, leaves, next_payout

UNKNOWN_RUN = PayoutBatch(message_id=f"B-{'0' * 32}")


@pytest.fixture(autouse=True)
def account(settings):
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000 777", "BOTIBSNS"


@pytest.fixture
def canceled(api):
    payout = live_payout(api)
    answer = api(payout.merchant, live=True).post(f"/v1/payouts/{payout.pk}/cancel")
    assert answer.json()["status"] == "canceled"
    return payout


@pytest.fixture
def failed(api):
    """One that never left: its account was closed, and the merchant has another one."""
    payout = live_payout(api)
    close_bank_account(bank_account_id=payout.bank_account_id, actor=STAFF, now=utc_now())
    batch_of()
    assert Payout.objects.get(pk=payout.pk).status == "failed"
    open_bank_account(
        merchant_id=payout.merchant_id,
        livemode=True,
        details=DETAILS,
        actor=STAFF,
        now=utc_now(),
    )
    return payout


@pytest.mark.parametrize("form", [statement, notification])
@pytest.mark.parametrize("ended", ["canceled", "failed"])
def test_its_debit_holds_back_until_someone_has_looked(request, api, ended, form):
    payout = request.getfixturevalue(ended)
    again, other = next_payout(payout), live_payout(api)
    assert again.amount == 1250

    read(form(entry(1250, end_to_end_id(payout))))

    assert not leaves(again)
    assert leaves(other)
    explain()
    assert leaves(again)


@pytest.mark.parametrize("status", ["ACSP", "ACSC"])
def test_a_report_that_the_bank_has_it_holds_back(canceled, status):
    again = next_payout(canceled)

    read(status_report(UNKNOWN_RUN, (end_to_end_id(canceled), status)))

    assert not leaves(again)


def test_the_entry_to_explain_is_named(api, canceled):
    again = next_payout(canceled)
    read(statement(entry(1250, end_to_end_id(canceled))))

    entry_id = BankEntry.objects.get().pk
    assert contradiction_of(again) == entry_id
    assert contradictions_of(again.merchant_id, livemode=True) == {"BSD": entry_id}
    assert contradictions_of(again.merchant_id, livemode=False) == {}
    assert contradictions_of(live_payout(api).merchant_id, livemode=True) == {}


def test_what_the_bank_says_of_an_order_that_is_no_ones_holds_back_no_merchant(api):
    payout = live_payout(api)

    read(statement(entry(1250, f"E-{'0' * 32}")))

    assert leaves(payout)


@pytest.mark.parametrize("whose", ["the next", "a canceled one"])
def test_a_name_that_the_sender_of_money_has_written_holds_no_one_back(api, canceled, whose):
    """It can be guessed from the merchant's id and two small numbers: anyone may send a cent."""
    again = next_payout(canceled)
    named = end_to_end_id(again if whose == "the next" else canceled)

    read(statement(transfer(1, "thank you", end_to_end_id=named)))

    told = BankEntry.objects.get()
    assert told.is_waiting
    assert leaves(again)
    set_aside(entry_id=told.pk, note="A stranger's cent.", actor=STAFF, now=utc_now())


def test_to_set_such_money_aside_alone_explains_no_debit(canceled):
    """One person may: it keeps nothing here, and what keeps it here goes on doing so."""
    again, named = next_payout(canceled), end_to_end_id(canceled)
    read(statement(entry(1250, named), transfer(1250, "sent back", end_to_end_id=named)))
    debit, credit = BankEntry.objects.order_by("-kind")

    set_aside(entry_id=credit.pk, note="A stranger's.", actor=STAFF, now=utc_now())

    assert not leaves(again)
    with pytest.raises(BankEntryUnfit, match="takes two people"):
        set_aside(entry_id=debit.pk, note="A stranger's.", actor=STAFF, now=utc_now())


@pytest.mark.parametrize("says", [{"returned": "AC04"}, {"reversal": True}])
def test_what_the_bank_says_came_back_takes_two(canceled, says):
    read(statement(entry(1250, end_to_end_id(canceled), direction="CRDT", **says)))

    with pytest.raises(BankEntryUnfit, match="takes two people"):
        set_aside(entry_id=BankEntry.objects.get().pk, note="Done", actor=STAFF, now=utc_now())


def test_a_payout_that_a_sender_of_money_has_named_can_be_canceled(api):
    payout = live_payout(api)
    read(statement(transfer(1, "thank you", end_to_end_id=end_to_end_id(payout))))

    answer = api(payout.merchant, live=True).post(f"/v1/payouts/{payout.pk}/cancel")

    assert answer.json()["status"] == "canceled"


@pytest.mark.parametrize("says", [{"returned": "AC04"}, {"reversal": True}])
def test_what_the_bank_itself_says_came_back_holds_back(canceled, says):
    again = next_payout(canceled)

    read(statement(entry(1250, end_to_end_id(canceled), direction="CRDT", **says)))

    assert not leaves(again)


def test_an_automatic_provider_waits_too(canceled, settings):
    settings.PAYOUT_PROVIDER = "payouts.providers.Simulated"
    again = next_payout(canceled)
    Payout.objects.filter(pk=again.pk).update(send_date=utc_now().date())
    read(statement(entry(1250, end_to_end_id(canceled))))

    assert send_due(now=utc_now()) == 0
    explain()
    assert send_due(now=utc_now()) == 1
