"""Text customers about each change to their PIN or passkeys, by themselves or by staff."""

from datetime import datetime
from enum import Enum

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from customers.models import Customer
from messages.models import Channel
from messages.planning import plan_message


class SecurityChange(Enum):
    """What has changed about how a customer's money is protected."""

    PIN_CHANGED = gettext_noop(
        "Your PIN for %(service)s was changed. If that was not you, tell us at once."
    )
    PASSKEY_ADDED = gettext_noop(
        "A passkey was added to your %(service)s wallet. If that was not you, tell us at once."
    )
    PASSKEY_REMOVED = gettext_noop(
        "A passkey was removed from your %(service)s wallet. If that was not you, tell us at once."
    )


def plan_notice(customer: Customer, change: SecurityChange, *, now: datetime) -> None:
    """Plan a text to the customer, in the caller's transaction and the customer's language.

    None in test mode, where phones are shared.
    """
    if not customer.livemode:
        return
    with translation.override(customer.language or settings.LANGUAGE_CODE):
        text = gettext(change.value) % {"service": settings.SERVICE_NAME}
    plan_message(
        channel=Channel.SMS,
        kind=change.name.lower(),
        recipient=customer.phone,
        about=customer.id,
        livemode=customer.livemode,
        language=customer.language,
        text=text,
        now=now,
    )
