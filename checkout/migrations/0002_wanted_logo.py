import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("checkout", "0001_initial"),
        ("merchants", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="WantedLogo",
            fields=[
                (
                    "merchant",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="wanted_logo",
                        serialize=False,
                        to="merchants.merchant",
                    ),
                ),
                ("source_url", models.CharField(max_length=2048)),
                ("png", models.BinaryField(default=b"")),
                ("digest", models.CharField(blank=True, default="", max_length=16)),
                ("fault", models.CharField(blank=True, default="", max_length=255)),
                ("read_at", models.DateTimeField()),
            ],
        ),
    ]
