"""What earlier releases stored in a till without a name or a price goes; what can be sold stays."""

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader

from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Till
from tests.client import Api

TEA = {"currency": "BSD", "name": "Tea", "price": 250}
CAKE = {"currency": "USD", "name": "Cake", "price": 450}
NAMELESS = {"currency": "BSD", "price": 900}
PRICELESS = {"currency": "BSD", "name": "Juice"}


def migrate() -> None:
    """Do what the migration does; its tables are today's."""
    migrations = MigrationLoader(None).disk_migrations
    (operation,) = migrations["payments", "0014_sellable_products"].operations
    with transaction.atomic():
        operation.code(apps, connection.schema_editor())  # type: ignore[attr-defined]  # it runs Python


@pytest.mark.each_on_postgres("what it locks and stores is its own")
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("products", "kept"),
    [
        ([NAMELESS], []),
        ([TEA, PRICELESS, CAKE, NAMELESS, {"currency": "BSD"}], [TEA, CAKE]),
        ([CAKE, TEA], [CAKE, TEA]),
        ([], []),
    ],
)
def test_a_till_is_read_again_without_what_cannot_be_sold(
    api: Api,
    merchant: Merchant,
    products: list[dict[str, object]],
    kept: list[dict[str, object]],
) -> None:
    changed_at = utc_now()
    till = Till.objects.create(
        merchant=merchant,
        livemode=False,
        products=products,
        tips_allowed=True,
        updated_at=changed_at,
    )

    migrate()

    answer = api(merchant).get("/v1/till")
    assert answer.status_code == 200
    assert answer.json()["products"] == kept
    assert answer.json()["tips_allowed"] is True
    till.refresh_from_db()
    assert till.updated_at == changed_at
