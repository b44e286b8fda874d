"""Who made a link, and an index by which those of one API key are found."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("links", "0006_owned_words")]

    operations = [
        migrations.AddField(
            model_name="paymentlink",
            name="created_by",
            field=models.CharField(max_length=100, null=True),
        ),
        AddIndexOnline(
            model_name="paymentlink",
            index=models.Index(
                condition=models.Q(("created_by__isnull", False)),
                fields=["created_by", "-id"],
                name="link_made_by",
            ),
        ),
    ]
