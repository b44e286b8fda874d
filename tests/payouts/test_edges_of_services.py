"""Amounts, days and ages at their edge, and what concerns one payout and not the next"""

from datetime import timedelta

import pytest
import time_machine
from django.core.management import call_command

from core.clock import utc_now
from payouts.errors import PayoutReturnTooLate, PayoutStatusUnfit
from payouts.models import BankHoliday, Payout
from payouts.order_references import end_to_end_id
from payouts.sending import send_due
from payouts.services import amount_to_pay, mark_sent, record_failed, record_paid, record_returned
from tests.payouts.bank_rows import stored
from tests.payouts.batching import FAR, live_payout
from tests.payouts.merchant_balance import credit

STAFF = "staff:ann"


def return_of(payout, now):
    return record_returned(payout_id=payout.pk, code="x", message="y", actor=STAFF, now=now)


def test_the_least_amount_can_be_asked_for_and_sent(api, merchant, settings):
    settings.PAYOUT_MINIMUM = 1_250
    credit(merchant, 2_500)

    response = api(merchant).post("/v1/payouts", {"amount": 1_250})

    assert response.status_code == 201
    sent = mark_sent(payout_id=response.json()["id"], actor=STAFF, now=utc_now())
    assert sent.status == "in_transit"


def test_a_refusal_says_what_there_is_never_less_than_nothing(api, merchant):
    for held, said in ((-700, 0), (0, 0), (99, 99)):
        with pytest.raises(Exception, match=f"{said} is available; the least to pay out is 100"):
            amount_to_pay(None, held)


def test_a_payout_of_too_much_names_the_amount_if_one_was_sent(api, merchant):
    """As a refund does; where everything is asked for, no field of the request is wrong."""
    credit(merchant, 99)
    for body, begins in (({"amount": 5_000}, "amount: 99 is available"), ({}, "99 is available")):
        response = api(merchant).post("/v1/payouts", body)

        assert (response.status_code, response.json()["code"]) == (422, "INSUFFICIENT_BALANCE")
        assert response.json()["details"] == f"{begins}; the least to pay out is 100"


def test_a_payout_that_leaves_on_its_day_keeps_its_arrival(payout):
    promised = payout.arrival_date
    BankHoliday.objects.create(date=promised, name="A day off")

    with time_machine.travel(f"{payout.send_date}T15:00Z", tick=False):
        mark_sent(payout_id=payout.pk, actor=STAFF, now=utc_now())

    payout.refresh_from_db()
    assert (payout.status, payout.arrival_date) == ("in_transit", promised)


def test_banks_return_a_payout_until_the_last_moment(payout, settings):
    settings.PAYOUT_RETURN_DAYS = 10
    with pytest.raises(PayoutStatusUnfit):
        return_of(payout, utc_now())
    mark_sent(payout_id=payout.pk, actor=STAFF, now=utc_now())
    paid = record_paid(payout_id=payout.pk, actor=STAFF, now=utc_now())
    assert paid.paid_at is not None
    last = paid.paid_at + timedelta(days=10)

    with pytest.raises(PayoutReturnTooLate):
        return_of(payout, last + timedelta(microseconds=1))
    assert return_of(payout, last).status == "returned"


def test_a_restore_keeps_no_test_payout_from_being_canceled(api, merchant, payout):
    call_command("restored")

    response = api(merchant).post(f"/v1/payouts/{payout.pk}/cancel")

    assert response.json()["status"] == "canceled"


def test_what_the_bank_says_of_one_concerns_no_other(api, settings):
    settings.PAYOUT_PROVIDER = "payouts.providers.Simulated"
    named, other, third = (live_payout(api) for _ in range(3))
    stored(kind="settled", end_to_end_id=end_to_end_id(named))
    Payout.objects.filter(pk=third.pk).update(send_date=FAR)

    assert send_due(now=utc_now()) == 1

    record_failed(payout_id=third.pk, code="x", message="y", actor=STAFF, now=utc_now())
    with pytest.raises(PayoutStatusUnfit):
        record_failed(payout_id=named.pk, code="x", message="y", actor=STAFF, now=utc_now())
    assert [Payout.objects.get(pk=each.pk).status for each in (named, other, third)] == [
        *("scheduled", "in_transit", "failed")
    ]
