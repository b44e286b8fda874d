"""Cash top-ups: staff take the cash, and the customer confirms it with a code sent by SMS.

The code is a second channel: no wallet is filled without the customer's phone, and the message
states the amount that the customer confirms to have handed over.
"""

from datetime import datetime
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F

from core.formats import money_and_code
from core.instants import today_in
from customers.codes import check_code, request_code
from customers.models import CodePurpose, Customer
from funding.errors import CashCodeMissing, CashLimitReached, TopUpStatusUnfit
from funding.models import CashDay, FundingWay, TopUp
from funding.services import credit_locked, refuse_above_day_limit


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
    if top_up.amount > settings.FUNDING_CASH_DAY_AMOUNT - _taken(top_up, agent, now):
        raise CashLimitReached
    handle = request_code(
        phone=top_up.customer.phone,
        livemode=top_up.livemode,
        purpose=CodePurpose.CASH,
        address=address,
        now=now,
        amount=partial(money_and_code, top_up.amount, top_up.currency),
        is_recognized=True,
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

    Checks the daily limit again: orders from three days may all be paid on one.
    Raises TopUpNotFound, TopUpStatusUnfit, CashLimitReached, FundingLimitReached.
    """
    top_up = TopUp.objects.locked(top_up_id)
    refuse_no_cash(top_up, now=now)
    customer = Customer.objects.locked(top_up.customer_id)
    refuse_above_day_limit(customer, top_up.amount, now=now, besides=[top_up.pk])
    _count(top_up, agent, now)
    top_up.taken_by, top_up.code_handle = agent, ""
    credit_locked(top_up, amount=top_up.amount, actor=agent, now=now)
    return top_up


def _count(top_up: TopUp, agent: str, now: datetime) -> None:
    """Count the day's cash in one UPDATE, so that two concurrent ones cannot both fit."""
    day = _day(top_up, agent, now)
    CashDay.objects.bulk_create([CashDay(**day)], ignore_conflicts=True)
    most = settings.FUNDING_CASH_DAY_AMOUNT - top_up.amount
    fits = CashDay.objects.filter(**day, amount__lte=most)
    if not fits.update(amount=F("amount") + top_up.amount):
        raise CashLimitReached


def _taken(top_up: TopUp, agent: str, now: datetime) -> int:
    known = CashDay.objects.filter(**_day(top_up, agent, now))
    return known.values_list("amount", flat=True).first() or 0


def _day(top_up: TopUp, agent: str, now: datetime) -> dict[str, object]:
    return {
        "agent": agent,
        "livemode": top_up.livemode,
        "currency": top_up.currency,
        "day": today_in(settings.STAFF_TIME_ZONE, now),
    }
