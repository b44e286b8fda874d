"""Call when a request expires as elsewhere; the column keeps its name, for the previous release."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("backoffice", "0025_owned_words")]

    operations = [
        migrations.AlterField(
            "Instruction", "lapses_at", models.DateTimeField(db_column="lapses_at")
        ),
        migrations.RenameField("Instruction", "lapses_at", "expires_at"),
    ]
