"""The merchant that a command works for."""

from django.core.management.base import CommandError
from django.db.models import Q

from merchants.callers import Caller
from merchants.models import Merchant

MERCHANT_HELP = "id or slug; default: the first one registered, which make run's demo merchant is"


def test_caller(merchant: str | None, *, actor: str) -> Caller:
    """Return the merchant's caller in test mode. Raises CommandError where there is none."""
    merchants = Merchant.objects.order_by("created_at", "id")
    if merchant:
        merchants = merchants.filter(Q(pk=merchant) | Q(slug=merchant))
    found = merchants.first()
    if found is None:
        raise CommandError("There is no such merchant." if merchant else "There is no merchant.")
    return Caller(found, livemode=False, actor=actor)
