"""What deliveries came to in a day, for the dashboard, and the list of those that ended in it."""

from django.db import migrations

from core.schema import CreateIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("backoffice", "0017_expired_requests"), ("webhooks", "0012_inquiries")]

    operations = [
        CreateIndexOnline(
            "office_delivery_ended", "webhooks_delivery (ended_at) WHERE ended_at IS NOT NULL"
        ),
    ]
