"""E-mails to the owner of a live endpoint's merchant: where events go from now on.

Who has stolen a live key would name one of their own, and still be sent every event once the key
has been revoked.
"""

from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings

from core.attempt_limits import AttemptLimit, count_or_refuse
from messages.models import Channel
from messages.planning import plan_message
from webhooks.models import Webhook

KIND = "webhook_address"
# Beyond these the address stays as it is: many notices would bury the one that matters.
ADDRESSES = AttemptLimit("webhook-address", 20, timedelta(days=1))


def tell_of_address(webhook: Webhook, *, now: datetime) -> None:
    """Tell the merchant of a live endpoint's address, in the transaction that names it.

    By its host alone: the rest are words of who names it. Raises RateLimited.
    """
    if not webhook.livemode:
        return
    count_or_refuse([(ADDRESSES, webhook.merchant_id)], now=now)
    host = urlsplit(webhook.url).hostname
    plan_message(
        channel=Channel.EMAIL,
        kind=KIND,
        recipient=webhook.merchant.email,
        about=webhook.id,
        merchant_id=webhook.merchant_id,
        livemode=True,
        subject=f"{settings.SERVICE_NAME}: your webhooks",
        text=f"Events of your live payments are sent to {host} from now on ({webhook.id}).\n"
        "If you did not request this, delete the webhook and roll your live keys at once:"
        " it is sent events even when the key that named it has been revoked.",
        now=now,
    )
