"""The URLs of a merchant's counter screens can be replaced: each time makes others."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("merchants", "0007_verified_at")]

    operations = [
        migrations.AddField("merchant", name, models.PositiveIntegerField(db_default=0, default=0))
        for name in ("live_screens_renewed", "test_screens_renewed")
    ]
