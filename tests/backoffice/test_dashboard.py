"""The dashboard: figures that add up, queues with their age, tiles that open their list."""

import re
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backoffice.figures import (
    PeriodTotals,
    balances_of_all,
    count_finished_days,
    day_start,
    totals_between,
)
from backoffice.models import DayFigures, Instruction
from backoffice.queues import AttentionQueue, queues_of
from backoffice.roles import Role
from backoffice.services.instructions import instruct
from core.clock import utc_now
from core.ids import new_id
from core.models import TurnMark
from ledger.models import Account, Purpose
from ledger.sealing import seal_transfers
from merchants.models import Merchant
from payments.confirming import confirm_payment
from payments.models import Payment
from payments.statuses import PaymentStatus
from payouts.models import Payout
from refunds.models import Refund
from tests.backoffice.conftest import Office, sign_in, staff_as
from tests.backoffice.rows import (
    PHONE,
    caller_of,
    one_of_each,
    paid_payment,
    refund_request,
)
from tests.factories import PaymentFactory
from webhooks.models import Delivery
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.django_db

MAX_STATEMENTS = 27
TEST: dict[str, Any] = {"livemode": False, "currency": "BSD"}


def test_a_day_adds_up(merchant: Merchant) -> None:
    for amount in (100, 1_250, 9_000):
        paid_payment(merchant, amount)
    failed = PaymentFactory(merchant=merchant)
    Payment.objects.filter(pk=failed.pk).update(status="failed", failed_at=utc_now())

    span = totals_between(
        **TEST, start=utc_now() - timedelta(hours=1), end=utc_now() + timedelta(hours=1)
    )

    assert (span.completed, span.amount, span.counts["failed"]) == (3, 10_350, 1)
    assert span.success_percent == 75
    other = totals_between(
        livemode=True, currency="BSD", start=utc_now() - timedelta(1), end=utc_now() + timedelta(1)
    )
    assert (other.completed, other.success_percent) == (0, None)


def test_finished_days_are_counted_once_and_the_last_ones_again(
    merchant: Merchant, settings
) -> None:
    payment = paid_payment(merchant)
    yesterday = utc_now() - timedelta(days=1)
    Payment.objects.filter(pk=payment.pk).update(completed_at=yesterday)

    count_finished_days(now=utc_now())
    count_finished_days(now=utc_now())

    figures = DayFigures.objects.get()
    assert (figures.completed_count, figures.completed_amount) == (1, 1_250)
    assert figures.day == yesterday.astimezone(ZoneInfo(settings.STAFF_TIME_ZONE)).date()


def test_a_day_is_a_day_where_staff_are() -> None:
    start = day_start(utc_now().date())

    assert start.utcoffset() == timedelta(hours=-5) or start.utcoffset() == timedelta(hours=-4)


def test_the_money_held_is_what_the_accounts_hold(merchant: Merchant) -> None:
    paid_payment(merchant)
    seal_transfers(now=utc_now())

    held = balances_of_all(**TEST)

    wallets = Account.objects.filter(purpose=Purpose.WALLET, **TEST)
    assert held[Purpose.WALLET] == sum(wallets.values_list("balance", flat=True))
    assert held[Purpose.MERCHANT] == 1_250


def test_queues_say_what_waits_and_since_when(merchant: Merchant) -> None:
    one_of_each()
    early = utc_now() - timedelta(hours=3)
    payment = paid_payment(merchant, 300_000)
    instruct(staff=staff_as(Role.SUPPORT), request=refund_request(payment, 20_000), now=utc_now())
    stuck = PaymentFactory(merchant=merchant)
    Payment.objects.filter(pk=stuck.pk).update(status="processing", updated_at=early)
    Delivery.objects.update(status=DeliveryStatus.FAILED, next_attempt_at=None, ended_at=early)
    waiting = {"status": "pending", "succeeded_at": None, "transaction_id": None}
    Refund.objects.update(fee_returned=0, created_at=early, **waiting)

    queues = {
        queue.title: (queue.count, queue.oldest)
        for queue in queues_of(staff_as(Role.ADMINISTRATOR), livemode=False, now=utc_now())
    }

    assert queues["Approvals waiting"][0] == 2
    side_bar = sign_in(Role.SUPPORT).get("/admin/").context["sidebar_navigation"]
    badges = {item["title"]: item.get("badge") for group in side_bar for item in group["items"]}
    assert badges["Approvals"] == "2"  # one's own among them, as on the dashboard
    assert queues["Payments stuck in processing"] == (1, "3 hours")
    assert queues["Webhook deliveries failed"] == (Delivery.objects.count(), "3 hours")
    assert queues["Refunds waiting for money"] == (Refund.objects.count(), "3 hours")
    assert queues_of(staff_as(Role.ADMINISTRATOR), livemode=True, now=utc_now()) == []


def test_every_tile_and_queue_opens_its_list(office: Office, merchant: Merchant) -> None:
    one_of_each()
    browser = office(Role.ADMINISTRATOR)
    page = browser.get("/admin/?mode=test").content.decode()

    links = set(re.findall(r'<a class="bo-(?:tile[^"]*|queue)" href="([^"]+)"', page))
    bars = set(re.findall(r'<a href="(/admin/payments/payment/[^"]+)" aria-label="', page))

    assert len(links) >= 5
    assert len(bars) == 30
    for link in links | {min(bars), max(bars)}:
        assert browser.get(link.replace("&amp;", "&")).status_code == 200


def test_the_list_of_a_queue_has_as_many_rows_as_it_counts(
    office: Office, merchant: Merchant
) -> None:
    one_of_each()
    early, now = utc_now() - timedelta(days=30), utc_now()
    for updated_at in (now, now - timedelta(hours=1)):
        stuck = PaymentFactory(merchant=merchant)
        Payment.objects.filter(pk=stuck.pk).update(status="processing", updated_at=updated_at)
    *old, new = Delivery.objects.order_by("pk")
    failed = {"status": DeliveryStatus.FAILED, "next_attempt_at": None}
    Delivery.objects.filter(pk=new.pk).update(**failed, ended_at=now)
    Delivery.objects.filter(pk__in=[each.pk for each in old]).update(**failed, ended_at=early)
    Instruction.objects.update(expires_at=early)
    staff, browser = staff_as(Role.ADMINISTRATOR), office(Role.ADMINISTRATOR)

    queues = queues_of(staff, livemode=False, now=now)

    assert {"Payments stuck in processing", "Webhook deliveries failed"} <= {
        queue.title for queue in queues
    }
    assert "Approvals waiting" not in {queue.title for queue in queues}
    for queue in queues:
        listed = browser.get(queue.url).context["cl"]
        assert (queue.title, listed.result_count) == (queue.title, queue.count)


def test_the_list_of_a_tile_has_the_rows_of_its_figure(office: Office, merchant: Merchant) -> None:
    early = utc_now() - timedelta(days=3)
    made = {"merchant": merchant, "created_at": early, "expires_at": utc_now() + timedelta(1)}
    late, failed = (PaymentFactory(id=new_id("pay", early), **made) for _ in range(2))
    confirm_payment(
        caller=caller_of(merchant), payment_id=late.pk, phone=PHONE, amount=None, now=utc_now()
    )
    Payment.objects.filter(pk=failed.pk).update(status="failed", failed_at=utc_now())
    browser = office(Role.VIEWER)
    tiles = {tile.title: tile for tile in browser.get("/admin/?mode=test").context["tiles"]}

    for title, wanted in (("Payments today", late), ("Failed today", failed)):
        listed = browser.get(tiles[title].url).context["cl"]
        assert [row.pk for row in listed.result_list] == [wanted.pk]
        assert tiles[title].figure == "1"


def test_the_list_of_success_has_all_that_ended_and_nothing_else(
    office: Office, merchant: Merchant
) -> None:
    early, now = utc_now() - timedelta(days=3), utc_now()
    made = {"merchant": merchant, "created_at": early, "expires_at": now + timedelta(1)}
    for status in ("failed", "expired", "canceled"):
        ended = PaymentFactory(id=new_id("pay", early), **made)
        Payment.objects.filter(pk=ended.pk).update(status=status, **{f"{status}_at": now})
    for _ in range(2):
        paid_payment(merchant)
    PaymentFactory(merchant=merchant)  # of today, and open
    PaymentFactory(merchant=merchant, currency="USD")
    other = PaymentFactory(merchant=merchant)
    Payment.objects.filter(pk=other.pk).update(status="failed", failed_at=now - timedelta(days=2))
    browser = office(Role.FINANCE)
    page = browser.get("/admin/?mode=test")
    [tile] = [tile for tile in page.context["tiles"] if tile.title == "Success"]

    listed = browser.get(tile.url)

    assert (tile.figure, tile.beside) == ("40\u00a0%", "2 of 5 that ended; nothing a week ago")
    assert listed.context["cl"].result_count == 5
    assert "Ended: <strong>today</strong>" in listed.content.decode()
    export = browser.get(tile.url.replace("/?", "/export/csv/?")).content.decode()
    assert len(export.splitlines()) == 1 + 5


def test_all_but_one_is_not_all(merchant: Merchant) -> None:
    span = PeriodTotals({"completed": 399, "failed": 1, "expired": 0, "canceled": 0}, 1)

    assert span.success_percent == 99


def test_a_tile_is_for_those_who_see_its_list(office: Office) -> None:
    one_of_each()
    shown = {
        role: {tile.url for tile in office(role).get("/admin/?mode=test").context["tiles"]}
        for role in Role
    }

    assert "Ledger less bank" in office(Role.FINANCE).get("/admin/?mode=test").content.decode()
    for role, urls in shown.items():
        assert {office(role).get(url).status_code for url in urls} == {200}


def test_it_takes_few_statements(office: Office, merchant: Merchant) -> None:
    paid_payment(merchant)
    browser = office(Role.ADMINISTRATOR)
    cache.clear()

    with CaptureQueriesContext(connection) as statements:
        response = browser.get("/admin/?mode=test")

    assert response.status_code == 200
    assert len(statements) <= MAX_STATEMENTS


def test_who_may_not_read_the_books_sees_no_balances(office: Office, payment: Payment) -> None:
    assert payment.status == PaymentStatus.CREATED

    page = office(Role.SUPPORT).get("/admin/").content.decode()
    assert "Money held" not in page
    assert "What today's payments need by their amounts" in page
    held = office(Role.FINANCE).get("/admin/").content.decode().partition("Money held")[2]
    assert "Payouts not paid yet" in held  # also those that are only scheduled
    assert "On its way" not in held


def test_it_says_that_work_was_refused_for_a_wrong_clock(office: Office) -> None:
    TurnMark.objects.create(at=utc_now(), refused_at=utc_now(), refusal="The clock of a is off.")

    assert "The clock of a is off." in office(Role.ADMINISTRATOR).get("/admin/").content.decode()


def test_failed_and_returned_payouts_wait_together(office: Office, merchant: Merchant) -> None:
    one_of_each()
    ended = {"failure_code": "closed", "updated_at": utc_now()}
    payout = Payout.objects.filter(livemode=False).order_by("pk")[:1].get()
    paid_at = utc_now() if payout.paid_at is None else payout.paid_at
    came_back = {"status": "returned", "paid_at": paid_at, "returned_at": utc_now(), **ended}
    Payout.objects.filter(pk=payout.pk).update(failed_at=None, canceled_at=None, **came_back)

    [queue] = [
        queue
        for queue in queues_of(staff_as(Role.ADMINISTRATOR), livemode=False, now=utc_now())
        if queue.title == "Payouts failed or returned"
    ]

    assert queue.count >= 1
    assert payout.pk in office(Role.ADMINISTRATOR).get(queue.url).content.decode()


def test_payouts_that_are_overdue_wait_too(office: Office) -> None:
    late = one_of_each()[Payout]
    days = {"send_date": utc_now() - timedelta(days=3), "arrival_date": utc_now()}
    Payout.objects.update(status="scheduled", failed_at=None, canceled_at=None, **days)

    [queue] = overdue()
    assert late.pk in office(Role.FINANCE).get(queue.url).content.decode()
    Merchant.objects.update(status="suspended")
    assert overdue() == []  # they leave once the merchant may have its money


def overdue() -> list[AttentionQueue]:
    queues = queues_of(staff_as(Role.FINANCE), livemode=False, now=utc_now())
    return [queue for queue in queues if queue.title == "Payouts overdue"]
