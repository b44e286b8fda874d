"""What a customer has paid for is kept where the merchant changes the description afterwards."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("payments", "0010_composed_words"),
    ]

    operations = [
        migrations.AddField(
            model_name="payment",
            name="paid_description",
            field=models.CharField(max_length=500, null=True),
        ),
    ]
