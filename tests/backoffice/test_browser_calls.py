"""The ten commonest calls, each from the dashboard, in a real browser, in at most five clicks."""

import csv
from datetime import timedelta
from pathlib import Path

import pytest

from backoffice.models import AuditEntry, Instruction, Note
from backoffice.roles import Role
from backoffice.services.instruction_kinds import PAY_OUT
from backoffice.services.instructions import InstructionRequest, instruct
from core.clock import utc_now
from core.ids import new_id
from customers.models import Customer
from links.models import PaymentLink
from merchants.statuses import MerchantStatus
from messages.models import Message
from payments.models import Payment
from payments.statuses import PaymentStatus
from payouts.models import Payout
from refunds.models import Refund
from tests.backoffice.conftest import staff_as
from tests.backoffice.desk import open_desk
from tests.backoffice.rows import PHONE, caller_of, paid_payment, refund_request
from tests.factories import MerchantFactory, PaymentFactory
from webhooks.endpoints import create_webhook
from webhooks.models import Attempt, Delivery
from webhooks.statuses import DeliveryStatus

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("development"),
]
MORE_CALLS = "by day three calls; the acts of all are tested without a browser as well"


@pytest.fixture
def cafe(db):
    return MerchantFactory(name="Island Coffee", slug="island-coffee", email="owner@island.example")


@pytest.fixture
def untold(cafe) -> Payment:
    """A paid order of whose completion the shop's server has refused to hear, three times."""
    create_webhook(
        caller=caller_of(cafe),
        url="https://shop.example/hook",
        events=["payment.completed"],
        description="",
        now=utc_now(),
    )
    payment = paid_payment(cafe, order_id="HB-2041")
    delivery = Delivery.objects.get(event__resource_id=payment.pk)
    for number in range(1, 4):
        at = utc_now() - timedelta(minutes=5 - number)
        Attempt.objects.create(
            delivery=delivery, number=number, attempted_at=at, ms=31, status=500, excerpt=""
        )
    later = utc_now() + timedelta(hours=2)
    Delivery.objects.filter(pk=delivery.pk).update(attempt_count=3, next_attempt_at=later)
    return payment


@pytest.mark.night(MORE_CALLS)
def test_i_was_charged_but_the_shop_says_no(desk, untold):
    caller = desk(Role.SUPPORT)
    caller.search(PHONE)
    caller.open_row("12.50")

    caller.sees("by +1 242 ••• 0100: B$12.50 BSD.")
    caller.sees("Webhook to the shop failed 3 times, next attempt")
    caller.sees("Attempt 3, answered 500 in 31 ms")


@pytest.mark.night(MORE_CALLS)
def test_refund_half(desk, cafe):
    payment = paid_payment(cafe, reference="T-77")
    caller = desk(Role.SUPPORT)
    caller.search("T-77")
    caller.follow("Refund")
    caller.fill(amount="6.25", reason="Cold coffee", note="Pat called at noon")
    caller.sees("After this refund: B$6.25 BSD left.")
    caller.send("Refund")

    caller.sees("The refund has been made.")
    refund = Refund.objects.get()
    assert (refund.payment_id, refund.amount, refund.status) == (payment.pk, 625, "succeeded")
    assert (refund.reason, refund.created_by) == ("Cold coffee", "staff:support")
    assert Note.objects.get().text == "Pat called at noon"


def test_refund_half_without_javascript(open_page, cafe):
    payment = paid_payment(cafe)
    page = open_desk(open_page, Role.SUPPORT, javascript=False)
    page.get_by_role("searchbox").fill(payment.pk)
    page.keyboard.press("Enter")
    page.get_by_role("main").get_by_role("link", name="Refund").click()
    page.locator("[name=amount]").fill("6.25")
    page.locator("[name=reason]").fill("Cold coffee")
    page.locator("[name=note]").fill("Pat called at noon")
    page.get_by_role("button", name="Refund").click()

    page.get_by_text("The refund has been made.").wait_for()
    assert Refund.objects.get().amount == 625


@pytest.mark.night(MORE_CALLS)
def test_the_shop_did_not_get_the_webhook(desk, untold):
    caller = desk(Role.SUPPORT)
    caller.search("HB-2041")
    caller.follow("Resend webhooks")
    caller.send("Resend webhooks")

    caller.sees("shop.example did not accept it")
    delivery = Delivery.objects.get(event__resource_id=untold.pk)
    assert delivery.status == DeliveryStatus.PENDING
    assert delivery.attempts.count() == 4


@pytest.mark.night(MORE_CALLS)
def test_i_forgot_my_pin(desk, cafe):
    customer = paid_payment(cafe).paying_customer
    customer.pin_failures, customer.pin_locked_until = 5, utc_now() + timedelta(minutes=30)
    customer.save()
    caller = desk(Role.SUPPORT)
    caller.search(PHONE)
    caller.follow("+1 242 ••• 0100")
    caller.sees("The PIN is locked until")
    caller.follow("Unlock PIN")
    caller.fill(amount="12.50", merchant="Island Coffee")
    caller.send("Unlock PIN")

    caller.sees("The PIN has been unlocked.")
    unlocked = Customer.objects.get(pk=customer.pk)
    assert (unlocked.pin_failures, unlocked.pin_locked_until) == (0, None)


def test_approve_this_payout(desk, cafe):
    paid_payment(cafe, 800_000)
    request = InstructionRequest(
        task=PAY_OUT,
        subject_id=cafe.pk,
        merchant_id=cafe.pk,
        livemode=False,
        amount=600_000,
        currency="BSD",
        reason="They need it before the holiday",
        note="",
        form_key="form of the test",
    )
    asked = instruct(staff=staff_as(Role.FINANCE, "first.person"), request=request, now=utc_now())
    assert asked.status == "waiting"
    caller = desk(Role.FINANCE)
    caller.follow("Approvals waiting")
    caller.open_row("first.person")
    caller.sees("Payout of B$6,000.00 BSD (Island Coffee), requested by first.person.")
    caller.follow("Approve")
    caller.fill(note="Checked with the merchant")
    caller.send("Approve")

    caller.sees("Approved and carried out.")
    instruction = Instruction.objects.get()
    assert instruction.status == "carried_out"
    assert str(instruction.decided_by) == "finance"
    payout = Payout.objects.get(pk=instruction.result_id)
    assert (payout.merchant_id, payout.amount, payout.status) == (cafe.pk, 600_000, "scheduled")


@pytest.mark.night(MORE_CALLS)
def test_stop_this_merchant(desk, cafe):
    caller = desk(Role.FINANCE)
    caller.search("Island Coffee")
    caller.follow("Suspend")
    caller.fill(reason="Sells what is not theirs")
    caller.send("Suspend")

    caller.sees("Island Coffee is suspended now.")
    cafe.refresh_from_db()
    assert cafe.status == MerchantStatus.SUSPENDED


def test_find_12_50_from_this_morning_by_the_last_four_digits(desk, cafe):
    wanted = paid_payment(cafe)
    for amount in (1_251, 2_500):
        paid_payment(cafe, amount)
    PaymentFactory(merchant=cafe)  # of 12.50, and not paid by anyone
    caller = desk(Role.VIEWER)
    caller.search("12.50 from this morning 0100")

    caller.sees("Paid ")
    assert caller.page.url.endswith(f"/admin/payments/payment/{wanted.pk}/change/")
    assert caller.clicks == 1


@pytest.mark.night(MORE_CALLS)
def test_send_them_a_link(desk, cafe):
    caller = desk(Role.SUPPORT)
    caller.search("island-coffee")
    caller.follow("Send payment link")
    caller.fill(amount="25.00", description="Table for two", recipient="pat@example.com")
    caller.send("Send payment link")

    caller.sees("The link is being sent.")
    link = PaymentLink.objects.get()
    assert (link.merchant_id, link.amount, link.max_uses) == (cafe.pk, 2_500, 1)
    message = Message.objects.get()
    assert (message.recipient, message.about) == ("pat@example.com", link.pk)
    assert link.url in message.text


@pytest.mark.night(MORE_CALLS)
def test_export_yesterday(desk, cafe):
    then = utc_now() - timedelta(days=1)
    old = PaymentFactory(merchant=cafe, id=new_id("pay", then), created_at=then, reference="=1+1")
    PaymentFactory(merchant=cafe)
    caller = desk(Role.FINANCE)
    caller.choose("Payments")
    caller.open_menu("Day")
    caller.follow("yesterday")
    file = caller.download("CSV")

    rows = list(csv.DictReader(Path(file.path()).read_text("utf-8-sig").splitlines()))
    assert [row["Payment"] for row in rows] == [old.pk]
    assert (rows[0]["Gross"], rows[0]["Gross in smallest units"]) == ("12.50", "1250")
    assert rows[0]["Reference"] == "'=1+1"
    assert AuditEntry.objects.get(act="export").actor == "finance"


@pytest.mark.night(MORE_CALLS)
def test_who_refunded_this(desk, cafe):
    payment = paid_payment(cafe, reference="T-78")
    instruct(
        staff=staff_as(Role.SUPPORT, "sam.r"), request=refund_request(payment, 500), now=utc_now()
    )
    caller = desk(Role.FINANCE)
    caller.search("T-78")
    caller.sees("B$5.00 BSD refunded")
    caller.sees("sam.r (staff)")
    caller.sees("sam.r from 10.0.0.7")
    caller.follow("Audit trail")

    caller.sees("Returned goods")
    row = caller.page.get_by_role("row").filter(has_text="sam.r").first
    assert row.inner_text().count("10.0.0.7") == 1
    payment.refresh_from_db()
    assert (payment.status, payment.amount_refunded) == (PaymentStatus.COMPLETED, 500)
