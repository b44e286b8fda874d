"""Whether a periodic task would find work: a look of beat before it sends a tick.

A look is a statement or two that an index answers; a tick is two processes, a broker and a dozen
statements. A look may find what the task then leaves, but nothing that a task waits for may be
missing here.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet

from backoffice.models import ResendRun
from backoffice.services.exports import due_exports
from core.counts import unfolded_entries
from funding.collecting import to_collect
from funding.models import TopUp
from ledger.models import UnsealedTransfer, WaitingEntry
from links.models import LinkUse, PaymentLink
from messages.models import Message
from messages.planning import planned_ahead
from payments.expiry import due_to_settle
from payments.models import Payment
from payouts.account_statements import due_statements
from webhooks.delivery.future_dates import dated_ahead
from webhooks.redelivery import unfinished_recoveries, with_undeliverable

Rows = Iterable[QuerySet[Any, Any]]

# By the task's name in the schedule, what it waits for: rows, or the time of rows.
WAITING: dict[str, Callable[[datetime], Rows]] = {
    "send webhooks": lambda now: (),  # dispatchers look for themselves, each second
    "tidy webhooks": lambda now: (unfinished_recoveries(), with_undeliverable(), *dated_ahead(now)),
    "send messages": lambda now: (Message.objects.due(now), planned_ahead(now)),
    "seal transfers": lambda now: (UnsealedTransfer.objects.all(), WaitingEntry.objects.all()),
    "count link uses": lambda now: (LinkUse.objects.filter(counted=False),),
    "expire links": lambda now: (PaymentLink.objects.due_to_expire(now),),
    "expire payments": lambda now: (Payment.objects.due_to_expire(now),),
    "settle payments": lambda now: (due_to_settle(now),),
    "fold counts": lambda now: (unfolded_entries(),),
    "collect top-ups": lambda now: (to_collect(now), TopUp.objects.to_follow_up()),
    "make statements": lambda now: (due_statements(now),),
    "make exports": lambda now: (due_exports(now),),
    "resend webhooks": lambda now: (ResendRun.objects.filter(finished_at=None),),
}


def may_find_work(task: str, *, now: datetime) -> bool:
    """Return whether a task of the schedule may find work; True for one without a look."""
    look = WAITING.get(task)
    return look is None or any(rows.exists() for rows in look(now))
