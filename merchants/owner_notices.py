"""E-mails to the owner of a merchant about what a live key did, so that a thief's use is noticed.

All notices share one limit: too many would bury the one that matters. They contain none of the
caller's words, unless nothing else identifies the thing: those could be a thief's, in our e-mail.
"""

from datetime import datetime, timedelta

from django.conf import settings

from core.attempt_limits import (
    AttemptLimit,
    count_or_refuse,
    count_within_all,
    forget_attempts,
)
from core.errors import RateLimited
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages.models import Channel
from messages.planning import plan_message

DAY = timedelta(days=1)
NOTICES = AttemptLimit("owner-notice", 20, DAY)
# Beyond those: of what is taken away from one thing in one way, so that none of it goes unheard.
FIRST_OF_ITS_KIND = AttemptLimit("owner-first-notice", 1, DAY)
# New counts, for an owner whom a thief would otherwise keep waiting for staff.
RESTARTS = AttemptLimit("owner-notice-restart", 1, DAY)
HELP = (
    "Sooner, once a live key of yours has replaced itself at once, which begins a new count once a"
    " day; or once staff have issued, rolled or revoked one."
)


def count_notice_or_refuse(merchant_id: str, *, now: datetime) -> None:
    """Count a notice. Raises RateLimited if there is no room: what cannot be told is not done."""
    try:
        count_or_refuse([(NOTICES, merchant_id)], now=now)
    except RateLimited as error:
        error.details = f"{error.details} {HELP}"
        raise


def count_notice(merchant_id: str, *, of: str, now: datetime) -> bool:
    """Count a notice of what only takes away, and is done regardless; return whether to send it.

    `of` is the id of what it is taken from, and how if there are several ways. Beyond the limit the
    first of the day is sent: a thief who has used it up would silence what the owner relies on.
    """
    budgets = ((NOTICES, merchant_id), (FIRST_OF_ITS_KIND, of))
    return any(count_within_all([budget], now=now) for budget in budgets)


def count_replacement(merchant_id: str, *, now: datetime) -> bool:
    """Count a notice of a key that has replaced itself at once; return whether to send it.

    If there is no room, a new count begins, once a day: that is how an owner ends a stolen key. To
    a thief it is worth little: the key that the owner has ends, who then turns to staff.
    """
    if count_within_all([(NOTICES, merchant_id)], now=now):
        return True
    if count_within_all([(RESTARTS, merchant_id)], now=now):
        reset_notice_count(merchant_id)
    # First of the merchant: each replacement makes another key, which can replace itself again.
    return count_notice(merchant_id, of=merchant_id, now=now)


def reset_notice_count(merchant_id: str) -> None:
    """Reset the count, as live keys have just been dealt with and the owner undoes a theft.

    Otherwise a thief who has used up a day's notices would keep their gains for that day.
    """
    forget_attempts(NOTICES, merchant_id)


def has_unproven_email(merchant: Merchant) -> bool:
    """Return whether its e-mail address may be a bystander's: neither confirmed nor seen by staff.

    Anyone can register a merchant, and name any address. From its verification on, staff see each
    change of it; an older release may have verified the merchant without noting when.
    """
    is_seen = merchant.status == MerchantStatus.VERIFIED or merchant.verified_at is not None
    return not is_seen and merchant.email_confirmed_at is None


def tell_owner(
    merchant: Merchant, *, kind: str, subject: str, text: str, now: datetime, about: str = ""
) -> None:
    """Plan a notice, in the transaction of what it reports; one of what staff did is not counted.

    It goes to the address in force, unless the merchant `has_unproven_email`.
    """
    if has_unproven_email(merchant):
        return
    plan_message(
        channel=Channel.EMAIL,
        kind=kind,
        recipient=merchant.email,
        about=about or merchant.id,
        merchant_id=merchant.id,
        livemode=True,  # a warning, whatever mode it is about
        subject=f"{settings.SERVICE_NAME}: {subject}",
        text=text,
        repeatable=True,
        now=now,
    )
