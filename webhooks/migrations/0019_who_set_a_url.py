"""Who named the URL of an endpoint, and when: for those there are, it was not recorded."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("webhooks", "0018_feed_of_a_type")]

    operations = [
        migrations.AddField(
            model_name="webhook",
            name="url_set_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="webhook",
            name="url_set_by",
            field=models.CharField(max_length=100, null=True),
        ),
    ]
