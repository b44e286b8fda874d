from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("messaging", "0002_message_merchant"),
    ]

    operations = [
        migrations.CreateModel(
            name="Outage",
            fields=[
                (
                    "channel",
                    models.CharField(
                        choices=[("email", "Email"), ("sms", "Sms")],
                        max_length=8,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("since", models.DateTimeField()),
                ("failed_at", models.DateTimeField()),
                ("retry_at", models.DateTimeField()),
                ("failures", models.PositiveIntegerField()),
                ("reason", models.CharField(max_length=200)),
            ],
        ),
    ]
