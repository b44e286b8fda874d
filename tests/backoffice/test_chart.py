"""The chart of the dashboard: what each of its days says."""

from datetime import timedelta

import pytest

from backoffice.figures import count_finished_days
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment
from tests.factories import PaymentFactory

pytestmark = pytest.mark.django_db


def test_a_day_of_the_chart_says_how_its_unpaid_payments_ended(
    office: Office, merchant: Merchant
) -> None:
    yesterday = utc_now() - timedelta(days=1)
    paid = paid_payment(merchant)
    Payment.objects.filter(pk=paid.pk).update(completed_at=yesterday)
    for status in ("failed", "expired", "expired"):
        unpaid = Payment.objects.filter(pk=PaymentFactory(merchant=merchant).pk)
        unpaid.update(status=status, **{f"{status}_at": yesterday})
    count_finished_days(now=utc_now())

    *_, before, today = office(Role.VIEWER).get("/admin/?mode=test").context["bars"]

    assert before.words.endswith(" in 1 payment; not paid: 1 failed, 2 expired")
    assert today.words.endswith(": B$0.00 BSD in 0 payments")
