"""Who made a link: of the links there are, it was not recorded."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("links", "0006_owned_words")]

    operations = [
        migrations.AddField(
            model_name="paymentlink",
            name="created_by",
            field=models.CharField(max_length=100, null=True),
        ),
    ]
