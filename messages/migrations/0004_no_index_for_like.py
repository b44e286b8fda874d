"""The beginning of a message's key is asked for with whom it is about: Django's index for LIKE goes."""

from django.db import migrations

from core.schema import DropIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("messaging", "0003_outage")]

    operations = [DropIndexOnline("messaging_message_key_8b83c641_like")]
