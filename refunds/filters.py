"""How the list of refunds can be narrowed."""

from core.queries import AMOUNTS, CREATED, UPDATED, exactly, one_of
from refunds.statuses import RefundStatus

FILTERS = {
    "payment_id": exactly("Refunds of this payment."),
    "status": one_of(RefundStatus.values),
    **CREATED,
    **UPDATED,
    **AMOUNTS,
}
