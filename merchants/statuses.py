"""The statuses of a merchant, and the transitions between them."""

from django.db.models import TextChoices


class MerchantStatus(TextChoices):
    """Whether staff have reviewed the merchant, and whether it may use the service at all."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    SUSPENDED = "suspended"


_S = MerchantStatus
TRANSITIONS: dict[MerchantStatus, frozenset[MerchantStatus]] = {
    _S.UNVERIFIED: frozenset({_S.VERIFIED, _S.SUSPENDED}),
    _S.VERIFIED: frozenset({_S.UNVERIFIED, _S.SUSPENDED}),
    _S.SUSPENDED: frozenset({_S.UNVERIFIED, _S.VERIFIED}),
}
