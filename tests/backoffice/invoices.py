"""Invoices that shops have sent, and no one has paid yet."""

from datetime import timedelta

from core.clock import utc_now
from core.ids import new_id
from merchants.models import Merchant
from payments.drafts import PaymentDraft
from payments.models import Payment
from payments.modes import PaymentMode
from payments.services import create_payment
from tests.backoffice.rows import caller_of


def open_invoice(merchant: Merchant, *, due_in_days: int, number: str = "INV-9") -> Payment:
    now = utc_now()
    draft = PaymentDraft(
        payment_mode=PaymentMode.INVOICE_PAY,
        amount=70_000,
        currency="BSD",
        invoice_number=number,
        customer_email="pat@example.com",
        due_date=now.date() + timedelta(days=due_in_days),
    )
    caller, payment_id = caller_of(merchant), new_id("pay", now)
    return create_payment(caller=caller, payment_id=payment_id, draft=draft, now=now)
