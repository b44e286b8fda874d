"""Lists of links: the pairs of a merchant's are found without those of others."""

from django.db import migrations

from core.column_statistics import KeepStatistics
from core.schema import CreateSearchIndexOnline, DropIndexOnline

OWNED_PAIRS = "jsonb_set('{}', ARRAY[merchant_id::text], metadata)"


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("links", "0008_links_of_a_key")]

    operations = [
        CreateSearchIndexOnline(
            "link_owned_pairs",
            f"links_paymentlink USING gin (({OWNED_PAIRS}) jsonb_path_ops)"
            " WHERE NOT (metadata = '{}')",
        ),
        KeepStatistics("link_owned_pairs_known", "links_paymentlink", OWNED_PAIRS),
        DropIndexOnline("link_metadata"),
    ]
