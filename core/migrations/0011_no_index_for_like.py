"""No statement looks for the beginning of a quota's key: Django's index for LIKE goes.

It is named after the table as it once was.
"""

from django.db import migrations

from core.schema import DropIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("core", "0010_counted_list_totals")]

    operations = [DropIndexOnline("customers_quota_key_25abb041_like")]
