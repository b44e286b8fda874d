"""Whose endpoint failed, beside each outage of which the merchant was told.

The previous release stores none: its outages are on the pages of endpoints and payments only.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("merchants", "0001_initial"),
        ("webhooks", "0022_endpoint_outages"),
    ]

    operations = [
        migrations.AddField(
            model_name="endpointoutage",
            name="merchant",
            field=models.ForeignKey(
                db_constraint=False,
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="merchants.merchant",
            ),
        ),
    ]
