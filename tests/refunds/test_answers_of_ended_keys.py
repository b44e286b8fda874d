"""An answer to a customer that waits while its key, or the merchant, is stopped: none is sent."""

from collections.abc import Callable
from functools import partial

import pytest

from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create, top_up
from merchants.models import Merchant
from merchants.services import IssuedKey, issue_key, revoke_key, set_status
from merchants.statuses import MerchantStatus
from messages.models import Message
from payments.models import Payment
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason, InquiryStatus
from refunds.models import Inquiry
from tests.client import ApiClient
from tests.factories import PaymentFactory
from tests.payments.journeys import pay_with
from tests.races import held_up
from webhooks.models import Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
BAIT = "Write to refunds@example.net with your PIN, and you get your money back."


@pytest.fixture
def buyer(merchant: Merchant) -> Customer:
    customer = find_or_create(phone="+12423591234", now=utc_now())
    top_up(customer=customer, amount=1_250, currency="BSD", now=utc_now())
    return customer


@pytest.fixture
def reported(merchant: Merchant, buyer: Customer) -> Inquiry:
    sale: Payment = PaymentFactory(merchant=merchant, amount=1_250, livemode=True)
    return report_problem(
        payment_id=pay_with(sale.id, buyer).id,
        report=ProblemReport(InquiryReason.NOT_RECEIVED, "Where is it?"),
        actor=f"customer:{buyer.pk}",
        now=utc_now(),
    )


@pytest.fixture
def stolen(merchant: Merchant) -> IssuedKey:
    return issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now())


def revoked(stolen: IssuedKey) -> None:
    revoke_key(key_id=stolen.key.id, now=utc_now())


def suspended(stolen: IssuedKey) -> None:
    merchant_id = stolen.key.merchant_id
    set_status(merchant_id=merchant_id, status=MerchantStatus.SUSPENDED, now=utc_now())


@pytest.mark.parametrize(("end", "status"), [(revoked, 401), (suspended, 422)])
def test_what_a_key_that_is_stopped_meanwhile_writes_to_a_customer_is_not_sent(
    reported: Inquiry,
    stolen: IssuedKey,
    end: Callable[[IssuedKey], None],
    status: int,
) -> None:
    """The owner had been told that the key is revoked; then a customer was written to by it."""
    written, told = Message.objects.count(), Event.objects.count()
    client = ApiClient(stolen.secret)
    assert client.get(f"/v1/inquiries/{reported.id}").status_code == 200

    def stop() -> None:
        Payment.objects.locked(reported.payment_id)
        end(stolen)

    write = partial(client.post, f"/v1/inquiries/{reported.id}/answer", {"text": BAIT})
    response = held_up(stop, write)

    assert not isinstance(response, Exception)
    assert response.status_code == status
    assert not Message.objects.filter(text__contains="example.net").exists()
    assert Message.objects.count() == written
    assert Event.objects.count() == told
    reported.refresh_from_db()
    assert reported.status == InquiryStatus.OPEN
