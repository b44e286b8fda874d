"""Test payouts reach no bank: the simulated provider sends and answers by itself"""

from datetime import timedelta
from typing import ClassVar

import pytest
import time_machine
from django.core.management import call_command

from core.clock import utc_now
from core.clock_check import accept_clock
from ledger.models import Purpose
from merchants.models import Merchant
from payouts.bank_accounts import TEST_NUMBER_REFUSED, BankDetails, open_bank_account
from payouts.models import Payout
from payouts.providers import ProviderResult
from payouts.sending import fetch_results, send_due
from payouts.tasks import send_payouts
from tests.events import event_types
from tests.payouts.merchant_balance import credit, held

FRIDAY, SATURDAY, MONDAY = "2026-11-20", "2026-11-21", "2026-11-23"


def test_a_test_payout_leaves_and_arrives_on_its_dates(api, merchant):
    credit(merchant, 1250)
    with time_machine.travel(f"{SATURDAY}T12:00Z", tick=False):
        api(merchant).post("/v1/payouts", {})
        assert send_payouts() == 0
    with time_machine.travel("2026-11-23T05:00:00Z", tick=False):  # midnight in Nassau
        accept_clock()
        assert send_payouts() == 1
        assert send_payouts() == 0
    assert Payout.objects.get().status == "in_transit"

    with time_machine.travel("2026-11-24T05:00:00Z", tick=False):
        accept_clock()
        assert send_payouts() == 1

    assert Payout.objects.get().status == "paid"
    assert held(merchant, Purpose.BANK) == 1250
    assert event_types("payout.p") == ["payout.paid"]


def test_the_day_begins_in_the_merchants_time_zone(api, merchant):
    Merchant.objects.update(time_zone="Pacific/Auckland")
    credit(merchant, 1250)
    with time_machine.travel(f"{SATURDAY}T12:00Z", tick=False):
        api(merchant).post("/v1/payouts", {})
    with time_machine.travel("2026-11-22T10:59:59Z", tick=False):
        assert send_payouts() == 0
    with time_machine.travel("2026-11-22T11:00:00Z", tick=False):
        assert send_payouts() == 1


def test_a_payout_leaves_no_earlier_than_it_was_made(api, merchant):
    credit(merchant, 1250)
    with time_machine.travel(f"{MONDAY}T12:00Z", tick=False):
        moment = utc_now() - timedelta(milliseconds=1)  # the turn read its clock before that
        api(merchant).post("/v1/payouts", {})
        assert send_due(now=moment) == 1

    payout = Payout.objects.get()
    assert payout.in_transit_at == payout.created_at
    moves = payout.transitions.order_by("at", "pk").values_list("to_status", flat=True)
    assert list(moves) == ["scheduled", "in_transit"]


def test_the_refused_test_number_fails(api, merchant):
    open_bank_account(
        merchant_id=merchant.id,
        livemode=False,
        details=BankDetails("BSD", "Shop", "Test Bank", TEST_NUMBER_REFUSED, clearing_code="1"),
        actor="staff:ann",
        now=utc_now(),
    )
    credit(merchant, 1250)
    api(merchant).post("/v1/payouts", {})

    for day in ("2035-01-03", "2035-01-04"):  # sent late, it arrives later
        with time_machine.travel(f"{day}T12:00:00Z", tick=False):
            accept_clock()
            assert send_payouts() == 1

    payout = Payout.objects.get()
    assert (payout.status, payout.failure_code) == ("failed", "account_closed")
    assert held(merchant, Purpose.MERCHANT) == 1250


def test_live_payouts_wait_for_staff(api, merchant, bank_account):
    credit(merchant, 1250, livemode=True)
    api(merchant, live=True).post("/v1/payouts", {})

    with time_machine.travel("2035-01-03T12:00:00Z", tick=False):
        assert send_payouts() == 0

    assert Payout.objects.get().status == "scheduled"


class InstantBank:
    """A provider of our own, as an operator would plug one in."""

    automatic = True
    asked: ClassVar[list[str]] = []

    def fetch_result(self, payout, *, now):
        self.asked.append(payout.id)
        return ProviderResult(paid=True, bank_reference=f"TRN {len(self.asked)}")


@pytest.fixture(autouse=True)
def _nothing_asked_yet() -> None:
    InstantBank.asked.clear()


def test_after_a_restore_no_provider_gets_a_live_payout(api, merchant, bank_account, settings):
    settings.PAYOUT_PROVIDER = "tests.payouts.test_sending.InstantBank"
    credit(merchant, 1250, livemode=True)
    api(merchant, live=True).post("/v1/payouts", {})
    call_command("restored")

    with time_machine.travel("2035-01-03T12:00:00Z", tick=False):
        assert send_due(now=utc_now()) == 0
        call_command("restored", "--reconciled")
        assert send_due(now=utc_now()) == 1


def test_another_provider_takes_live_payouts(api, merchant, bank_account, settings):
    settings.PAYOUT_PROVIDER = "tests.payouts.test_sending.InstantBank"
    credit(merchant, 1250, livemode=True)
    api(merchant, live=True).post("/v1/payouts", {})

    with time_machine.travel("2035-01-03T12:00:00Z", tick=False):
        assert (send_due(now=utc_now()), fetch_results(now=utc_now())) == (1, 1)

    payout = Payout.objects.get()
    assert InstantBank.asked == [payout.id]
    assert (payout.status, payout.bank_reference) == ("paid", "TRN 1")


class TroubledBank(InstantBank):
    """A provider that does not answer for the first payout it is asked about."""

    def fetch_result(self, payout, *, now):
        if payout.description == "trouble":
            raise ConnectionError("the bank hung up")
        return super().fetch_result(payout, now=now)


def test_trouble_with_one_payout_holds_up_no_other(api, merchant, bank_account, settings):
    settings.PAYOUT_PROVIDER = "tests.payouts.test_sending.TroubledBank"
    credit(merchant, 1250, livemode=True)
    client = api(merchant, live=True)
    for description in ("trouble", "rent"):
        client.post("/v1/payouts", {"amount": 500, "description": description})

    with time_machine.travel("2035-01-03T12:00:00Z", tick=False):
        assert (send_due(now=utc_now()), fetch_results(now=utc_now())) == (2, 1)

    found = Payout.objects.order_by("created_at", "id").values_list("description", "status")
    assert dict(found) == {"trouble": "in_transit", "rent": "paid"}


class WordyBank(InstantBank):
    """A provider whose answers are longer than what we keep of them."""

    def fetch_result(self, payout, *, now):
        if payout.description == "paid":
            return ProviderResult(paid=True, bank_reference="9" * 500)
        return ProviderResult(paid=False, code="c" * 500, message="m" * 500)


def test_a_long_answer_is_cut_off_not_lost(api, merchant, bank_account, settings):
    settings.PAYOUT_PROVIDER = "tests.payouts.test_sending.WordyBank"
    credit(merchant, 1250, livemode=True)
    client = api(merchant, live=True)
    for description in ("paid", "refused"):
        client.post("/v1/payouts", {"amount": 500, "description": description})

    with time_machine.travel("2035-01-03T12:00:00Z", tick=False):
        assert (send_due(now=utc_now()), fetch_results(now=utc_now())) == (2, 2)

    paid, refused = (Payout.objects.get(description=each) for each in ("paid", "refused"))
    assert (paid.status, paid.bank_reference) == ("paid", "9" * 140)
    assert (refused.status, refused.failure_code) == ("failed", "c" * 40)
    assert refused.failure_message == "m" * 255
