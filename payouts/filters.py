"""How lists of payouts and of their movements can be narrowed."""

from core.queries import created_before, created_from, exactly, one_of
from payouts.statuses import PayoutStatus

READERS = {
    "status": one_of(PayoutStatus.values),
    "currency": exactly,
    "start_date": created_from,
    "end_date": created_before,
}
FILTERS = {
    "status": f"One of {', '.join(PayoutStatus.values)}.",
    "currency": "An ISO 4217 code.",
    "start_date": "Created from this date or instant on.",
    "end_date": "Created before this instant, or until the end of this date.",
}
