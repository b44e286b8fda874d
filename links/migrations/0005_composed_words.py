"""Lists of payment links: words are found however their accents were typed."""

from django.db import migrations

from core.schema import CreateSearchIndexOnline, DropIndexOnline
from core.search import words_sql


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("links", "0004_by_amount"),
    ]

    operations = [
        CreateSearchIndexOnline(
            "link_composed_words",
            f"links_paymentlink USING gin (({words_sql(['description'])}))",
        ),
        DropIndexOnline("link_words"),
    ]
