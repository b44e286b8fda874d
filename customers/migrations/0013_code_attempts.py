"""Call attempts at a code so; the column keeps its name, for the previous release."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("customers", "0012_own_email")]

    operations = [
        migrations.AlterField(
            "SignInCode",
            "tries",
            models.PositiveSmallIntegerField(default=0, db_column="tries"),
        ),
        migrations.RenameField("SignInCode", "tries", "attempts"),
    ]
