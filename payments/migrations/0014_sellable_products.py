"""Tills: a product that was stored without a name or a price, and cannot be sold, is removed."""

from typing import Any

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

NEEDED = {"name", "price", "currency"}


def drop_incomplete_products(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Keep the complete products of each till, in their order.

    `updated_at` stays: it says when the merchant last changed the till.
    """
    tills = apps.get_model("payments", "Till").objects
    for till in tills.order_by("pk").select_for_update(of=("self",), no_key=True):
        sellable = [each for each in till.products if _is_complete(each)]
        if sellable != till.products:
            tills.filter(pk=till.pk).update(products=sellable)


def _is_complete(product: dict[str, Any]) -> bool:
    return product.keys() >= NEEDED


class Migration(migrations.Migration):
    dependencies = [
        ("payments", "0013_status_in_indexes"),
    ]

    operations = [migrations.RunPython(drop_incomplete_products, migrations.RunPython.noop)]
