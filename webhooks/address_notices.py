"""E-mails to the owner of a live endpoint's merchant: where events go from now on.

Who has stolen a live key would name one of their own, and still be sent every event once the key
has been revoked.
"""

from datetime import datetime
from urllib.parse import urlsplit

from merchants.owner_notices import refuse_unheard, tell_owner
from webhooks.models import Webhook

KIND = "webhook_address"


def tell_of_address(webhook: Webhook, *, now: datetime) -> None:
    """Tell the merchant of a live endpoint's address, in the transaction that names it.

    By its host alone: the rest are words of who names it. Raises RateLimited.
    """
    if not webhook.livemode:
        return
    refuse_unheard(webhook.merchant_id, now=now)
    host = urlsplit(webhook.url).hostname
    tell_owner(
        webhook.merchant,
        kind=KIND,
        about=webhook.id,
        subject="your webhooks",
        text=f"Events of your live payments are sent to {host} from now on ({webhook.id}).\n"
        "If you did not request this, delete the webhook and roll your live keys at once:"
        " it is sent events even when the key that named it has been revoked.",
        now=now,
    )
