"""E-mails to the owner of a live endpoint's merchant: where events go from now on, or no longer go.

The thief of a live key would name an endpoint of their own, and still be sent every event once the
key has been revoked; or silence the owner's, before they refund to themselves.
"""

from collections.abc import Collection
from datetime import datetime
from enum import Enum
from urllib.parse import urlsplit

from merchants.owner_notices import count_notice, count_notice_or_refuse, tell_owner
from webhooks.event_types import EventType
from webhooks.models import Webhook

KIND = "webhook_address"


class Silence(Enum):
    """How an endpoint is kept from events, as a clause after its id."""

    OFF = "was switched off and no longer receives events"
    NARROWED = "now receives fewer types of events"
    DELETED = "was deleted and no longer receives events"
    SECRET = "now has a different signing secret"  # noqa: S105  # what is said of it


def tell_of_address(webhook: Webhook, *, now: datetime) -> None:
    """Tell the merchant of a live endpoint's address, in the transaction that sends there.

    By its host alone: the rest is the caller's wording. Raises RateLimited.
    """
    if not webhook.livemode:
        return
    count_notice_or_refuse(webhook.merchant_id, now=now)
    host = urlsplit(webhook.url).hostname
    text = (
        f"Events about your live payments are now sent to {host} ({webhook.id}).\n"
        "If you did not request this, delete the webhook and roll your live keys at once:"
        " the webhook keeps receiving events even after the key that created it is revoked."
    )
    _tell(webhook, text, now)


def tell_of_silence(
    webhook: Webhook, silence: Silence, *, lost: Collection[EventType] = (), now: datetime
) -> None:
    """Tell the merchant what a live endpoint is no longer sent, in the transaction that does it.

    `lost` are the types that a narrower one no longer receives. It only takes away: without room
    for a notice it is done regardless.
    """
    if not webhook.livemode or not _has_room(webhook, silence, lost, now):
        return
    types = f"No longer sent: {', '.join(sorted(lost))}.\n" if lost else ""
    text = (
        f"The webhook {webhook.id} for your live payments {silence.value}.\n{types}"
        "If you did not request this, roll your live keys at once, and check which events you have"
        " missed."
    )
    _tell(webhook, text, now)


def _has_room(
    webhook: Webhook, silence: Silence, lost: Collection[EventType], now: datetime
) -> bool:
    """Count a notice. Types of each resource count apart, or a harmless one would hide others."""
    of = f"{webhook.id} {silence.name}"
    things = sorted({f"{of} {each.split('.')[0]}" for each in lost}) or [of]
    return any(count_notice(webhook.merchant_id, of=thing, now=now) for thing in things)


def _tell(webhook: Webhook, text: str, now: datetime) -> None:
    tell_owner(
        webhook.merchant, kind=KIND, about=webhook.id, subject="your webhooks", text=text, now=now
    )
