"""Refunds that failed wait for staff until their payment is refunded again."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backoffice.queues import AttentionQueue, queues_of
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.instructions import instruct
from core.clock import utc_now
from payments.models import Payment
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import caller_of, paid_payment, refund_request, scheduled_payout

pytestmark = pytest.mark.django_db
FAILED = {"status": "failed", "succeeded_at": None, "transaction_id": None, "fee_returned": 0}


@pytest.fixture
def payment(merchant) -> Payment:
    return paid_payment(merchant, 10_000)


def refunded(payment: Payment, amount: int) -> Refund:
    draft = RefundDraft(amount=amount)
    caller = caller_of(payment.merchant)
    return create_refund(caller=caller, payment_id=payment.pk, draft=draft, now=utc_now())


def failed(payment: Payment, *, hours: int) -> Refund:
    refund = refunded(payment, 4_000)
    at = utc_now() - timedelta(hours=hours)
    Refund.objects.filter(pk=refund.pk).update(**FAILED, created_at=at, failed_at=at)
    return refund


def waiting() -> list[AttentionQueue]:
    queues = queues_of(staff_as(Role.SUPPORT), livemode=False, now=utc_now())
    return [queue for queue in queues if queue.title == "Refunds failed"]


def test_a_refund_that_failed_waits_for_staff(office: Office, payment: Payment) -> None:
    refund = failed(payment, hours=3)

    [queue] = waiting()

    assert (queue.count, queue.oldest) == (1, "3 hours")
    listed = office(Role.SUPPORT).get(queue.url)
    assert [row.pk for row in listed.context["cl"].result_list] == [refund.pk]
    dashboard = office(Role.SUPPORT).get("/admin/?mode=test").content.decode()
    assert "Refunds failed" in dashboard


def test_what_the_balance_does_not_cover_is_not_said_to_be_refunded(
    office: Office, payment: Payment
) -> None:
    scheduled_payout(payment.merchant)
    support, form = office(Role.SUPPORT), {"reason": "Stale bread", "note": "Pat called"}
    act(support, payment, "refund", amount="40.00", **form)
    told = support.get(page_of(payment)).content.decode()
    asked = instruct(
        staff=staff_as(Role.SUPPORT),
        request=refund_request(payment, 6_000, arguments={"expected_available": 6_000}),
        now=utc_now(),
    )

    assert "Nothing has been refunded yet: the merchant&#x27;s balance does not cover" in told
    assert "has been made" not in told
    assert asked.status == "carried_out"
    answer = support.get(page_of(asked)).context["answer"]
    assert answer.words[-1].startswith("Nothing has been refunded yet")
    assert answer.tone == "wait"
    dashboard = support.get("/admin/?mode=test").content.decode()
    assert dashboard.count('<span class="bo-badge bo-quiet">initiated</span>') == 2
    assert "carried out" not in dashboard


def test_a_refund_says_whose_wallet_it_went_to(office: Office, payment: Payment) -> None:
    answer = office(Role.SUPPORT).get(page_of(refunded(payment, 1_000))).context["answer"]

    assert payment.customer
    assert answer.words[0].endswith(
        f" to the wallet that paid, of {payment.customer.masked_phone}."
    )


def test_it_waits_no_more_once_the_payment_is_refunded_again(payment: Payment) -> None:
    refunded(payment, 1_000)
    failed(payment, hours=3)
    Refund.objects.exclude(status="failed").update(created_at=utc_now() - timedelta(hours=4))
    assert len(waiting()) == 1

    refunded(payment, 4_000)

    assert waiting() == []


def test_one_of_the_other_week_waits_no_more(payment: Payment) -> None:
    failed(payment, hours=8 * 24)

    assert waiting() == []


def test_all_queues_are_counted_by_one_statement(payment: Payment) -> None:
    staff, now = staff_as(Role.ADMINISTRATOR), utc_now()

    with CaptureQueriesContext(connection) as statements:
        queues = queues_of(staff, livemode=False, now=now)

    assert len(statements) == 1 + len(queues)  # the age of the oldest of each that is not empty
