"""Ten more calls, one after the other by one person at one browser, each in at most five clicks."""

from datetime import timedelta

import pytest

from backoffice.formats import MINUS
from backoffice.roles import Role
from backoffice.services.instructions import instruct
from core.clock import utc_now
from customers.models import Customer
from funding.models import FundingWay
from funding.services import open_top_up
from payments.numbers import number_of
from payouts.services import mark_sent, record_paid, record_returned
from refunds.services import RefundDraft, create_refund
from tests.backoffice.conftest import staff_as
from tests.backoffice.desk import Desk
from tests.backoffice.invoices import open_invoice
from tests.backoffice.rows import (
    PHONE,
    caller_of,
    paid_payment,
    refund_request,
    scheduled_payout,
)
from tests.factories import MerchantFactory
from webhooks.endpoints import create_webhook
from webhooks.models import Webhook

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("development"),
]


@pytest.fixture
def cafe(db):
    """A shop whose endpoint has been dead for hours."""
    cafe = MerchantFactory(name="Island Coffee", slug="island-coffee")
    create_webhook(
        caller=caller_of(cafe),
        url="https://old.example/hook",
        events=["payment.completed"],
        description="",
        now=utc_now(),
    )
    hours_ago = utc_now() - timedelta(hours=9)
    Webhook.objects.update(failures=7, failing_since=hours_ago, last_error="Connection refused.")
    return cafe


@pytest.fixture
def payout(cafe):
    """What the shop sold, less a refund of 12.50: sent, paid, and returned by the bank."""
    sold = paid_payment(cafe, 50_000)
    draft = RefundDraft(amount=1_250)
    create_refund(caller=caller_of(cafe), payment_id=sold.pk, draft=draft, now=utc_now())
    made = scheduled_payout(cafe)
    mark_sent(payout_id=made.pk, actor="staff:x", now=utc_now())
    record_paid(payout_id=made.pk, actor="staff:x", now=utc_now())
    return record_returned(
        payout_id=made.pk, code="AC04", message="Account closed.", actor="system:x", now=utc_now()
    )


def cash_of(customer):
    return open_top_up(
        customer=customer,
        way=FundingWay.AGENT,
        amount=2_000,
        currency="BSD",
        expires_at=utc_now() + timedelta(days=3),
        actor="customer:x",
        now=utc_now(),
    )


@pytest.mark.night("tests/backoffice/test_browser_calls.py has three calls by day")
def test_ten_calls(desk, cafe, payout):
    waits = paid_payment(cafe, 250_000, reference="T-WAITS")
    request = refund_request(waits, 200_000)
    instruct(staff=staff_as(Role.SUPPORT, "sam.r"), request=request, now=utc_now())
    paid_payment(cafe, 3_300, order_id="HB-1")
    receipt = paid_payment(cafe, 3_300, reference="T-TWICE")
    open_invoice(cafe, due_in_days=3)
    top_up = cash_of(receipt.paying_customer)
    caller = desk(Role.FINANCE)

    def call() -> Desk:
        caller.page.goto(caller.page.url.partition("/admin/")[0] + "/admin/?mode=test")
        caller.clicks = 0
        return caller

    my_payout_is_short_by_12_50(call(), payout)
    for said, answers in (
        (payout.pk, ["The bank sent it back: Account closed (AC04)."]),  # why was it returned?
        ("T-WAITS", ["Refund of B$2,000.00 BSD, requested by sam.r", "nothing has moved yet."]),
        ("HB-1", ["its server has been failing since"]),  # the webhook did not come
        ("T-TWICE", ["Possibly paid twice: the same customer paid the same amount here"]),
        (number_of(receipt.pk), ["by +1 242 ••• 0100: B$33.00 BSD."]),  # is this receipt real?
        (top_up.reference, ["The money has not come yet; it is due by"]),  # I topped up
    ):
        call().search(said)
        for answer in answers:
            caller.sees(answer)
    which_invoices_are_open_and_due(call())
    last_month_for_my_accountant(call())
    my_phone_was_stolen(call())


def my_payout_is_short_by_12_50(caller, payout):
    caller.search(payout.pk)
    caller.fill(ask="12.50")
    caller.send("Explain")

    caller.sees("What makes up B$12.50 BSD here")
    caller.sees(f"{MINUS}12.50")


def which_invoices_are_open_and_due(caller):
    caller.choose("Payments")
    caller.open_menu("Invoices")
    caller.follow("open, due within 7 days")

    caller.sees("700.00 BSD")
    assert caller.page.locator("#result_list tbody tr").count() == 1
    assert caller.page.get_by_role("columnheader", name="Due").count() == 1


def last_month_for_my_accountant(caller):
    caller.search("island-coffee")
    caller.follow("Make statement")
    caller.page.locator("form [name=period]").select_option("last_month")
    caller.send("Make statement")

    caller.sees("It waits for its turn")


def my_phone_was_stolen(caller):
    caller.search(PHONE)
    caller.follow("+1 242 ••• 0100")
    caller.follow("Account stolen")
    caller.fill(reason="Stolen at the beach")
    caller.send("Account stolen")

    caller.sees("Frozen. 0 sessions ended, 0 passkeys removed.")
    assert not Customer.objects.filter(frozen_at=None).exists()
