"""Lists of payments: words are found however their accents were typed."""

from django.db import migrations

from core.schema import CreateSearchIndexOnline, DropIndexOnline
from core.search import words_sql


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("payments", "0009_replacements"),
    ]

    operations = [
        CreateSearchIndexOnline(
            "payment_composed_words",
            "payments_payment USING gin"
            f" (({words_sql(['description', 'order_id', 'invoice_number', 'reference'])}))",
        ),
        DropIndexOnline("payment_words"),
    ]
