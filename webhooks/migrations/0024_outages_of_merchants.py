"""The merchants of earlier outages, a few thousand at a time, and the index of their pages."""

from datetime import timedelta
from typing import Any

from django.db import migrations, models
from django.db.models import F, Max, OuterRef, Subquery

from core.schema import AddIndexOnline

BATCH = 2_000
TOLD_FROM = timedelta(minutes=5)


def add_merchants(apps: Any, schema_editor: Any) -> None:
    """Each batch is a transaction: no sender waits for long, and a repeated run goes on."""
    outages = apps.get_model("webhooks", "EndpointOutage").objects.all()
    endpoints = apps.get_model("webhooks", "Webhook").objects.filter(pk=OuterRef("webhook"))
    told = outages.filter(merchant=None, until__gte=F("since") + TOLD_FROM)
    after = 0
    while True:
        batch = outages.filter(pk__gt=after).order_by("pk")[:BATCH]
        last = batch.aggregate(last=Max("pk"))["last"]
        if last is None:
            return
        these = told.filter(pk__gt=after, pk__lte=last)
        these.update(merchant=Subquery(endpoints.values("merchant")))
        after = last


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("webhooks", "0023_merchants_of_outages")]

    operations = [
        migrations.RunPython(add_merchants, migrations.RunPython.noop),
        AddIndexOnline(
            model_name="endpointoutage",
            index=models.Index(
                condition=models.Q(("merchant__isnull", False)),
                fields=["merchant", "-until", "-id"],
                name="outage_newest_told",
            ),
        ),
    ]
