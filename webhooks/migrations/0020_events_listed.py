"""The index of the list of events says which are samples: the list leaves them out."""

from django.db import migrations, models

from core.schema import AddIndexOnline, RemoveIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("webhooks", "0019_who_set_a_url")]

    operations = [
        AddIndexOnline(
            model_name="event",
            index=models.Index(
                fields=["merchant", "livemode", "-created_at", "-id", "is_test"],
                name="event_listed",
            ),
        ),
        RemoveIndexOnline(model_name="event", name="event_newest"),
    ]
