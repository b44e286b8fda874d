"""A request on which no one has decided is called expired, wherever staff read of it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("backoffice", "0016_long_queries")]

    operations = [
        migrations.AlterField(
            model_name="instruction",
            name="status",
            field=models.CharField(
                choices=[
                    ("waiting", "waits for approval"),
                    ("carried_out", "carried out"),
                    ("declined", "declined"),
                    ("withdrawn", "withdrawn"),
                    ("lapsed", "expired"),
                ],
                default="waiting",
                max_length=16,
            ),
        ),
    ]
