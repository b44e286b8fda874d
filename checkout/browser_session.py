"""The browser's session: a signed-in customer, or a visitor about to enter a code.

Cookies of our own, none of them Django's: the customer's session, one per mode, with a new token at
every sign-in; for ten minutes, the handle of the code requested here; and for half a year, a mark
of the phone that signed in with this browser, and of the customer whose passkey this device holds.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from core.ids import random_base62
from core.signed_tokens import is_signed_token
from customers.codes import LIFETIME
from customers.models import CodePurpose, Customer, CustomerSession
from customers.sessions import SignedIn, find_session, live_customer_of
from merchants.callers import VISITOR

CODE_COOKIE = "code"
KNOWN_COOKIE = "known"
DEVICE_COOKIE = "passkey"
KNOWN_FOR = timedelta(days=180)
_SALT = "checkout.code"
_KNOWN_SALT = "checkout.known"
_BROWSER_CHARACTERS = 22
_EARLIER = "earlier"  # stands for all browsers whose mark is older than ids
_DEVICE_SALT = "checkout.passkey"


@dataclass(frozen=True)
class BrowserSession:
    """A browser, and the customer who is signed in with it, if any."""

    token: str = ""
    session: CustomerSession | None = None

    @property
    def customer(self) -> Customer | None:
        return self.session.customer if self.session else None

    @property
    def actor(self) -> str:
        """The actor to record: the customer, or a visitor, who may be anyone with the URL."""
        return f"customer:{self.session.customer_id}" if self.session else VISITOR


@dataclass(frozen=True)
class AskedCode:
    """A code that this browser has requested: its purpose, phone and handle."""

    handle: str
    phone: str
    purpose: str
    livemode: bool
    payment_id: str


def browser_session_of(
    request: HttpRequest,
    *,
    livemode: bool,
    now: datetime,
    payment_id: str,
    merchant_id: str | None,
) -> BrowserSession:
    """Return this browser's session in this mode, for a payment or for the customer's own page.

    `merchant_id` is the merchant of the page: another merchant's test customer is not signed in.
    """
    token = request.COOKIES.get(session_cookie(livemode=livemode), "")
    session = find_session(token, livemode=livemode, now=now) if token else None
    if session is not None and not session.is_good_for(payment_id, merchant_id):
        return BrowserSession(token)
    return BrowserSession(token, session)


def live_customer_id(request: HttpRequest, *, now: datetime) -> str:
    """Return the id of the live customer who is signed in with this browser; empty if none is.

    Tokens without our signature are not looked up, as anyone can send any number of them.
    """
    token = request.COOKIES.get(session_cookie(livemode=True), "")
    return live_customer_of(token, now=now) if is_signed_token(token) else ""


def remember_sign_in(response: HttpResponse, signed_in: SignedIn) -> None:
    """Set the browser's new session token, and delete the used code."""
    session = signed_in.session
    set_cookie(response, session_cookie(livemode=session.livemode), signed_in.token)
    if session.livemode:
        digest = _digest_of(session.customer.phone, settings.SECRET_KEY)
        known = signing.dumps([digest, random_base62(_BROWSER_CHARACTERS)], salt=_KNOWN_SALT)
        set_cookie(response, cookie_name(KNOWN_COOKIE), known, max_age=KNOWN_FOR)
    forget_code(response)


def known_browser(request: HttpRequest, phone: str) -> str:
    """Return this browser's id if this E.164 number has signed in with it before, in live mode.

    Otherwise empty. Grants no access: it only counts codes requested here separately from those
    that strangers, or the phone's other browsers, request.
    """
    value = request.COOKIES.get(cookie_name(KNOWN_COOKIE), "")
    try:
        known = signing.loads(value, salt=_KNOWN_SALT, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return ""
    digest, browser = (known, _EARLIER) if isinstance(known, str) else known
    secrets = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    is_known = any(constant_time_compare(digest, _digest_of(phone, secret)) for secret in secrets)
    return browser if is_known else ""


def _digest_of(phone: str, secret: str) -> str:
    """Return a digest to compare phone numbers without storing them."""
    return salted_hmac(_KNOWN_SALT, phone, secret=secret, algorithm="sha256").hexdigest()


def remember_device(response: HttpResponse, customer: Customer) -> None:
    """Remember whose passkey this device has used, to ask for it next time instead of a code."""
    value = signing.dumps([customer.pk, customer.merchant_id or ""], salt=_DEVICE_SALT)
    name = _device_cookie(livemode=customer.livemode)
    set_cookie(response, name, value, max_age=KNOWN_FOR)


def customer_of_device(request: HttpRequest, *, livemode: bool, merchant_id: str | None) -> str:
    """Return the id of the customer whose passkey this device holds, if they can pay here.

    Grants no access: the customer still has to prove it with the passkey.
    """
    value = request.COOKIES.get(_device_cookie(livemode=livemode), "")
    if not value:
        return ""
    try:
        customer_id, owner = signing.loads(value, salt=_DEVICE_SALT, max_age=KNOWN_FOR)
    except (signing.BadSignature, TypeError, ValueError):
        return ""
    return str(customer_id) if livemode or owner == merchant_id else ""


def forget_device(response: HttpResponse, *, livemode: bool) -> None:
    """Forget whose passkey this device holds, to ask for a code again."""
    delete_cookie(response, _device_cookie(livemode=livemode))


def _device_cookie(*, livemode: bool) -> str:
    return cookie_name(DEVICE_COOKIE if livemode else f"{DEVICE_COOKIE}-test")


def forget_sign_in(response: HttpResponse, *, livemode: bool) -> None:
    """Delete the session token, and the memory of the device's passkey, from the browser."""
    forget_device(response, livemode=livemode)
    delete_cookie(response, session_cookie(livemode=livemode))
    forget_code(response)


def remember_code(response: HttpResponse, asked: AskedCode) -> None:
    """Store the handle of a code in the browser that requested it."""
    value = signing.dumps(asdict(asked), salt=_SALT)
    set_cookie(response, cookie_name(CODE_COOKIE), value, max_age=LIFETIME)


def asked_code(request: HttpRequest, *, purpose: str = CodePurpose.SIGN_IN) -> AskedCode | None:
    """Return the code for this purpose that this browser has requested, if any."""
    value = request.COOKIES.get(cookie_name(CODE_COOKIE), "")
    try:
        asked = AskedCode(**signing.loads(value, salt=_SALT, max_age=LIFETIME))
    except (signing.BadSignature, TypeError):
        return None
    return asked if asked.purpose == purpose else None


def forget_code(response: HttpResponse) -> None:
    """Delete the handle of a used code from the browser."""
    delete_cookie(response, cookie_name(CODE_COOKIE))


def session_cookie(*, livemode: bool) -> str:
    """Return the name of the session cookie, live or test."""
    return cookie_name("customer" if livemode else "customer-test")


def cookie_name(name: str) -> str:
    """Return a cookie's full name: with the prefix `__Host-`, no other subdomain can set it."""
    return f"__Host-{name}" if settings.SESSION_COOKIE_SECURE else name


def set_cookie(
    response: HttpResponse, name: str, value: str, max_age: timedelta | None = None
) -> None:
    """Set a cookie that scripts cannot read."""
    response.set_cookie(
        name,
        value,
        max_age=max_age,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def delete_cookie(response: HttpResponse, name: str) -> None:
    """Delete a cookie that `set_cookie` has set."""
    set_cookie(response, name, "", max_age=timedelta(0))
