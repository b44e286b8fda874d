"""Prove the counts of each link from its uses."""

from collections.abc import Iterator

from django.db.models import BigIntegerField, Count, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from ledger.reconciliation import Faults, any_of, name_each
from links.models import LinkUse, PaymentLink


def check_links() -> Iterator[str]:
    """Yield a sentence for each link whose counts are not those of its uses."""
    if any_of(PaymentLink.objects.all(), LinkUse.objects.all()):
        yield from name_each(_wrong_counts)
        yield from name_each(_other_amounts)


def _wrong_counts() -> Faults:
    counted = LinkUse.objects.filter(link=OuterRef("pk"), counted=True).order_by().values("link")
    links = PaymentLink.objects.annotate(
        proven_uses=Coalesce(Subquery(counted.annotate(n=Count("pk")).values("n")), 0),
        proven_amount=Coalesce(
            Subquery(counted.annotate(n=Sum("amount")).values("n")),
            0,
            output_field=BigIntegerField(),
        ),
    )
    yield (
        "Link {pk} counts {uses_count} uses of {amount_collected};"
        " its uses are {proven_uses} of {proven_amount}.",
        links.exclude(uses_count=F("proven_uses"), amount_collected=F("proven_amount")),
    )


def _other_amounts() -> Faults:
    yield (
        "Use {pk} of link {link_id} is of {amount}, not of the link's amount.",
        LinkUse.objects.filter(~Q(link__amount=F("amount")), link__amount__isnull=False),
    )
