"""An export keeps the address of its list, however many filters and columns that names."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("backoffice", "0015_waiting_views")]

    operations = [
        migrations.AlterField(
            model_name="exportrun",
            name="query",
            field=models.TextField(blank=True, default=""),
        ),
    ]
