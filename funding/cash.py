"""Cash top-ups: staff take the cash, and the customer confirms it with a code sent by SMS.

The code is a second channel: no wallet is filled without the customer's phone, and the message
states the amount that the customer confirms to have handed over.
"""

from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.db.models.functions import Coalesce

from core.formats import money_and_code
from core.instants import today_in
from customers.codes import check_code, request_code
from customers.models import CodePurpose, Customer
from funding.errors import CashCodeMissing, CashLimitReached, TopUpStatusUnfit
from funding.models import CashDay, FundingWay, TopUp
from funding.services import DAY, credit_locked, refuse_above_day_limit


def refuse_no_cash(top_up: TopUp, *, now: datetime) -> None:
    """Raise TopUpStatusUnfit unless cash can be taken for this top-up."""
    if top_up.way != FundingWay.AGENT:
        raise TopUpStatusUnfit(way=f"is {top_up.way}")
    if not top_up.takes_cash(now):
        raise TopUpStatusUnfit(status="is not waited for any more")


def send_cash_code(*, top_up_id: str, agent: str, address: str, now: datetime) -> TopUp:
    """Text the customer the code that confirms the cash. Call outside a transaction.

    Raises TopUpNotFound, TopUpStatusUnfit, CashLimitReached, FundingLimitReached, and as
    `request_code` does.
    """
    top_up = TopUp.objects.select_related("customer").one(top_up_id)
    refuse_no_cash(top_up, now=now)
    refuse_above_day_limit(top_up.customer, top_up.amount, now=now, besides=[top_up.pk])
    if top_up.amount > _room(top_up, agent, now):
        raise CashLimitReached
    handle = request_code(
        phone=top_up.customer.phone,
        livemode=top_up.livemode,
        purpose=CodePurpose.CASH,
        address=address,
        now=now,
        amount=partial(money_and_code, top_up.amount, top_up.currency),
        browser="cash",  # strangers cannot use up these codes either
    )
    TopUp.objects.pending().filter(pk=top_up_id).update(code_handle=handle, updated_at=now)
    return top_up


def check_cash_code(*, top_up_id: str, code: str, now: datetime) -> None:
    """Check the customer's code. Call outside a transaction: a rollback would undo the count.

    Raises TopUpNotFound, TopUpStatusUnfit, CashCodeMissing, and as `check_code` does.
    """
    top_up = TopUp.objects.select_related("customer").one(top_up_id)
    refuse_no_cash(top_up, now=now)
    if not top_up.code_handle:
        raise CashCodeMissing
    check_code(
        handle=top_up.code_handle,
        code=code,
        purpose=CodePurpose.CASH,
        now=now,
        customer=top_up.customer,
    )


@transaction.atomic
def take_cash(*, top_up_id: str, agent: str, now: datetime) -> TopUp:
    """Credit the wallet with cash that the customer has confirmed by `check_cash_code`.

    Checks the limit of 24 hours again: orders from three days may all be paid on one.
    Raises TopUpNotFound, TopUpStatusUnfit, CashLimitReached, FundingLimitReached.
    """
    top_up = TopUp.objects.locked(top_up_id)
    refuse_no_cash(top_up, now=now)
    customer = Customer.objects.locked(top_up.customer_id)
    refuse_above_day_limit(customer, top_up.amount, now=now, besides=[top_up.pk])
    _refuse_above_limit(top_up, agent, now)
    top_up.taken_by, top_up.code_handle = agent, ""
    credit_locked(top_up, amount=top_up.amount, actor=agent, now=now)
    return top_up


def _refuse_above_limit(top_up: TopUp, agent: str, now: datetime) -> None:
    """Raise CashLimitReached unless the limit of 24 hours has room for the cash.

    Locks the agent's rows of yesterday and today: two at the same instant cannot both fit, nor can
    one a moment before midnight and one after it.
    """
    of_agent = {"agent": agent, "livemode": top_up.livemode, "currency": top_up.currency}
    today = today_in(settings.STAFF_TIME_ZONE, now)
    days = [today - timedelta(days=1), today]
    CashDay.objects.bulk_create(
        [CashDay(**of_agent, day=day) for day in days], ignore_conflicts=True
    )
    list(CashDay.objects.select_for_update().filter(**of_agent, day__in=days).order_by("day"))
    if top_up.amount > _room(top_up, agent, now):
        raise CashLimitReached


def _room(top_up: TopUp, agent: str, now: datetime) -> int:
    """Return what an agent may still take, in cents. What was taken back since gives no room."""
    taken = taken_in_cash(agent, since=now - DAY).filter(
        livemode=top_up.livemode, currency=top_up.currency
    )
    total: int = taken.aggregate(sum=Coalesce(Sum("amount_received"), 0))["sum"]
    return settings.FUNDING_CASH_DAY_AMOUNT - total


def taken_in_cash(agent: str, *, since: datetime) -> QuerySet[TopUp]:
    """Return the top-ups that an agent has taken in cash after an instant, in no order."""
    # SQLite takes a partial index only where the query repeats its condition.
    taken = TopUp.objects.filter(taken_by=agent, succeeded_at__gt=since).exclude(taken_by="")
    return taken.order_by()
