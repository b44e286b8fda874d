"""The deliveries that failed in a period, for the dashboard, without those that arrived in it."""

from django.db import migrations

from core.schema import CreateIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("backoffice", "0023_views_of_lists"), ("webhooks", "0012_inquiries")]

    operations = [
        CreateIndexOnline(
            "office_delivery_failed", "webhooks_delivery (ended_at) WHERE status = 'failed'"
        ),
    ]
