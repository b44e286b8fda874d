"""Accounts that were an Administrator's once are marked, also those demoted by an older release."""

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

ROLE = "Administrator"


def mark_former(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Mark who has acted as an Administrator, or was given the role, by what was written down."""
    user = apps.get_model("auth", "User")
    account = apps.get_model("backoffice", "StaffAccount")
    entry = apps.get_model("backoffice", "AuditEntry")
    instruction = apps.get_model("backoffice", "Instruction")
    former = set(
        entry.objects.filter(roles__contains=ROLE).values_list("actor", flat=True).distinct()
    )
    made = entry.objects.filter(subject_type="staff", outcome="done")
    for username, after in made.values_list("subject_id", "after"):
        if ROLE in str(after):
            former.add(username)
    done = instruction.objects.filter(kind="staff", status="carried_out")
    for username, arguments in done.values_list("subject_id", "arguments"):
        if ROLE in str(arguments.get("roles", "")):
            former.add(username)
    for pk in user.objects.filter(username__in=former).values_list("pk", flat=True):
        account.objects.update_or_create(user_id=pk, defaults={"was_administrator": True})


class Migration(migrations.Migration):
    dependencies = [("backoffice", "0009_erasure_kind")]

    operations = [
        migrations.AddField(
            model_name="staffaccount",
            name="was_administrator",
            field=models.BooleanField(default=False),
        ),
        migrations.RunPython(mark_former, migrations.RunPython.noop),
    ]
