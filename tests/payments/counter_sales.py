"""Counters with sums on their code, and customers who pay them."""

from typing import Any

import orjson

from core.clock import utc_now
from core.ids import new_id
from merchants.models import Merchant
from payments.counters import pay_at_counter
from payments.models import Payment, Till
from payments.modes import PaymentMode
from payments.tickets import open_ticket
from payments.till_models import Ticket
from tests.factories import PaymentFactory
from webhooks.models import Event


def counter_of(merchant: Merchant, *, tips_allowed: bool = False, **values: Any) -> Payment:
    """Return a counter at which customers enter the amount."""
    Till.objects.create(merchant=merchant, livemode=False, tips_allowed=tips_allowed)
    values = {"amount": None, "expires_at": None, "description": "Bar"} | values
    counter: Payment = PaymentFactory(
        merchant=merchant, payment_mode=PaymentMode.STATIC_PAY, **values
    )
    return counter


def ticket_on(
    counter: Payment, amount: int = 1_250, items: list[dict[str, Any]] | None = None
) -> Ticket:
    """Put a sum on the counter's code."""
    at = utc_now()
    return open_ticket(
        counter_id=counter.id, ticket_id=new_id("tkt", at), amount=amount, items=items or [], now=at
    )


def scan(ticket: Ticket, *, tip: int = 0) -> Payment:
    """Open the sum on a customer's phone."""
    at = utc_now()
    return pay_at_counter(
        counter_id=ticket.counter_id,
        payment_id=new_id("pay", at),
        amount=None,
        ticket_id=ticket.id,
        tip=tip,
        now=at,
    )


def events_of(payment_id: str) -> list[dict[str, Any]]:
    """Return what was told of a payment, oldest first."""
    events = Event.objects.filter(resource_id=payment_id).order_by("created_at", "id")
    return [orjson.loads(bytes(event.body)) for event in events]
