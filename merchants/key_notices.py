"""E-mails to the owner of API keys, so that a thief's keys are noticed."""

from datetime import datetime

from merchants.models import ApiKey
from merchants.owner_notices import tell_owner


def tell_of_new_key(key: ApiKey, *, now: datetime) -> None:
    """Tell the merchant of a new key, in the transaction that makes it."""
    _tell(key, f"A new API key was created: {key.hint}.", now)


def tell_of_rolled_key(before: ApiKey, after: ApiKey, *, now: datetime) -> None:
    """Tell the merchant what replaced a key, in the transaction that replaces it."""
    _tell(before, f"The API key {before.hint} was replaced by {after.hint}.", now)


def tell_of_revoked_key(key: ApiKey, *, now: datetime) -> None:
    """Tell the merchant of a key that has ended, in the transaction that ends it."""
    _tell(key, f"The API key {key.hint} was revoked.", now)


def _tell(key: ApiKey, text: str, now: datetime) -> None:
    tell_owner(
        key.merchant,
        kind="api_key",
        subject="your API keys",
        text=f"{text}\nIf you did not request this, reply to this e-mail at once.",
        now=now,
    )
