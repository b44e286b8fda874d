"""What customers do themselves to keep others out: sign devices out, and freeze the wallet."""

from datetime import datetime

from django.db import transaction

from customers.models import Customer, CustomerSession
from customers.security_alerts import SecurityChange, plan_notice
from customers.services import freeze
from customers.sessions import lock_customer_of

MOST_SHOWN = 50


def open_sessions_of(customer: Customer, *, now: datetime) -> list[CustomerSession]:
    """Return the open sessions of a customer, the one used last first.

    At most MOST_SHOWN, and one more if there are more.
    """
    opened = CustomerSession.objects.open(now).filter(customer=customer)
    return list(opened.order_by("-last_seen_at", "-pk")[: MOST_SHOWN + 1])


@transaction.atomic
def end_other_session(*, session: CustomerSession, handle: str, now: datetime) -> bool:
    """Sign out another device of the customer who is signed in here, by the handle of its session.

    Returns whether there was one: it may have ended before, or the page may name it as an older
    release did. Raises as `freeze_own_wallet`.
    """
    customer = lock_customer_of(session)
    others = CustomerSession.objects.open(now).filter(customer=customer).exclude(pk=session.pk)
    chosen = [other.pk for other in others if other.handle == handle]
    return others.filter(pk__in=chosen).update(ended_at=now) > 0


@transaction.atomic
def end_other_sessions(*, session: CustomerSession, now: datetime) -> None:
    """Sign out every other device of the customer who is signed in here.

    Of two that sign each other out, the first stays. Raises as `freeze_own_wallet`.
    """
    customer = lock_customer_of(session)
    CustomerSession.objects.end_others(customer.pk, session.pk, now=now)


@transaction.atomic
def freeze_own_wallet(*, session: CustomerSession, now: datetime) -> None:
    """Freeze the wallet of the customer who is signed in, and tell them; only staff unfreeze it.

    Any session is enough: a thief can do worse with a stolen one, and an owner whose phone is gone
    has no time to prove more. Raises CustomerFrozen, or VerificationFailed if the session ended.
    """
    customer = lock_customer_of(session)
    freeze(
        customer_id=customer.pk,
        actor=f"customer:{customer.pk}",
        cause="On the customer's own page.",
        now=now,
    )
    plan_notice(customer, SecurityChange.FROZEN, now=now, is_limited=False)
