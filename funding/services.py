"""The life of a top-up: ordered by a customer, credited when its money arrives, or ended.

Locks are taken in the order bank entry, top-up, link, ticket, payment, customer,
ledger account.
"""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Coalesce

from core.creditor_references import new_reference
from core.errors import InvalidAmount
from core.ids import new_id
from core.money import MAX_AMOUNT
from customers.magic_phones import is_protected
from customers.models import Customer
from customers.services import top_up as put_into_wallet
from funding.errors import FundingLimitReached, TopUpNotFound
from funding.models import FundingWay, TopUp, TopUpTransition
from funding.notices import plan_receipt
from funding.providers import provider_of
from funding.statuses import TopUpStatus
from payments.models import Payment

DAY = timedelta(days=1)


@transaction.atomic
def order_top_up(
    *,
    customer_id: str,
    way: str,
    amount: int,
    currency: str,
    now: datetime,
    payment: Payment | None = None,
) -> TopUp:
    """Create a customer's order to add money, for a payment or for later.

    An identical order returns the pending top-up. Raises InvalidAmount, WayNotOffered,
    CustomerFrozen, FundingLimitReached.
    """
    customer = Customer.objects.locked(customer_id)
    customer.refuse_frozen()
    if not 0 < amount <= MAX_AMOUNT:
        raise InvalidAmount(amount=f"must be from 1 to {MAX_AMOUNT} of the smallest unit")
    provider = provider_of(way, livemode=customer.livemode, currency=currency)
    same = TopUp.objects.waiting(now).filter(
        customer=customer, payment=payment, way=way, amount=amount, currency=currency
    )
    if known := same.order_by("pk").first():
        return known
    refuse_above_day_limit(customer, amount, now=now)
    return open_top_up(
        customer=customer,
        way=provider.way,
        amount=amount,
        currency=currency,
        expires_at=now + provider.lifetime,
        actor=f"customer:{customer.pk}",
        now=now,
        payment=payment,
    )


def open_top_up(
    *,
    customer: Customer,
    way: FundingWay,
    amount: int,
    currency: str,
    expires_at: datetime,
    actor: str,
    now: datetime,
    payment: Payment | None = None,
) -> TopUp:
    """Create a pending top-up, in the caller's transaction."""
    top_up = TopUp.objects.create(
        id=new_id("top", now),
        customer=customer,
        payment=payment,
        livemode=customer.livemode,
        way=way,
        amount=amount,
        currency=currency,
        reference=new_reference(),
        created_at=now,
        updated_at=now,
        expires_at=expires_at,
    )
    TopUpTransition.objects.create(
        top_up=top_up, to_status=TopUpStatus.PENDING, at=now, actor=actor
    )
    return top_up


def refuse_above_day_limit(
    customer: Customer, amount: int, *, now: datetime, besides: Collection[str] = ()
) -> None:
    """Raise FundingLimitReached if a customer would exceed the daily limit.

    The customer's row is locked. The sum excludes the top-ups `besides`. A pending top-up counts
    for a day from its order, a credited one for a day from its arrival. Currencies are summed
    unconverted, as in `payments.risk`; test customers have no limit.
    """
    if not is_protected(customer):
        return
    own = TopUp.objects.filter(customer=customer).exclude(pk__in=[*besides]).order_by()
    on_its_way = own.pending().filter(created_at__gt=now - DAY)
    arrived = own.filter(status=TopUpStatus.SUCCEEDED, succeeded_at__gt=now - DAY)
    counted: int = on_its_way.aggregate(sum=Coalesce(Sum("amount"), 0))["sum"]
    counted += arrived.aggregate(sum=Coalesce(Sum("amount_received"), 0))["sum"]
    left = max(0, settings.FUNDING_DAY_AMOUNT - counted)
    if amount > left:
        raise FundingLimitReached(left)


def credit_locked(top_up: TopUp, *, amount: int, actor: str, now: datetime) -> None:
    """Credit the received amount, in cents, to the wallet. The row must be locked.

    The ledger accepts it once per top-up. Raises TopUpStatusUnfit before anything is written.
    """
    top_up.amount_received = amount
    top_up.transaction_id = new_id("txn", now)
    top_up.transition_to(TopUpStatus.SUCCEEDED, now=now, actor=actor)
    put_into_wallet(
        customer=top_up.customer,
        amount=amount,
        currency=top_up.currency,
        now=now,
        description=f"Top-up by {top_up.get_way_display()}",
        reference=top_up.pk,
        transaction_id=top_up.transaction_id,
    )
    if top_up.payment_id is None:
        plan_receipt(top_up, now=now)


@transaction.atomic
def credit_top_up(*, top_up_id: str, amount: int, actor: str, now: datetime) -> TopUp:
    """Credit a top-up to the wallet. Raises TopUpNotFound, TopUpStatusUnfit."""
    top_up = TopUp.objects.locked(top_up_id)
    credit_locked(top_up, amount=amount, actor=actor, now=now)
    return top_up


@transaction.atomic
def fail_top_up(*, top_up_id: str, problem: str, actor: str, now: datetime) -> TopUp:
    """Record that no money will come. Raises TopUpNotFound, TopUpStatusUnfit."""
    top_up = TopUp.objects.locked(top_up_id)
    top_up.transition_to(TopUpStatus.FAILED, now=now, actor=actor, cause=problem[:255])
    return top_up


@transaction.atomic
def cancel_top_up(*, top_up_id: str, customer_id: str, now: datetime) -> TopUp:
    """Cancel a top-up of this customer. Raises TopUpNotFound, TopUpStatusUnfit."""
    top_up = TopUp.objects.locked(top_up_id)
    if top_up.customer_id != customer_id:
        raise TopUpNotFound
    top_up.transition_to(TopUpStatus.CANCELED, now=now, actor=f"customer:{customer_id}")
    return top_up


@transaction.atomic
def expire_top_up(*, top_up_id: str, now: datetime) -> bool:
    """Expire a top-up whose money has not come in time; return whether it was due."""
    top_up = TopUp.objects.locked(top_up_id)
    if top_up.status_at(now) == top_up.status:
        return False
    top_up.transition_to(TopUpStatus.EXPIRED, now=now, actor="system:funding.expire")
    return True
