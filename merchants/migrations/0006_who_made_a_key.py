"""Who made a key, and which one it replaced: the keys there are have neither recorded."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("merchants", "0005_key_scopes")]

    operations = [
        migrations.AddField(
            model_name="apikey",
            name="created_by",
            field=models.CharField(max_length=100, null=True),
        ),
        migrations.AddField(
            model_name="apikey",
            name="replaces",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="merchants.apikey",
            ),
        ),
    ]
