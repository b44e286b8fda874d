"""E-mails to the owner of API keys, so that a thief's are noticed."""

from datetime import datetime

from django.conf import settings

from merchants.models import ApiKey
from messages.models import Channel
from messages.planning import plan_message


def plan_key_notice(key: ApiKey, text: str, *, now: datetime) -> None:
    """Tell the merchant what has become of a key, in the transaction of that."""
    plan_message(
        channel=Channel.EMAIL,
        kind="api_key",
        recipient=key.merchant.email,
        about=key.merchant_id,
        merchant_id=key.merchant_id,
        livemode=True,  # a warning, whichever mode the key has
        subject=f"{settings.SERVICE_NAME}: your API keys",
        text=f"{text}\nIf you did not request this, reply to this e-mail at once.",
        now=now,
    )
