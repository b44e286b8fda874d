"""Cash is limited for any 24 hours: find what someone has taken within them."""

from django.db import migrations, models

from core.schema import AddIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("funding", "0004_what_was_proved")]

    operations = [
        AddIndexOnline(
            model_name="topup",
            index=models.Index(
                condition=models.Q(("taken_by", ""), _negated=True),
                fields=["taken_by", "succeeded_at"],
                name="top_up_in_cash",
            ),
        ),
    ]
