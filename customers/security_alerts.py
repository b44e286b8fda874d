"""Tell customers of each change to their PIN, passkeys or e-mail address, also by staff.

And of a passkey that may have been copied. Each of these messages has a link by which they can stop
their wallet, in case it was not them; that it was stopped is told, too.
"""

import re
from datetime import UTC, datetime, timedelta
from enum import Enum

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner, b62_decode
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from core.attempt_limits import AttemptLimit, count_or_refuse
from customers.account_changes import last_unfrozen_at
from customers.errors import CustomerNotFound
from customers.models import Customer
from messages.models import Channel
from messages.planning import plan_message

LINK_LIFETIME = timedelta(days=30)
DENIED_WITH_IT = timedelta(days=1)  # a thief who makes two keys loses both by either link
CHANGES = AttemptLimit("security-change", 10, timedelta(days=1))
_SALT = "customers.not-me"
_LINK = re.compile(r"(/not-me/)\S+")
SUBJECT = gettext_noop("A change to your %(service)s wallet")
NOT_ME = gettext_noop("If that was not you, freeze your wallet at once: %(link)s")


class SecurityChange(Enum):
    """What has changed about how a customer's money is protected, or does not hold any more."""

    PIN_SET = gettext_noop("A PIN was set for your %(service)s wallet.")
    PIN_CHANGED = gettext_noop("Your PIN for %(service)s was changed.")
    PASSKEY_ADDED = gettext_noop("A passkey was added to your %(service)s wallet.")
    PASSKEY_REMOVED = gettext_noop("A passkey was removed from your %(service)s wallet.")
    PASSKEY_COPIED = gettext_noop(
        "A passkey of your %(service)s wallet was refused: there may be a copy of it."
    )
    EMAIL_SET = gettext_noop("An e-mail address was set for your %(service)s wallet.")
    EMAIL_CHANGED = gettext_noop("The e-mail address of your %(service)s wallet was changed.")
    EMAIL_REMOVED = gettext_noop("The e-mail address of your %(service)s wallet was removed.")
    FROZEN = gettext_noop("Your %(service)s wallet was frozen: no one can sign in or pay with it.")


def plan_notice(
    customer: Customer, change: SecurityChange, *, now: datetime, is_limited: bool = True
) -> None:
    """Plan a message on every channel, in the caller's transaction and the customer's language.

    None in test mode, where a merchant's testers share phones. `is_limited`: a session is enough
    for the change, so it could be repeated without end. Beyond the daily limit, raises RateLimited,
    for the change to be refused: none is made without its notice.
    """
    if not customer.livemode:
        return
    if is_limited:
        count_or_refuse([(CHANGES, customer.pk)], now=now)
    values = {"service": settings.SERVICE_NAME, "link": stop_link(customer.id)}
    with translation.override(customer.language or settings.LANGUAGE_CODE):
        what_next = way_to_staff() if change == SecurityChange.FROZEN else gettext(NOT_ME) % values
        text = f"{gettext(change.value) % values} {what_next}"
        subject = gettext(SUBJECT) % values
    channels = {Channel.SMS: customer.phone, Channel.EMAIL: customer.email}
    for channel, recipient in channels.items():
        if recipient:
            plan_message(
                channel=channel,
                kind=change.name.lower(),
                recipient=recipient,
                about=customer.id,
                livemode=customer.livemode,
                language=customer.language,
                subject=subject if channel == Channel.EMAIL else "",
                text=text,
                now=now,
            )


def way_to_staff() -> str:
    """Return where the owner of a frozen wallet writes to, if anywhere, in the present language."""
    if settings.SUPPORT_EMAIL:
        return gettext("Write to %(email)s, and we will sort it out together.") % {
            "email": settings.SUPPORT_EMAIL
        }
    return gettext("It stays frozen until our staff have spoken with you.")


def stop_link(customer_id: str) -> str:
    """Return the address at which this customer's wallet can be stopped, and nothing else done."""
    token = TimestampSigner(salt=_SALT).sign(customer_id)
    return f"{settings.CHECKOUT_URL}/not-me/{token}"


def without_link(text: str) -> str:
    """Return a message as others than its reader may see it: anyone with the link acts as them."""
    return _LINK.sub(r"\1…", text)


def read_stop_link(token: str, *, now: datetime) -> tuple[str, datetime]:
    """Return whose wallet the link stops, and since when the keys to it are denied.

    Raises CustomerNotFound for one that is not ours, is too old, whose customer was erased, or that
    was made before staff last unfroze the customer: its holder could stop the wallet again and
    again.
    """
    signer = TimestampSigner(salt=_SALT)
    try:
        customer_id = signer.unsign(token, max_age=LINK_LIFETIME)
        unfrozen_at = last_unfrozen_at(customer_id)
        if unfrozen_at is not None:
            signer.unsign(token, max_age=now - unfrozen_at)
    except BadSignature:
        raise CustomerNotFound from None
    if Customer.objects.filter(pk=customer_id).exclude(erased_at=None).exists():
        raise CustomerNotFound
    made_at = b62_decode(token.split(":")[1])
    return customer_id, datetime.fromtimestamp(made_at, UTC) - DENIED_WITH_IT
