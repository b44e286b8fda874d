"""Lists of payments: an index for each filter that was added."""

from django.db import migrations, models

from core.schema import AddIndexOnline, CreateSearchIndexOnline


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("customers", "0007_erasure"),
        ("links", "0002_counted_lists"),
        ("merchants", "0003_email_confirmed"),
        ("payments", "0004_messages_of_tests"),
    ]

    operations = [
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "livemode", "amount", "-created_at", "-id"],
                name="payment_by_amount",
            ),
        ),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "livemode", "currency", "-created_at", "-id"],
                name="payment_by_currency",
            ),
        ),
        AddIndexOnline(
            model_name="payment",
            index=models.Index(
                fields=["merchant", "livemode", "updated_at"], name="payment_updated"
            ),
        ),
        CreateSearchIndexOnline(
            "payment_metadata", "payments_payment USING gin (metadata jsonb_path_ops)"
        ),
        CreateSearchIndexOnline(
            "payment_words",
            "payments_payment USING gin"
            " ((to_tsvector('simple'::regconfig, regexp_replace(lower("
            "coalesce(description, '') || ' ' || coalesce(order_id, '')"
            " || ' ' || coalesce(invoice_number, '') || ' ' || coalesce(reference, '')"
            "), '[^[:alnum:]]+', ' ', 'g'))))",
        ),
    ]
