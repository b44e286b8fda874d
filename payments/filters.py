"""How a list of payments can be narrowed, and the form its QR payload takes."""

from collections.abc import Mapping

from django.conf import settings

from core.errors import InvalidRequest
from core.queries import created_before, created_from, exactly, one_of
from payments.modes import PaymentMode
from payments.qr import QRFormat
from payments.statuses import PaymentStatus

READERS = {
    "start_date": created_from,
    "end_date": created_before,
    "payment_mode": one_of(PaymentMode.values),
    "reference": exactly,
    "order_id": exactly,
    "invoice_number": exactly,
    "customer_id": exactly,
    "static_payment_id": exactly,
}
FILTERS = {
    "status": f"One of {', '.join(PaymentStatus.values)}.",
    "start_date": "Created from this date or instant on.",
    "end_date": "Created before this instant, or until the end of this date.",
    "payment_mode": f"One of {', '.join(PaymentMode.values)}.",
    "reference": "The reference given at creation.",
    "order_id": "The order id given at creation.",
    "invoice_number": "The invoice number given at creation.",
    "customer_id": "Paid by this customer.",
    "static_payment_id": "Paid at this counter.",
}


def status_of(query: Mapping[str, str]) -> str | None:
    """Read the status filter. Raises InvalidRequest naming what is allowed."""
    given = query.get("status")
    return None if given is None else one_of(PaymentStatus.values)("status", given)["status"]


def chosen_format(values: Mapping[str, str]) -> QRFormat:
    """Read `qr_format`; without it, the form configured. Raises InvalidRequest."""
    given = values.get("qr_format", settings.QR_PAYLOAD)
    if given not in QRFormat.values:
        raise InvalidRequest(qr_format=f"must be one of {', '.join(QRFormat.values)}")
    return QRFormat(given)
