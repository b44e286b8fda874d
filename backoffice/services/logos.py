"""The logo of a merchant as staff decide on it: what was read at its URL, and nothing else."""

from backoffice.errors import LogoNotRead
from checkout.logo_rows import picture_at
from merchants.models import Merchant

UNREAD = "unread"


def digest_of_logo(merchant: Merchant, url: str) -> str:
    """Return the digest of what was read at a logo URL: empty if that is no image."""
    if not url:
        return ""
    picture = picture_at(merchant, url)
    return UNREAD if picture is None else picture.digest


def refuse_unread_logo(merchant: Merchant, url: str) -> None:
    """Raise LogoNotRead while no one can have seen what a logo URL leads to."""
    if digest_of_logo(merchant, url) == UNREAD:
        raise LogoNotRead
