"""No list has the events of all merchants by their instants: staff's is in the order of ids."""

from django.db import migrations

from core.schema import RemoveIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("webhooks", "0025_payout_canceled")]

    operations = [RemoveIndexOnline("event", "event_newest_of_all")]
