"""Lists of payment links: words are found however their accents were typed."""

from django.db import migrations

from core.schema import CreateSearchIndexOnline, DropIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("links", "0004_by_amount"),
    ]

    operations = [
        CreateSearchIndexOnline(
            "link_composed_words",
            "links_paymentlink USING gin ((to_tsvector('simple'::regconfig, regexp_replace("
            "lower(normalize(coalesce(description, ''))), '[^[:alnum:]]+', ' ', 'g'))))",
        ),
        DropIndexOnline("link_words"),
    ]
