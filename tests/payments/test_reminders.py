"""No reminder is planned for a time that has passed when the invoice is made."""

from datetime import timedelta

import pytest

from core.clock import utc_now
from core.instants import today_in
from merchants.models import Merchant
from messages.models import Message
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
