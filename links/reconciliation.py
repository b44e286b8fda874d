"""Prove the counts of each link from its uses."""

from collections.abc import Iterator

from django.db.models import BigIntegerField, Count, F, OuterRef, Q, Subquery, Sum
from django.db.models.functions import Coalesce

from ledger.reconciliation import any_of, each
from links.models import LinkUse, PaymentLink


def check_links() -> Iterator[str]:
    """Yield a sentence for each link whose counts are not those of its uses."""
    if not any_of(PaymentLink.objects.all(), LinkUse.objects.all()):
        return
    counted = LinkUse.objects.filter(link=OuterRef("pk"), counted=True).order_by().values("link")
    links = PaymentLink.objects.annotate(
        proven_uses=Coalesce(Subquery(counted.annotate(n=Count("pk")).values("n")), 0),
        proven_amount=Coalesce(
            Subquery(counted.annotate(n=Sum("amount")).values("n")),
            0,
            output_field=BigIntegerField(),
        ),
    )
    wrong = links.exclude(uses_count=F("proven_uses"), amount_collected=F("proven_amount"))
    fields = ("pk", "uses_count", "amount_collected", "proven_uses", "proven_amount")
    for pk, uses, collected, *proven in wrong.order_by("pk").values_list(*fields):
        yield (
            f"Link {pk} counts {uses} uses of {collected}; its uses are {proven[0]} of {proven[1]}."
        )
    yield from _check_fixed_amounts()


def _check_fixed_amounts() -> Iterator[str]:
    other = LinkUse.objects.filter(~Q(link__amount=F("amount")), link__amount__isnull=False)
    for use in each(other):
        yield f"Use {use.pk} of link {use.link_id} is of {use.amount}, not of the link's amount."
