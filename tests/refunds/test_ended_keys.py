"""A refund that waits while its key, or the merchant, is stopped: none is made."""

from collections.abc import Callable
from functools import partial

import pytest

from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create, top_up, wallet
from ledger.services import lock
from merchants.models import Merchant
from merchants.services import IssuedKey, issue_key, revoke_key, set_status
from merchants.statuses import MerchantStatus
from payments.models import Payment
from refunds.models import Refund
from tests.client import ApiClient
from tests.factories import PaymentFactory
from tests.payments.journeys import pay_with
from tests.races import held_up
from webhooks.models import Event

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
AMOUNT = 1_250


@pytest.fixture
def thief(merchant: Merchant) -> Customer:
    """Someone who bought at the shop, and has its stolen key."""
    customer = find_or_create(phone="+12423591234", now=utc_now())
    top_up(customer=customer, amount=AMOUNT, currency="BSD", now=utc_now())
    return customer


@pytest.fixture
def sale(merchant: Merchant, thief: Customer) -> Payment:
    payment: Payment = PaymentFactory(merchant=merchant, amount=AMOUNT, livemode=True)
    return pay_with(payment.id, thief)


@pytest.fixture
def stolen(merchant: Merchant) -> IssuedKey:
    return issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now())


def revoked(stolen: IssuedKey) -> None:
    revoke_key(key_id=stolen.key.id, now=utc_now())


def suspended(stolen: IssuedKey) -> None:
    merchant_id = stolen.key.merchant_id
    set_status(merchant_id=merchant_id, status=MerchantStatus.SUSPENDED, now=utc_now())


def wait_for_sale(sale: Payment) -> None:
    Payment.objects.locked(sale.id)


def wait_for_wallet(sale: Payment) -> None:
    assert sale.customer is not None
    lock(wallet(sale.customer, sale.currency))


@pytest.mark.parametrize("held", [wait_for_sale, wait_for_wallet])
@pytest.mark.parametrize(("end", "status"), [(revoked, 401), (suspended, 422)])
def test_a_refund_by_a_key_that_is_stopped_meanwhile_is_not_made(
    thief: Customer,
    sale: Payment,
    stolen: IssuedKey,
    end: Callable[[IssuedKey], None],
    status: int,
    held: Callable[[Payment], None],
) -> None:
    """The owner had been told that the key is revoked; then it gave the thief the money back."""
    told = Event.objects.count()
    client = ApiClient(stolen.secret)
    assert client.get(f"/v1/payments/{sale.id}").status_code == 200

    def stop() -> None:
        held(sale)
        end(stolen)

    refund = partial(client.post, f"/v1/payments/{sale.id}/refund", {})
    response = held_up(stop, refund)

    assert not isinstance(response, Exception)
    assert response.status_code == status
    assert wallet(thief, "BSD").balance == 0
    assert not Refund.objects.exists()
    assert Event.objects.count() == told
    sale.refresh_from_db()
    assert (sale.amount_refunded, sale.amount_refund_pending) == (0, 0)
