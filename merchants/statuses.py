"""The statuses of a merchant and of a change to it, and the transitions between them."""

from django.db.models import TextChoices


class MerchantStatus(TextChoices):
    """Whether staff have reviewed the merchant, and whether it may use the service at all."""

    UNVERIFIED = "unverified"
    VERIFIED = "verified"
    SUSPENDED = "suspended"


_S = MerchantStatus
# None leads back to unverified, where details change at once: receipts would show another seller.
TRANSITIONS: dict[MerchantStatus, frozenset[MerchantStatus]] = {
    _S.UNVERIFIED: frozenset({_S.VERIFIED, _S.SUSPENDED}),
    _S.VERIFIED: frozenset({_S.SUSPENDED}),
    _S.SUSPENDED: frozenset({_S.VERIFIED}),
}


class ChangeStatus(TextChoices):
    """What became of a change of public fields that a verified merchant has requested."""

    PENDING = "pending"
    APPROVED = "approved"
    DECLINED = "declined"
    SUPERSEDED = "superseded"


_C = ChangeStatus
CHANGE_TRANSITIONS: dict[ChangeStatus, frozenset[ChangeStatus]] = {
    _C.PENDING: frozenset({_C.APPROVED, _C.DECLINED, _C.SUPERSEDED}),
    _C.APPROVED: frozenset(),
    _C.DECLINED: frozenset(),
    _C.SUPERSEDED: frozenset(),
}
