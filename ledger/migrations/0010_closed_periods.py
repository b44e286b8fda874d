"""Note until when statements have been made of an account."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("ledger", "0009_tips"),
    ]

    operations = [
        migrations.AddField(
            model_name="account",
            name="closed_until",
            field=models.DateTimeField(null=True),
        ),
    ]
