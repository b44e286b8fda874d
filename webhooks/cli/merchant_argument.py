"""The merchant that a command works for."""

from django.core.management.base import CommandError
from django.db.models import Q

from merchants.callers import Caller
from merchants.models import Merchant

LISTENED_HELP = "id or slug; default: every merchant, including those registered while it runs"
MERCHANT_HELP = (
    "id or slug; default: the first one registered, such as the demo merchant of make run"
)

MOST_FOLLOWED = 100


def test_callers(merchant: str | None, *, actor: str) -> list[Caller]:
    """Return the test-mode callers of the merchant named, or of all, newest first."""
    if merchant:
        return [test_caller(merchant, actor=actor)]
    newest = Merchant.objects.order_by("-created_at", "-id")[:MOST_FOLLOWED]
    return [Caller(each, livemode=False, actor=actor) for each in newest]


def test_caller(merchant: str | None, *, actor: str) -> Caller:
    """Return the merchant's caller in test mode. Raises CommandError if there is none."""
    merchants = Merchant.objects.order_by("created_at", "id")
    if merchant:
        merchants = merchants.filter(Q(pk=merchant) | Q(slug=merchant))
    found = merchants.first()
    if found is None:
        raise CommandError("There is no such merchant." if merchant else "There is no merchant.")
    return Caller(found, livemode=False, actor=actor)
