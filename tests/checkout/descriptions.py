"""A shop that changes what a payment is for, and what its customer is told then."""

from core.clock import utc_now
from merchants.callers import Caller
from payments.models import Payment
from payments.services import update_payment

CHANGED = "The shop has changed what this payment is for. Look at it before you pay."


def describe(payment: Payment, description: str) -> None:
    """Change the words, as `PATCH` of the payment does."""
    caller = Caller(payment.merchant, livemode=payment.livemode, actor="test")
    changes = {"description": description}
    update_payment(caller=caller, payment_id=payment.id, changes=changes, now=utc_now())
