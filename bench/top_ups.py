"""A thousand top-ups after a signed head, and the incremental proof of them."""

from collections.abc import Callable

COUNT, AMOUNT = 1_000, 1_000


def add_top_ups(seal: Callable[[], None]) -> Callable[[], object]:
    """Prove everything up to a signed head, add top-ups, and return the next proof to run."""
    from datetime import timedelta

    from core.clock import utc_now
    from customers.models import Customer
    from customers.services import top_up
    from ledger.checkpoints import sign_head
    from ledger.proving import prove_if_due

    now = utc_now()
    seal()
    sign_head(now=now)
    prove_if_due(now=now)
    payer = Customer.objects.earliest("pk")
    for _ in range(COUNT):
        top_up(customer=payer, amount=AMOUNT, currency="BSD", now=now)
    seal()
    sign_head(now=now)
    return lambda: prove_if_due(now=now + timedelta(minutes=6))
