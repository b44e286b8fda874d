"""What was read at the URL of a logo; without the libraries that read and draw."""

from checkout.models import Logo, WantedLogo
from merchants.models import Merchant


def picture_at(merchant: Merchant, url: str) -> Logo | WantedLogo | None:
    """Return what was read at a logo URL that a merchant has, or wants; None if nothing was yet."""
    own = Logo.objects.filter(merchant=merchant, source_url=url).first()
    return own or WantedLogo.objects.filter(merchant=merchant, source_url=url).first()
