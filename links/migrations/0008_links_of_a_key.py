"""The links that one API key has made are found by an index."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("links", "0007_who_made_a_link")]

    operations = [
        AddIndexOnline(
            model_name="paymentlink",
            index=models.Index(
                condition=models.Q(("created_by__isnull", False)),
                fields=["created_by", "-id"],
                name="link_made_by",
            ),
        ),
    ]
