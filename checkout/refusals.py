"""Messages for errors at form fields: precise, and clear on whether money was taken."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from checkout.formats import deadline
from checkout.forms import NOT_A_CODE, NOT_A_PHONE, NOT_A_PIN
from core.errors import ApiError, RateLimited, ValidationFailed
from core.formats import money
from customers.errors import (
    CodeExpired,
    CountryNotServed,
    InvalidCode,
    InvalidPin,
    PhoneUnreachable,
    PinDisabled,
    PinLocked,
)
from funding.errors import FundingLimitReached, WayNotOffered
from messages.errors import MessageNotSent
from payments.errors import TicketsTooMany

SECONDS_IN_MINUTE = MINUTES_IN_HOUR = 60
MINUTES_SHOWN = 120  # from here on in hours
PASSKEY_NOT_CHECKED = gettext_lazy("The passkey could not be checked. Try again.")


def message_for(error: ApiError, *, zone: str, now: datetime) -> str | None:
    """Return the message for a field; None if the error needs a whole page."""
    if isinstance(error, PinLocked):
        return _pin_locked(error, zone, now)
    for kind, words in _WORDS:
        if isinstance(error, kind):
            return words(error)
    return None


def field_of(error: ApiError) -> str:
    """Return the name of the field that an error concerns; empty for a form's only field."""
    if isinstance(error, InvalidPin | PinLocked):
        return "old"
    is_code = isinstance(error, ValidationFailed) and error.details.startswith("code")
    return "code" if is_code or isinstance(error, InvalidCode | CodeExpired) else ""


def _pin_locked(error: PinLocked, zone: str, now: datetime) -> str:
    if isinstance(error, PinDisabled) or error.until is None:
        return _(
            "Your PIN is switched off after too many incorrect attempts. Set a new one with a code."
        )
    local = ZoneInfo(zone)
    when = deadline(error.until.astimezone(local), now.astimezone(local).date())
    return _("Your PIN is locked until %(when)s after too many incorrect attempts.") % {
        "when": when
    }


def _wrong_pin(error: ApiError) -> str:
    return _with_attempts_left(_("That PIN is not right."), error)


def _wrong_code(error: ApiError) -> str:
    if getattr(error, "attempts_left", None) == 0:
        return _("That code is not right, and no longer works. Ask for a new one.")
    return _with_attempts_left(_("That code is not right."), error)


def _with_attempts_left(words: str, error: ApiError) -> str:
    left = getattr(error, "attempts_left", None)
    if left is None:
        return words
    count = ngettext("%(n)d attempt left.", "%(n)d attempts left.", left) % {"n": left}
    return f"{words} {count}"


def _invalid(error: ApiError) -> str:
    """Return the message for an invalid phone number, code or PIN."""
    if error.details.startswith("phone"):
        return str(NOT_A_PHONE)
    if "easy to guess" in error.details:
        return _("That PIN is too easy to guess. Choose another one.")
    if error.details.startswith("code"):
        return str(NOT_A_CODE)
    return str(NOT_A_PIN)


def _too_often(error: ApiError) -> str:
    seconds = int(error.headers.get("Retry-After", SECONDS_IN_MINUTE))
    minutes = -(-seconds // SECONDS_IN_MINUTE)
    if minutes >= MINUTES_SHOWN:
        hours = -(-minutes // MINUTES_IN_HOUR)
        return ngettext(
            "Too many attempts. Try again in %(n)d hour.",
            "Too many attempts. Try again in %(n)d hours.",
            hours,
        ) % {"n": hours}
    return ngettext(
        "Too many attempts. Try again in %(n)d minute.",
        "Too many attempts. Try again in %(n)d minutes.",
        minutes,
    ) % {"n": minutes}


def refused_charge(error: ApiError) -> str:
    """Return why a cashier's sum cannot be put on the QR code."""
    if isinstance(error, TicketsTooMany):
        return _("Too many sums are waiting. Take one off first.")
    return _("That is too much for one payment.")


def day_limit_message(error: FundingLimitReached, currency: str) -> str:
    """Return the message on how much a customer can still add today."""
    if not error.left:
        return _("You have added as much as you can in a day. Try again tomorrow.")
    return _("You can add up to %(sum)s more today.") % {"sum": money(error.left, currency)}


def _not_sent(error: ApiError) -> str:
    return _("We could not send the text. Try again in a minute.")


_WORDS: tuple[tuple[type[ApiError], Callable[[ApiError], str]], ...] = (
    (InvalidPin, _wrong_pin),
    (InvalidCode, _wrong_code),
    (CodeExpired, lambda error: _("That code has expired. Ask for a new one.")),
    (RateLimited, _too_often),
    (MessageNotSent, _not_sent),
    (PhoneUnreachable, _not_sent),
    (CountryNotServed, lambda error: _("We cannot send codes to this country.")),
    (WayNotOffered, lambda error: _("This way to add money is not available now. Choose another.")),
    (ValidationFailed, _invalid),
)
