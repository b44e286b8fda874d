"""The index by which the search finds an API key by its last four characters."""

from django.db import migrations

from core.schema import CreateIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("backoffice", "0028_interval_figures"), ("merchants", "0001_initial")]

    operations = [CreateIndexOnline("office_key_ending", "merchants_apikey (LOWER(last_four))")]
