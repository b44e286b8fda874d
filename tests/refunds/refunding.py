"""Sell something, and take it back."""

from datetime import datetime
from typing import Any

from core.clock import utc_now
from customers.models import Customer
from customers.services import find_or_create, test_customer, top_up
from merchants.models import Merchant
from payments.models import Payment
from payments.paying import pay
from payments.verification import Verification
from refunds.models import Refund
from tests.client import Api
from tests.events import event_types
from tests.factories import PaymentFactory

REFUNDS_FAIL_PHONE = "+12425550105"
LIVE_PHONE = "+12423591234"


def sell(
    merchant: Merchant,
    amount: int,
    *,
    fee: int = 0,
    phone: str | None = None,
    at: datetime | None = None,
    **fields: Any,
) -> Payment:
    """Return a completed test payment; `fee` in basis points."""
    at = at or utc_now()
    merchant.fee_basis_points = fee
    merchant.save(update_fields=["fee_basis_points"])
    payment = PaymentFactory(merchant=merchant, amount=amount, created_at=at, **fields)
    return _paid(payment, test_customer(phone, at, payment.currency, merchant_id=merchant.id), at)


def sell_live(merchant: Merchant, amount: int, phone: str = LIVE_PHONE) -> Payment:
    """Return a completed live payment, of a customer with just that much money."""
    customer = find_or_create(phone=phone, now=utc_now())
    top_up(customer=customer, amount=amount, currency="BSD", now=utc_now())
    return _paid(
        PaymentFactory(merchant=merchant, amount=amount, livemode=True), customer, utc_now()
    )


def refund(api: Api, payment: Payment, amount: int | None = None, **headers: str) -> Any:
    """Refund over HTTP as the payment's merchant; without an amount, all that is left."""
    body = {} if amount is None else {"amount": amount}
    client = api(payment.merchant, live=payment.livemode)
    return client.post(f"/v1/payments/{payment.id}/refund", body, **headers)


def refusal(response: Any) -> tuple[int, str, str]:
    """Return the status, code and details of a refusal that left nothing behind."""
    assert Refund.objects.count() == 0
    assert event_types("refund") == []
    return response.status_code, response.json()["code"], response.json()["details"]


def _paid(payment: Payment, customer: Customer, at: datetime) -> Payment:
    return pay(
        payment_id=payment.id,
        customer=customer,
        verified=Verification.PASSKEY,
        actor=f"customer:{customer.id}",
        now=at,
    )
