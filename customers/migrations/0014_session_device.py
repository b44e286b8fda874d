"""Sessions say on which kind of device they were opened; "" in those from before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("customers", "0013_code_attempts")]

    operations = [
        migrations.AddField(
            "CustomerSession",
            "device",
            models.CharField(db_default="", default="", max_length=20),
        ),
    ]
