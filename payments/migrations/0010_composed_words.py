"""Lists of payments: words are found however their accents were typed."""

from django.db import migrations

from core.schema import CreateSearchIndexOnline, DropIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("payments", "0009_replacements"),
    ]

    operations = [
        CreateSearchIndexOnline(
            "payment_composed_words",
            "payments_payment USING gin"
            " ((to_tsvector('simple'::regconfig, regexp_replace(lower(normalize("
            "coalesce(description, '') || ' ' || coalesce(order_id, '')"
            " || ' ' || coalesce(invoice_number, '') || ' ' || coalesce(reference, '')"
            ")), '[^[:alnum:]]+', ' ', 'g'))))",
        ),
        DropIndexOnline("payment_words"),
    ]
