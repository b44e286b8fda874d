"""Saved views of what waits for a decision go by the name of its queue."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

RENAMED = (
    ("/admin/merchants/merchant/", "change=pending", "queue=merchants-to-review"),
    ("/admin/payouts/bankaccount/", "state=pending", "queue=bank-accounts-to-review"),
    ("/admin/payouts/payout/", "status=unpaid", "status=failed%2Creturned"),
)


def rename(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    views = apps.get_model("backoffice", "SavedView").objects
    for path, old, new in RENAMED:
        for view in views.filter(path=path, query__contains=old):
            view.query = "&".join(new if part == old else part for part in view.query.split("&"))
            view.save(update_fields=["query"])


class Migration(migrations.Migration):
    dependencies = [("backoffice", "0014_amount_indexes")]

    operations = [migrations.RunPython(rename, migrations.RunPython.noop)]
