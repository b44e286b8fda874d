"""What a merchant's counters offer: preset products, and whether customers may add a tip."""

from datetime import datetime
from typing import Any

from django.db import transaction

from core.changes import real_changes
from core.errors import ValidationFailed
from merchants.callers import Caller
from merchants.standing import refuse_revoked_key
from payments.till_models import Till

MOST_PRODUCTS = 9
TIP_PERCENTS = (10, 15, 20)


def till_of(*, merchant_id: str, livemode: bool) -> Till:
    """Return the merchant's till, live or test; until it is first changed it offers nothing."""
    found = Till.objects.filter(merchant=merchant_id, livemode=livemode).first()
    return found or Till(merchant_id=merchant_id, livemode=livemode)


@transaction.atomic
def update_till(*, caller: Caller, changes: dict[str, Any], now: datetime) -> Till:
    """Change the caller's till, live or test (`PATCH /v1/till`); `products` as a whole.

    `updated_at` moves only if a value differs.

    Raises ValidationFailed if development mode names no merchant, and Unauthorized if the live key
    has been revoked while this waited.
    """
    merchant = caller.owner
    Till.objects.get_or_create(merchant=merchant, livemode=caller.livemode)
    till = Till.objects.select_for_update().get(merchant=merchant, livemode=caller.livemode)
    refuse_revoked_key(caller)
    changes = real_changes(till, changes)
    if not changes:
        return till
    for name, value in changes.items():
        setattr(till, name, value)
    till.updated_at = now
    till.save(update_fields=[*changes, "updated_at"])
    return till


def refuse_tip(tip: int, *, sum_amount: int, merchant_id: str, livemode: bool) -> None:
    """Raise ValidationFailed for a tip that is not accepted or exceeds the sum, both in cents."""
    if not tip:
        return
    if not till_of(merchant_id=merchant_id, livemode=livemode).tips_allowed:
        raise ValidationFailed(tip="is not taken at this counter")
    if not 1 <= tip <= sum_amount:
        raise ValidationFailed(tip="must be from 1 cent to the sum itself")
