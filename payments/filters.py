"""The filters of a list of payments, and the choice of a QR payload's format."""

from collections.abc import Mapping

from django.conf import settings

from core.errors import InvalidRequest
from core.queries import (
    AMOUNTS,
    CREATED,
    CSV_OR_JSON,
    METADATA,
    UPDATED,
    exactly,
    one_of,
    read_elsewhere,
    words_in,
)
from payments.modes import PaymentMode
from payments.qr_payload import QRFormat
from payments.statuses import PaymentStatus

FILTERS = {
    "format": CSV_OR_JSON,
    "status": one_of(PaymentStatus.values),
    **CREATED,
    **UPDATED,
    **AMOUNTS,
    "payment_mode": one_of(PaymentMode.values),
    "reference": exactly("The reference given at creation."),
    "order_id": exactly("The order id given at creation."),
    "invoice_number": exactly("The invoice number given at creation."),
    "customer_id": exactly("Paid by this customer."),
    "static_payment_id": exactly("Paid at this counter."),
    "payment_link_id": exactly("Opened through this payment link, whether or not paid.", "link_id"),
    **METADATA,
    "q": words_in("the description, the order id, the invoice number or the reference"),
}

# `values` rebuilds its list at every access, and every QR payload needs it.
_FORMATS = tuple(QRFormat.values)

QR_FORMAT = read_elsewhere(
    "The form of `qr_payload`: `deep_link` or `png`.", {"type": "string", "enum": list(_FORMATS)}
)


def chosen_format(values: Mapping[str, str]) -> QRFormat:
    """Read `qr_format`, which defaults to the configured format. Raises InvalidRequest."""
    given = values.get("qr_format", settings.QR_PAYLOAD)
    if given not in _FORMATS:
        raise InvalidRequest(qr_format=f"must be one of {', '.join(_FORMATS)}")
    return QRFormat(given)
