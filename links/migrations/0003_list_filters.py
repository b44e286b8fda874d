"""Lists of payment links: an index of their metadata, and one of the words of their description."""

from django.db import migrations

from core.schema import CreateSearchIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("links", "0002_counted_lists"),
    ]

    operations = [
        CreateSearchIndexOnline(
            "link_metadata", "links_paymentlink USING gin (metadata jsonb_path_ops)"
        ),
        CreateSearchIndexOnline(
            "link_words",
            "links_paymentlink USING gin ((to_tsvector('simple'::regconfig,"
            " regexp_replace(lower(coalesce(description, '')), '[^[:alnum:]]+', ' ', 'g'))))",
        ),
    ]
