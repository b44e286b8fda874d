"""The list of events is found in an index that leaves out samples, as the list does."""

from django.db import migrations, models

from core.schema import AddIndexOnline, RemoveIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("webhooks", "0019_who_set_a_url")]

    operations = [
        AddIndexOnline(
            model_name="event",
            index=models.Index(
                condition=models.Q(("is_test", False)),
                fields=["merchant", "livemode", "-created_at", "-id"],
                name="event_listed",
            ),
        ),
        RemoveIndexOnline(model_name="event", name="event_newest"),
    ]
