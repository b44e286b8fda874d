"""Lists of payment links: the words of a merchant's are found without those of others."""

from django.db import migrations

from core.schema import CreateSearchIndexOnline, DropIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("links", "0005_composed_words"),
    ]

    operations = [
        CreateSearchIndexOnline(
            "link_owned_words",
            "links_paymentlink USING gin ((to_tsvector('simple'::regconfig, regexp_replace("
            "lower(normalize(coalesce(description, ''))), '[^[:alnum:]]+', ' ', 'g'))"
            " || array_to_tsvector(ARRAY['@' || merchant_id])))",
        ),
        DropIndexOnline("link_composed_words"),
    ]
