"""A merchant confirms its e-mail address by a link that is sent there.

The e-mail names no merchant and its text is ours, as anyone who registers chooses the address.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

import structlog
from django.conf import settings
from django.core import signing
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from prometheus_client import Counter

from core.attempt_limits import AttemptLimit, count_within_all, refuse_exhausted
from core.durations import in_words
from core.errors import RateLimited
from core.ids import is_id
from core.mailboxes import mailbox_of
from merchants.known_keys import forget_keys
from merchants.models import Merchant
from messages.content import Content
from messages.models import Channel, Message
from messages.planning import plan_message

logger = structlog.get_logger(__name__)
refused = Counter(
    "merchants_confirmations_refused", "Links to confirm an address that the budget of all refused."
)

KIND = "confirm_email"
LIFETIME = timedelta(days=7)
DAY = timedelta(days=1)
PER_MAILBOX = AttemptLimit("confirm-email-mailbox", 1, DAY)
PER_MERCHANT = AttemptLimit("confirm-email-merchant", 5, DAY)
PER_NETWORK = AttemptLimit("confirm-email-network", 30, DAY)
IN_ALL, EVERYONE = AttemptLimit("confirm-email", 2_000, DAY), "everyone"  # of any network
STOP_LIFETIME = timedelta(days=180)
_SALT, _STOP_SALT = "merchants.email_confirmation", "merchants.email_withdrawal"


class AddressClaim(NamedTuple):
    """What a link proves: someone reads the e-mail sent to this address.

    It was sent for that merchant, and confirms any other that names the mailbox: the day's only
    link may be a stranger's, who named the address first.
    """

    merchant_id: str
    email: str


def plan_confirmation(merchant: Merchant, *, network: str, now: datetime) -> None:
    """Plan the e-mail with the link: one a day per mailbox, whichever merchants name it.

    A merchant and a `network` ("" for staff) have a daily limit, too, and all networks together one
    that a flood from many uses up. Beyond them nothing is sent, and the caller is not told, just as
    for addresses that do not exist.
    """
    counted = [(PER_MAILBOX, mailbox_of(merchant.email)), (PER_MERCHANT, merchant.id)]
    if network:
        counted += [(PER_NETWORK, network), (IN_ALL, EVERYONE)]
    if not count_within_all(counted, now=now):
        _warn_of_flood(now)
    else:
        plan_message(
            channel=Channel.EMAIL,
            kind=KIND,
            recipient=merchant.email,
            about=merchant.id,
            merchant_id=merchant.id,
            livemode=True,
            now=now,
        )


def _warn_of_flood(now: datetime) -> None:
    try:
        refuse_exhausted((IN_ALL, EVERYONE), now=now)
    except RateLimited:
        refused.inc()
        logger.warning("confirmations_used_up")


def write(message: Message, now: datetime) -> Content | None:
    """Write the e-mail, with a new link; None if the merchant has confirmed the address.

    It is sent even if the merchant has another address by now: the mailbox gets no other that day.
    """
    merchant = Merchant.objects.get(pk=message.about)
    if merchant.email_confirmed_at and _is_same_mailbox(merchant.email, message.recipient):
        return None
    context = {
        "url": confirmation_url(AddressClaim(merchant.id, message.recipient)),
        "days": in_words(LIFETIME),
        "service_name": settings.SERVICE_NAME,
    }
    return Content(
        subject=f"{settings.SERVICE_NAME}: confirm your e-mail address",
        text=render_to_string("merchants/confirm_email.txt", context),
    )


def confirmation_url(claim: AddressClaim) -> str:
    return _link(token=signing.dumps(claim, salt=_SALT))


def read_claim(token: str) -> AddressClaim | None:
    """Return what a link proves; None if it has expired or is not one of ours."""
    return _read(token, _SALT, LIFETIME)


def read_withdrawal(token: str) -> AddressClaim | None:
    """Return, likewise, what the link in a test e-mail withdraws.

    Such e-mails may be forwarded: their link confirms no address.
    """
    return _read(token, _STOP_SALT, STOP_LIFETIME)


def _read(token: str, salt: str, lifetime: timedelta) -> AddressClaim | None:
    try:
        return AddressClaim(*signing.loads(token, salt=salt, max_age=lifetime))
    except signing.BadSignature:
        return None


@transaction.atomic
def confirm_email(*, claim: AddressClaim, merchant_id: str, now: datetime) -> str | None:
    """Record that a merchant's address is its own, and return it.

    None if there is no such merchant, or if its address is another mailbox.
    """
    if not is_id("mer", merchant_id):
        return None
    merchant = Merchant.objects.select_for_update(no_key=True).filter(pk=merchant_id).first()
    if merchant is None or not _is_same_mailbox(merchant.email, claim.email):
        return None
    if merchant.email_confirmed_at is None:
        merchant.email_confirmed_at = merchant.updated_at = now
        merchant.save(update_fields=["email_confirmed_at", "updated_at"])
        forget_keys()
    return merchant.email


@transaction.atomic
def withdraw_email(*, claim: AddressClaim, now: datetime) -> None:
    """Record that a merchant's address is not its own, as its reader says. Safe to repeat."""
    merchant = Merchant.objects.locked(claim.merchant_id)
    if merchant.email_confirmed_at and _is_same_mailbox(merchant.email, claim.email):
        merchant.email_confirmed_at, merchant.updated_at = None, now
        merchant.save(update_fields=["email_confirmed_at", "updated_at"])
        forget_keys()


def recipient_of_tests(merchant_id: str) -> tuple[str, str] | None:
    """Return the merchant's e-mail address and the URL to withdraw it; None if unconfirmed."""
    confirmed = Merchant.objects.filter(pk=merchant_id, email_confirmed_at__isnull=False)
    email = confirmed.values_list("email", flat=True).first()
    if email is None:
        return None
    claim = AddressClaim(merchant_id, email)
    return email, _link(stop=signing.dumps(claim, salt=_STOP_SALT))


def _link(**query: str) -> str:
    return f"{settings.BASE_URL}{reverse('confirm-email', query=query)}"


def _is_same_mailbox(address: str, other: str) -> bool:
    return mailbox_of(address) == mailbox_of(other)
