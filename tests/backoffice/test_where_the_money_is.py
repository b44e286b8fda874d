"""What staff say of the money of a payment: added for it, waiting to go back, not gone back."""

from datetime import timedelta
from html import unescape
from typing import Any

import pytest

from backoffice.formats import clock
from backoffice.payment_answer import answer_of
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.timeline import timeline_of
from core.clock import utc_now
from funding.models import TopUp
from funding.services import credit_top_up, order_top_up
from merchants.models import Merchant
from payments.models import Payment
from payments.services import cancel_payment
from payouts.continuity import confirm, shut
from payouts.models import BankEntry
from payouts.order_references import end_to_end_id
from refunds.failures import GIVE_UP_AFTER
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund, fail_refund, retry_refund
from tests.backoffice.acting import page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of, paid_payment
from tests.client import Api
from tests.funding.money_in import customer_with
from tests.nights import ITS_OWN
from tests.payouts.bank_files import batch_details, entry, read, statement
from tests.payouts.batching import batch_of, live_payout, undo
from tests.payouts.merchant_balance import credit
from tests.signed_changes import write_signed

pytestmark = pytest.mark.django_db


def words(payment: Payment) -> str:
    payment.refresh_from_db()
    return unescape(" ".join(answer_of(payment, utc_now()).words))


@pytest.fixture
def top_up(payment: Payment, settings: Any) -> TopUp:
    """A bank transfer that a customer has begun for a payment."""
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"
    return order_top_up(
        customer_id=customer_with(0, phone="+12425550108").pk,
        way="bank_transfer",
        amount=2_000,
        currency="BSD",
        payment=payment,
        now=utc_now(),
    )


def refund(payment: Payment, amount: int) -> Refund:
    caller, draft = caller_of(payment.merchant), RefundDraft(amount=amount)
    return create_refund(caller=caller, payment_id=payment.pk, draft=draft, now=utc_now())


def test_it_says_what_is_on_its_way_for_a_payment(payment: Payment, top_up: TopUp) -> None:
    said = words(payment)

    assert "The customer is adding B$20.00 BSD to the wallet for it, by bank transfer" in said
    assert page_of(top_up) in said
    assert "No money has been taken" not in said


def test_it_says_what_was_added_for_a_payment_that_expired(payment: Payment, top_up: TopUp) -> None:
    Payment.objects.filter(pk=payment.pk).update(expires_at=utc_now() - timedelta(minutes=1))
    credit_top_up(top_up_id=top_up.pk, amount=1_990, actor="bank", now=utc_now())

    said = words(payment)

    assert said.startswith("Expired ")
    assert "B$19.90 BSD was added to the customer's wallet for it" in said
    assert "none of it went to the shop by this payment." in said
    assert page_of(top_up) in said
    assert "No money has been taken" not in said


def test_no_money_was_taken_where_what_was_to_be_added_never_came(
    payment: Payment, top_up: TopUp
) -> None:
    TopUp.objects.update(expires_at=utc_now() - timedelta(minutes=1))
    cancel_payment(caller=caller_of(payment.merchant), payment_id=payment.pk, now=utc_now())

    said = words(payment)
    assert "No money has been taken." in said
    assert page_of(top_up) not in said


def test_it_says_that_a_refund_has_failed(merchant: Merchant) -> None:
    payment = paid_payment(merchant)
    refund(payment, 250)
    credit(merchant, -1_000)
    waiting = refund(payment, 500)
    now = utc_now()
    since, until = clock(now, now), clock(now + GIVE_UP_AFTER, now)
    assert f"B$5.00 BSD has been waiting to be refunded since {since}" in words(payment)
    assert f"If it still does not by {until}, the refund fails." in words(payment)

    fail_refund(refund_id=waiting.pk, reason="Paid in cash", actor="staff:ann", now=utc_now())

    said = words(payment)
    assert "B$2.50 BSD of B$12.50 BSD was refunded, most recently " in said
    assert "A refund of B$5.00 BSD failed " in said
    assert ": Paid in cash. The amount can be refunded again." in said


def test_a_refund_whose_time_is_over_has_none_left(office: Office, merchant: Merchant) -> None:
    payment = paid_payment(merchant)
    credit(merchant, -1_250)
    waiting = refund(payment, 500)
    write_signed(waiting, created_at=utc_now() - GIVE_UP_AFTER)

    page = office(Role.SUPPORT).get(page_of(waiting))
    for said in (words(payment), " ".join(page.context["answer"].words)):
        assert "Its time is up: it fails at any moment, unless the balance covers it" in said
        assert "If it still does not by" not in said


def test_a_timeline_has_what_was_ordered_and_what_came(payment: Payment, top_up: TopUp) -> None:
    credit_top_up(top_up_id=top_up.pk, amount=1_990, actor="bank", now=utc_now())

    told = " ".join(str(each.title) for each in timeline_of(payment))
    assert "Top-up of B$20.00 BSD by bank transfer: ordered" in told
    assert "Top-up of B$19.90 BSD by bank transfer: succeeded" in told


def test_a_refund_that_failed_is_not_told_of_once_another_has_succeeded(merchant: Merchant) -> None:
    payment = paid_payment(merchant)
    credit(merchant, -1_250)
    waiting = refund(payment, 500)
    fail_refund(refund_id=waiting.pk, reason="Paid in cash", actor="staff:ann", now=utc_now())
    credit(merchant, 1_250)
    refund(payment, 500)

    said = words(payment)
    assert "B$5.00 BSD of B$12.50 BSD was refunded" in said
    assert "failed" not in said


@pytest.mark.each_on_postgres(ITS_OWN)
def test_the_last_refund_is_the_one_that_was_paid_last(merchant: Merchant) -> None:
    payment, now = paid_payment(merchant), utc_now()
    credit(merchant, -1_000)
    waited = refund(payment, 500)
    refund(payment, 100)
    earlier = now - timedelta(days=3)
    Refund.objects.exclude(pk=waited.pk).update(succeeded_at=earlier, updated_at=earlier)
    credit(merchant, 1_000)
    retry_refund(refund_id=waited.pk, now=now)

    assert f"most recently {clock(now, now)}." in words(payment)


def test_a_merchants_balances_are_those_that_it_reads_and_what_waits_for_more(
    office: Office, merchant: Merchant
) -> None:
    payment = paid_payment(merchant)
    credit(merchant, -300)
    refund(payment, 1_000)
    credit(merchant, 400, currency="EUR")

    page = office(Role.SUPPORT).get(page_of(merchant))
    (money,) = [each for each in page.context["sections"] if each.title == "Money"]

    assert [(label, value) for label, value in money.facts if "test" in label] == [
        ("Available, test", "B$0.00 BSD"),
        ("Available, test", "€4.00 EUR"),
        ("Kept for waiting refunds, test", "B$9.50 BSD"),
        ("Missing for waiting refunds, test", "B$0.50 BSD"),
    ]


def test_a_merchant_s_next_payout_names_the_entry_that_holds_it_back(
    office: Office, api: Api, settings: Any
) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000 777", "BOTIBSNS"
    payout = live_payout(api)
    api(payout.merchant, live=True).post(f"/v1/payouts/{payout.pk}/cancel")
    browser, address = office(Role.VIEWER), page_of(payout.merchant)
    foreseen = "B$12.50 BSD as things stand, expected at the bank on "
    page = browser.get(address).content.decode()
    assert (foreseen in page, "It cannot leave before" in page) == (True, False)

    read(statement(entry(1_250, end_to_end_id(payout))))

    page = browser.get(address).content.decode()
    assert (foreseen in page, "It cannot leave before" in page) == (True, True)
    assert page_of(BankEntry.objects.get()) in page


def test_no_payout_is_said_to_leave_while_they_are_shut_after_a_restore(
    office: Office, api: Api
) -> None:
    payout = live_payout(api)
    credit(payout.merchant, 700, livemode=True)
    browser, pages = office(Role.VIEWER), (page_of(payout), page_of(payout.merchant))
    said = "No live payout leaves for now: the database was restored"
    assert [said in browser.get(each).content.decode() for each in pages] == [False, False]

    shut(actor="system:restored", now=utc_now())

    shown = [browser.get(each).content.decode() for each in pages]
    assert [(said in page, "It leaves on" in page) for page in shown] == [(True, False)] * 2
    assert "Forecast for " in shown[1]
    confirm(actor="system:restored", now=utc_now())
    assert [said in browser.get(each).content.decode() for each in pages] == [False, False]


def test_no_payout_is_said_to_leave_while_the_bank_names_an_unknown_file(
    office: Office, api: Api, settings: Any
) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000 777", "BOTIBSNS"
    lost = batch_of(payout_ids=[live_payout(api).pk])
    assert lost is not None
    undo(lost)
    payout = live_payout(api)
    browser = office(Role.VIEWER)

    read(statement(entry(lost.total_amount, details=batch_details(lost))))

    page = browser.get(page_of(payout)).content.decode()
    assert "It leaves on" not in page
    assert page_of(BankEntry.objects.get()) in page


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize(
    ("live", "test", "begins_with"),
    [(1, 0, "live"), (0, 1, "test"), (1, 1, "test"), (0, 0, "test")],
)
def test_a_payout_begins_in_live_mode_if_only_there_is_money(
    office: Office, merchant: Merchant, settings: Any, live: int, test: int, begins_with: str
) -> None:
    settings.DEVELOPMENT_MODE = True  # other forms begin in test mode
    for livemode, amount in ((True, live), (False, test)):
        if amount:
            credit(merchant, amount, livemode=livemode)

    form = office(Role.FINANCE).get(page_of_act(merchant, "pay-out")).content.decode()

    assert f'<option value="{begins_with}" selected>' in form
