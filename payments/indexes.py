"""The indexes for lists, sweeps and foreign keys of payments.

Lists are read in index order, `-created_at, -id`, with an index per single-valued filter. Where the
status comes last, what also has a status is counted without its rows.
"""

from django.db import models
from django.db.models import Q

from payments.statuses import EXPIRABLE, PaymentStatus

INDEXES = (
    models.Index(fields=["merchant", "livemode", "-created_at", "-id"], name="payment_newest"),
    models.Index(
        fields=["merchant", "livemode", "status", "-created_at", "-id"],
        name="payment_by_status",
    ),
    models.Index(
        fields=["merchant", "livemode", "payment_mode", "-created_at", "-id"],
        name="payment_by_mode",
    ),
    models.Index(
        fields=["merchant", "livemode", "amount", "-created_at", "-id", "status"],
        name="payment_by_amount_status",
    ),
    models.Index(
        fields=["merchant", "livemode", "currency", "-created_at", "-id", "status"],
        name="payment_by_currency_status",
    ),
    models.Index(
        fields=["merchant", "livemode", "updated_at", "status"], name="payment_updated_status"
    ),
    models.Index(
        fields=["customer", "-created_at", "-id"],
        name="payment_of_customer",
        condition=Q(customer__isnull=False),
    ),
    models.Index(
        fields=["link", "-created_at", "-id"],
        name="payment_of_link",
        condition=Q(link__isnull=False),
    ),
    models.Index(
        fields=["static_payment", "-created_at", "-id"],
        name="payment_of_counter",
        condition=Q(static_payment__isnull=False),
    ),
    models.Index(fields=["ticket"], name="payment_of_ticket", condition=Q(ticket__isnull=False)),
    models.Index(
        fields=["expires_at"], name="payment_due", condition=Q(status__in=sorted(EXPIRABLE))
    ),
    models.Index(
        fields=["settles_at"],
        name="payment_settling",
        condition=Q(status=PaymentStatus.PROCESSING),
    ),
    models.Index(
        fields=["merchant", "reference"],
        name="payment_reference",
        condition=Q(reference__isnull=False),
    ),
    models.Index(
        fields=["merchant", "order_id"],
        name="payment_order",
        condition=Q(order_id__isnull=False),
    ),
    models.Index(
        fields=["merchant", "invoice_number"],
        name="payment_invoice",
        condition=Q(invoice_number__isnull=False),
    ),
)
