"""One-time codes by text message: six digits that prove who holds a phone.

The browser that requests a code gets a handle: a code is valid only together with its handle. Known
and unknown phones get the same responses.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import translation
from django.utils.translation import gettext, gettext_noop

from core.errors import ValidationFailed
from core.key_register import peppers
from customers.code_budgets import spend
from customers.errors import CodeExpired, InvalidCode, PhoneUnreachable
from customers.models import CodePurpose, Customer, SignInCode
from customers.phones import normalize_phone
from customers.tokens import hash_of, new_token
from messages import sms
from messages.errors import Fault, MessageNotSent, NumberRefused
from messages.models import Channel
from messages.outages import end_outage, note_outage

TEST_CODE = "000000"  # the only code of test mode, where no text is sent
CODE_DIGITS = 6
LIFETIME = timedelta(minutes=10)
MAX_ATTEMPTS = 5

# A customer who is talked into reading out a code must see what it authorizes.
PAYMENT_TEXT = gettext_noop("%(code)s is your code to pay %(amount)s to %(payee)s.")
TEXTS = {
    CodePurpose.SIGN_IN: gettext_noop("%(code)s is your code to sign in to %(service)s."),
    CodePurpose.RESET_PIN: gettext_noop("%(code)s is your code for a new PIN at %(service)s."),
    CodePurpose.ADD_PASSKEY: gettext_noop(
        "%(code)s is your code for a new PIN or passkey at %(service)s."
    ),
    CodePurpose.CASH: gettext_noop(
        "%(code)s confirms that you have paid in %(amount)s in cash at %(service)s."
    ),
}


def request_code(
    *,
    phone: str,
    livemode: bool,
    purpose: CodePurpose,
    address: str,
    now: datetime,
    payee: str = "",
    amount: Callable[[], str] = str,
    browser: str = "",
    payment_id: str = "",
) -> str:
    """Send a code to a phone, and return its handle.

    With `payment_id` it signs in to that payment only. `payee` and `amount` say in the text what
    the code is for; `amount` formats it for people, in the language of the text. `browser` is
    the id of a browser with which the phone has signed in before. Raises ValidationFailed,
    CountryNotServed, PhoneUnreachable, RateLimited, MessageNotSent.
    """
    number = normalize_phone(phone, livemode=livemode)
    if livemode:
        spend(number=number, address=address, browser=browser, now=now)
    handle, code = new_token(), _new_code() if livemode else TEST_CODE
    with transaction.atomic(durable=True):
        SignInCode.objects.create(
            handle_hash=hash_of(handle),
            phone=number,
            livemode=livemode,
            purpose=purpose,
            code_hash=_hash(handle, code, settings.PIN_PEPPER),
            created_at=now,
            expires_at=now + LIFETIME,
            payment_id=payment_id,
        )
    if livemode:
        with translation.override(_language_of(number)):
            text = text_of(code, purpose=purpose, payee=payee, amount=amount())
        _send(number, text, now)
    return handle


def check_code(
    *,
    handle: str,
    code: str,
    purpose: CodePurpose,
    now: datetime,
    customer: Customer | None = None,
) -> SignInCode:
    """Use up a code. With `customer`, it must have been sent to that customer's phone.

    Each attempt is counted before it is checked. Raises InvalidCode, ValidationFailed for a
    malformed code, and CodeExpired also for one that was used, or entered too often.
    """
    digits = re.sub(r"[\s-]", "", code)
    if not re.fullmatch(f"[0-9]{{{CODE_DIGITS}}}", digits):
        raise ValidationFailed(code=f"must be {CODE_DIGITS} digits")
    found = _count_attempt(hash_of(handle), purpose, customer, now)
    if not _is_code(found, handle, digits):
        raise InvalidCode(MAX_ATTEMPTS - found.attempts)
    if not SignInCode.objects.filter(pk=found.pk, used_at=None).update(used_at=now):
        raise CodeExpired
    return found


def text_of(code: str, *, purpose: CodePurpose, payee: str = "", amount: str = "") -> str:
    """Return the text message. Its last line lets a phone offer the code on our own page only."""
    values = {
        "code": code,
        "payee": sms.sanitized(payee),
        "amount": amount,
        "service": settings.SERVICE_NAME,
        "minutes": LIFETIME.seconds // 60,
    }
    says = PAYMENT_TEXT if amount and purpose == CodePurpose.SIGN_IN else TEXTS[purpose]
    text = gettext(says) % values
    advice = gettext("Do not share it. It works for %(minutes)s minutes.") % values
    return f"{text} {advice}\n\n@{urlsplit(settings.CHECKOUT_URL).hostname} #{code}"


def _send(number: str, text: str, now: datetime) -> None:
    try:
        sms.send(to=number, text=text)
    except NumberRefused:  # no fault of ours, as 503 would say: it raises an alarm
        end_outage(Channel.SMS)
        raise PhoneUnreachable(phone="must be a number that receives texts") from None
    except MessageNotSent as error:
        if error.fault is Fault.UNREACHED:
            note_outage(Channel.SMS, error.reason, now=now)
        raise
    end_outage(Channel.SMS)


def _language_of(number: str) -> str | None:
    """Return the language in which to write to the customer of a number.

    That of the request if there is no customer yet. Otherwise the customer's own: a thief who talks
    an owner into reading out a code must not choose words that the owner cannot read.
    """
    owner = Customer.objects.filter(phone=number, livemode=True)
    language = owner.values_list("language", flat=True).first()
    return translation.get_language() if language is None else language or settings.LANGUAGE_CODE


@transaction.atomic(durable=True)
def _count_attempt(
    handle_hash: str, purpose: CodePurpose, customer: Customer | None, now: datetime
) -> SignInCode:
    asked_for = SignInCode.objects.filter(handle_hash=handle_hash, purpose=purpose)
    if customer is not None:
        asked_for = asked_for.filter(phone=customer.phone, livemode=customer.livemode)
    may_attempt = asked_for.filter(used_at=None, expires_at__gt=now, attempts__lt=MAX_ATTEMPTS)
    if not may_attempt.update(attempts=F("attempts") + 1):
        raise CodeExpired
    return asked_for.get()


def _new_code() -> str:
    return f"{secrets.randbelow(10**CODE_DIGITS):0{CODE_DIGITS}}"


def _is_code(asked_for: SignInCode, handle: str, code: str) -> bool:
    hashes = [_hash(handle, code, pepper) for pepper in peppers().values()]
    return any(hmac.compare_digest(asked_for.code_hash, each) for each in hashes)


def _hash(handle: str, code: str, pepper: str) -> str:
    """Hash a code under the pepper, without which all million codes could be tried at once."""
    message = f"code:{handle}:{code}".encode()
    return hmac.new(pepper.encode(), message, hashlib.sha256).hexdigest()
