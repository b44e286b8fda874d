"""The filter of lists by merchant."""

from django.db import connection
from django.test.utils import CaptureQueriesContext

from backoffice.resource.list_filters import merchants_named
from merchants.models import Merchant


def test_a_merchant_with_an_id_is_not_looked_for_among_all_names(merchant: Merchant) -> None:
    with CaptureQueriesContext(connection) as sent:
        assert merchants_named(merchant.pk) == [merchant]

    assert "LIKE" not in sent[0]["sql"].upper()
    assert merchants_named(merchant.name[1:]) == [merchant]
    assert merchants_named("mer_unknown") == []
