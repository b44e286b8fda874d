"""Call an attempt what it is: table, column and index keep their names, for the previous release.

The rights of Django's admin, which none of ours reads, are renamed with the model, so that the
old ones are not left behind.
"""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ACTIONS = ("add", "change", "delete", "view")


def rename_permissions(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _rename(apps, "verification try", "verification attempt")


def restore_permissions(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    _rename(apps, "verification attempt", "verification try")


def _rename(apps: StateApps, before: str, after: str) -> None:
    known = apps.get_model("auth", "Permission").objects.filter(content_type__app_label="checkout")
    for action in ACTIONS:
        known.filter(codename=f"{action}_{before.replace(' ', '')}").update(
            codename=f"{action}_{after.replace(' ', '')}", name=f"Can {action} {after}"
        )


class Migration(migrations.Migration):
    dependencies = [
        ("checkout", "0002_wanted_logo"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.AlterModelTable("VerificationTry", "checkout_verificationtry"),
        migrations.RenameModel("VerificationTry", "VerificationAttempt"),
        migrations.AlterField(
            "VerificationAttempt", "tried_at", models.DateTimeField(db_column="tried_at")
        ),
        migrations.RenameField("VerificationAttempt", "tried_at", "attempted_at"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex("VerificationAttempt", "verification_tries"),
                migrations.AddIndex(
                    "VerificationAttempt",
                    models.Index(fields=["payment_id", "attempted_at"], name="verification_tries"),
                ),
            ]
        ),
        migrations.RunPython(rename_permissions, restore_permissions),
    ]
