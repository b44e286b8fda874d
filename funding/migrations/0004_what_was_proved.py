"""What a payment said it was for when it was proved: it is paid by itself for nothing else."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("funding", "0003_reversals"),
    ]

    operations = [
        migrations.AddField(
            model_name="paymentproof",
            name="description",
            field=models.CharField(max_length=500, null=True),
        ),
    ]
