"""Bring the counts on a link's row up to date with the uses that were only inserted."""

from django.db import transaction

from core.sweeping import sweep
from links.models import LinkUse, PaymentLink

BATCH = 1_000


def count_fresh_uses() -> int:
    """Count the uses that are not counted yet, link by link; return how many this call counted."""
    waiting = LinkUse.objects.filter(counted=False).order_by("link").values_list("link", flat=True)
    return sweep("count link uses", _count_locked, list(waiting.distinct()[:BATCH]))


def count_uses(link: PaymentLink) -> int:
    """Add all fresh uses of a locked link to the counts on its row; return how many."""
    counted = 0
    while batch := _count_batch(link):
        counted += batch
    return counted


@transaction.atomic
def _count_locked(link_id: str) -> int:
    return count_uses(PaymentLink.objects.locked(link_id))


def _count_batch(link: PaymentLink) -> int:
    fresh = LinkUse.objects.filter(link=link, counted=False).order_by("pk")
    rows = list(fresh.values_list("pk", "amount")[:BATCH])
    if rows:
        LinkUse.objects.filter(pk__in=[pk for pk, _ in rows]).update(counted=True)
        link.uses_count += len(rows)
        link.amount_collected += sum(amount for _, amount in rows)
        link.save(update_fields=["uses_count", "amount_collected"])
    return len(rows)
