"""Tickets: sums that a cashier puts on a counter's QR code, each paid once, by the first to pay.

Locks are taken in the order ticket, payment, the other payments of the ticket by id.
"""

from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from core.errors import InvalidAmount
from core.money import MAX_AMOUNT
from payments.drafts import items_sum
from payments.errors import TicketClosed, TicketsTooMany
from payments.models import Payment
from payments.reporting import move_and_report
from payments.statuses import EXPIRABLE, PaymentStatus
from payments.till_models import Ticket

TICKET_LIFETIME = timedelta(minutes=30)
MOST_OPEN = 9
# The most payments canceled together with their ticket, as a stranger can open any number of
# them. The rest can no longer be paid, and expire within TICKET_LIFETIME.
MOST_CANCELED = 20


@transaction.atomic
def open_ticket(
    *,
    counter_id: str,
    ticket_id: str,
    amount: int,
    items: list[dict[str, Any]],
    now: datetime,
) -> Ticket:
    """Put a sum on a counter's QR code: `items`, plus `amount` in cents for anything unlisted.

    Raises InvalidAmount if the sum is zero or too large, or the counter has a fixed amount;
    TicketsTooMany, and the error of the status if the counter is closed.
    """
    counter = Payment.objects.locked(counter_id)
    if counter.status != PaymentStatus.CREATED:
        raise counter.refusal(now)
    if counter.amount is not None:
        raise InvalidAmount(amount="is fixed at this counter")
    total = amount + items_sum(items)
    if not 1 <= total <= MAX_AMOUNT:
        raise InvalidAmount(amount=f"must be from 1 to {MAX_AMOUNT} in all")
    if len(Ticket.objects.open_at(counter.id, now)[:MOST_OPEN]) == MOST_OPEN:
        raise TicketsTooMany
    return Ticket.objects.create(
        id=ticket_id,
        counter=counter,
        amount=total,
        currency=counter.currency,
        items=items or None,
        created_at=now,
        expires_at=now + TICKET_LIFETIME,
    )


@transaction.atomic
def withdraw_ticket(*, counter_id: str, ticket_id: str, actor: str, now: datetime) -> Ticket:
    """Take a sum off the QR code, and cancel the payments that were opened for it.

    Raises TicketClosed if it was paid or withdrawn, or has expired.
    """
    ticket = Ticket.objects.locked_open(counter_id, ticket_id, now)
    ticket.withdrawn_at = now
    ticket.save(update_fields=["withdrawn_at"])
    _cancel_payments(ticket, but="", actor=actor, cause="withdrawn at the counter", now=now)
    return ticket


def lock_ticket(ticket_id: str) -> Ticket:
    """Lock a ticket, before its payment, so that no other payment can take it meanwhile."""
    return Ticket.objects.select_for_update(no_key=True).get(pk=ticket_id)


def take_ticket(payment: Payment, *, actor: str, now: datetime) -> None:
    """Take the ticket for a payment that is being paid, and cancel the others opened for it.

    The ticket and the payment are locked. Raises TicketClosed if it was taken or withdrawn.
    """
    if payment.ticket_id is None:
        return
    ticket = Ticket.objects.get(pk=payment.ticket_id)
    if ticket.taken_at is not None or ticket.withdrawn_at is not None:
        raise TicketClosed
    ticket.taken_at, ticket.taken_by = now, payment
    ticket.save(update_fields=["taken_at", "taken_by"])
    _cancel_payments(ticket, but=payment.id, actor=actor, cause="paid with another phone", now=now)


def _cancel_payments(ticket: Ticket, *, but: str, actor: str, cause: str, now: datetime) -> None:
    opened = Payment.objects.filter(ticket=ticket, status__in=EXPIRABLE).exclude(pk=but)
    locked = opened.select_related("merchant").select_for_update(no_key=True, of=("self",))
    for payment in locked.order_by("pk")[:MOST_CANCELED]:
        if payment.status_at(now) == PaymentStatus.EXPIRED:
            continue
        waits = payment.status == PaymentStatus.REQUIRES_ACTION
        path = (PaymentStatus.PENDING,) if waits else ()
        move_and_report(payment, *path, PaymentStatus.CANCELED, now=now, actor=actor, cause=cause)
