from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("core", "0006_background_runs"),
    ]

    operations = [
        migrations.AddField(
            model_name="taskrun",
            name="lease_until",
            field=models.DateTimeField(null=True),
        ),
    ]
