"""The index of customers' addresses, which SQLite has lost: it builds a changed table anew."""

from django.db import migrations

INDEX = "office_customer_email ON customers_customer (LOWER(email)) WHERE email <> ''"


class Migration(migrations.Migration):
    dependencies = [
        ("backoffice", "0007_insiders"),
        ("customers", "0007_erasure"),
    ]

    operations = [
        migrations.RunSQL(f"CREATE INDEX IF NOT EXISTS {INDEX}", migrations.RunSQL.noop),
    ]
