"""Reconcile every batch with its payouts, its orders and their bank accounts, both ways."""

from collections.abc import Iterator

from django.db.models import Count, F, Prefetch, Q, Sum

from ledger.reconciliation import CHUNK, Faults, any_of, name_each
from payouts.batches import digest_of
from payouts.models import Payout, PayoutBatch, PayoutOrder
from payouts.statuses import PayoutStatus

BATCHES_AT_ONCE = 10  # of at most 500 orders each
_NEVER_LEFT = (PayoutStatus.SCHEDULED, PayoutStatus.CANCELED)


def check_batches() -> Iterator[str]:
    """Yield a sentence for each batch, payout or order that differs from what the bank was told."""
    left = Payout.objects.exclude(batch=None)
    if not any_of(PayoutBatch.objects.all(), PayoutOrder.objects.all(), left):
        return
    yield from _check_sums()
    yield from name_each(_wrong_membership)
    yield from _check_contents()


def _check_sums() -> Iterator[str]:
    counted = PayoutBatch.objects.annotate(
        proven_count=Count("orders"), proven_amount=Sum("orders__amount")
    )
    wrong = counted.exclude(count=F("proven_count"), total_amount=F("proven_amount"))
    for batch in wrong.order_by("pk").iterator(chunk_size=CHUNK):
        yield (
            f"Batch {batch.pk} says {batch.count} payouts of {batch.total_amount};"
            f" its {batch.proven_count} orders make {batch.proven_amount or 0}."
        )


def _wrong_membership() -> Faults:
    """Check that payout and order name the same batch, and that the payout has left."""
    same = Q(order__batch=F("batch"), order__amount=F("amount"))
    yield (
        "Payout {pk} is in batch {batch_id}, whose orders do not say so.",
        Payout.objects.exclude(batch=None).exclude(same),
    )
    yield (
        "Payout {pk} was ordered in batch {batch_id}, but is not in it.",
        PayoutOrder.objects.exclude(batch=F("payout__batch")),
    )
    yield (
        "Payout {pk} was ordered from the bank, but has not left.",
        PayoutOrder.objects.filter(payout__status__in=_NEVER_LEFT),
    )


def _check_contents() -> Iterator[str]:
    sorted_orders = PayoutOrder.objects.order_by("payout_id").select_related("payout__bank_account")
    batches = PayoutBatch.objects.exclude(orders_hash="").order_by("pk")
    with_orders = batches.prefetch_related(Prefetch("orders", sorted_orders))
    for batch in with_orders.iterator(chunk_size=BATCHES_AT_ONCE):
        orders = list(batch.orders.all())
        if digest_of(batch.execution_date, orders) != batch.orders_hash:
            yield f"The orders of batch {batch.pk} were changed."
        for order in orders:
            if _told(order) != _known(order):
                yield f"The bank account of payout {order.pk} was changed after it had left."


def _told(order: PayoutOrder) -> tuple[str, ...]:
    return (order.holder_name, order.bic, order.clearing_code, order.decrypt_number())


def _known(order: PayoutOrder) -> tuple[str, ...]:
    account = order.payout.bank_account
    return (account.holder_name, account.bic, account.clearing_code, account.decrypt_number())
