"""Which reminders of an invoice are planned, and which are sent when their time has come."""

from datetime import timedelta

import pytest
import time_machine
from django.core.mail import EmailMessage

from core.clock import utc_now
from core.instants import today_in
from merchants.models import Merchant
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.client import Api

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("days", "planned"),
    [(10, {"invoice", "reminder", "due"}), (2, {"invoice", "due"}), (0, {"invoice"})],
)
def test_only_what_is_still_to_come_is_planned(
    api: Api, merchant: Merchant, days: int, planned: set[str]
) -> None:
    due = today_in(merchant.time_zone, utc_now()) + timedelta(days=days)
    body = {
        "payment_mode": "INVOICE_PAY",
        "amount": 12_500,
        "customer_email": "customer@example.com",
        "due_date": due.isoformat(),
    }

    response = api(merchant).post("/v1/payments", body)

    assert response.status_code == 201
    assert set(Message.objects.values_list("kind", flat=True)) == planned


def test_a_suspended_merchant_asks_no_one_for_money(
    api: Api, merchant: Merchant, mailoutbox: list[EmailMessage]
) -> None:
    """Its reminders were planned days before: they went out in our name all the same."""
    due = today_in(merchant.time_zone, utc_now()) + timedelta(days=10)
    body = {
        "payment_mode": "INVOICE_PAY",
        "amount": 12_500,
        "customer_email": "victim@example.com",
        "due_date": due.isoformat(),
    }
    assert api(merchant, live=True).post("/v1/payments", body).status_code == 201
    set_status(merchant_id=merchant.id, status=MerchantStatus.SUSPENDED, now=utc_now())

    send_due_messages(now=utc_now())
    with time_machine.travel(utc_now() + timedelta(days=8), tick=False):
        send_due_messages(now=utc_now())

    assert mailoutbox == []
    assert set(Message.objects.values_list("kind", "status")) == {
        ("invoice", "not_needed"),
        ("reminder", "not_needed"),
        ("due", "planned"),
    }
