"""Refuse to start in production with an unsafe configuration, and report all its faults.

The checks run when a process starts to serve (web, worker, beat) and in `check --deploy`.
"""

import base64
import ipaddress
import logging
import re
from collections.abc import Iterator, Sequence
from email.utils import parseaddr
from typing import Any
from urllib.parse import urlsplit

from cryptography.fernet import Fernet
from django.conf import settings
from django.core.checks import WARNING, CheckMessage, Error, register, run_checks
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email
from phonenumbers import SUPPORTED_REGIONS

from config.environment import env
from config.logging import FORMS as LOG_FORMS
from config.partner_checks import partner_faults
from config.url_rules import is_address
from config.weak_choices import weak_choices
from core.crypto import keys_of
from core.instants import time_zones
from core.money import is_currency
from core.signed_notes import NoteSigner
from customers.code_budgets import ALL_COUNTRIES
from payments.qr_payload import QRFormat

PRODUCTION = "production"
SECRET_KEY_LENGTH = 50
PEPPER_LENGTH = 32
LONGEST_WAIT = 30 * 24 * 3600
NAME_LENGTH = 100  # of the 200 characters of a mail's subject
FEWEST_CHARACTERS = 8
logger = logging.getLogger(__name__)
_SCHEME = re.compile("[a-z][a-z0-9+.-]*", re.IGNORECASE)
_HERE = (".localhost", ".local", ".test", ".internal")


class UnsafeConfiguration(CommandError, ImproperlyConfigured):
    """An unsafe configuration; commands report it without a traceback."""


def refuse_unsafe() -> None:
    """Raise UnsafeConfiguration with all faults of the configuration, if there are any."""
    found = run_checks(tags=[PRODUCTION], include_deployment_checks=True)
    configuration_faults = [each for each in found if each.is_serious()]
    for choice in (each for each in found if not each.is_serious()):
        logger.warning("%s", choice.msg)
    if configuration_faults:
        lines = "\n".join(f"- {fault.msg}" for fault in configuration_faults)
        raise UnsafeConfiguration(f"The configuration is not safe to start with:\n{lines}")


@register(PRODUCTION, deploy=True)
def check_production(app_configs: Sequence[Any] | None, **_: object) -> list[CheckMessage]:
    """Report faults of a live service, and warn of defences that are switched off."""
    return [
        *(Error(fault, id="payments.E001") for fault in configuration_faults()),
        *(CheckMessage(WARNING, choice, id="payments.W001") for choice in weak_choices()),
    ]


def configuration_faults() -> Iterator[str]:
    """Yield one sentence per fault."""
    yield from _weak_secrets()
    yield from _impossible_values()
    yield from partner_faults()
    if settings.SUPPORT_EMAIL and not _is_email(settings.SUPPORT_EMAIL):
        yield "SUPPORT_EMAIL must be an e-mail address."
    if env("MAIL_FROM") and not _is_email(parseaddr(env("MAIL_FROM"))[1]):
        yield "MAIL_FROM must be an e-mail address, or a name and an address in angle brackets."
    if settings.DEVELOPMENT_MODE:
        if not is_private_host(urlsplit(settings.BASE_URL).hostname or ""):
            yield "DEVELOPMENT_MODE lets anyone in; it must be off where BASE_URL is public."
        return
    yield from _weak_transport()
    yield from _missing_passkeys()
    yield from _unshared_state()


def is_private_host(host: str) -> bool:
    """Return whether a host is this machine, on a private network, or a non-public name."""
    if host == "localhost" or host.endswith(_HERE) or ("." not in host and ":" not in host):
        return True
    if not is_address(host):
        return False
    address = ipaddress.ip_address(host)
    return address.is_loopback or address.is_private


def _weak_secrets() -> Iterator[str]:
    for name, length in (("SECRET_KEY", SECRET_KEY_LENGTH), ("PIN_PEPPER", PEPPER_LENGTH)):
        if not is_random(getattr(settings, name), length):
            yield f"{name} must have at least {length} random characters."
        yield from _weak_fallbacks(name, length)
    for name in ("ENCRYPTION_KEY", "LEDGER_KEY"):
        if not _is_encryption_key(getattr(settings, name)):
            yield f"{name} must be a Fernet key (32 bytes in base64), or several with commas."
    if not _is_checkpoint_key(settings.CHECKPOINT_KEY):
        yield "CHECKPOINT_KEY must be what `manage.py checkpoint_key` makes."
    if _is_one_used_twice():
        yield "SECRET_KEY, PIN_PEPPER, ENCRYPTION_KEY and LEDGER_KEY must differ from each other."


def _is_one_used_twice() -> bool:
    """Return whether a secret, be it one of several that rotate, serves two purposes."""
    kinds: list[set[str]] = [
        {settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS},
        {settings.PIN_PEPPER, *settings.PIN_PEPPER_FALLBACKS},
        *(set(keys_of(keys)) for keys in (settings.ENCRYPTION_KEY, settings.LEDGER_KEY)),
    ]
    return len(set[str]().union(*kinds)) < sum(map(len, kinds))


def _weak_fallbacks(name: str, length: int) -> Iterator[str]:
    earlier = getattr(settings, f"{name}_FALLBACKS")
    if not all(is_random(each, length) for each in earlier):
        yield f"{name}_FALLBACKS must each have at least {length} random characters."
    if getattr(settings, name) in earlier:
        yield f"{name}_FALLBACKS must not name {name} itself."


def is_random(secret: str, length: int) -> bool:
    """Return whether a secret is long enough, has enough different characters and no repetition.

    32 random hexadecimal digits, the smallest alphabet in use, practically always contain 8
    different ones.
    """
    repeats = any(
        secret == (secret[:period] * len(secret))[: len(secret)]
        for period in range(1, len(secret) // 2 + 1)
    )
    return len(secret) >= length and len(set(secret)) >= FEWEST_CHARACTERS and not repeats


def _is_encryption_key(keys: str) -> bool:
    try:
        return all(
            Fernet(key) and len(set(base64.urlsafe_b64decode(key))) >= FEWEST_CHARACTERS
            for key in keys_of(keys)
        )
    except ValueError:
        return False


def _is_checkpoint_key(keys: str) -> bool:
    try:
        return bool([NoteSigner.parse(key) for key in keys.split(",")])
    except ValueError:
        return False


def _impossible_values() -> Iterator[str]:
    """Report values that cannot work, in development or in production."""
    waits = settings.WEBHOOK_RETRY_SECONDS
    rules = {
        "APP_SCHEME must be a scheme such as `app`.": _SCHEME.fullmatch(settings.APP_SCHEME),
        "DEFAULT_CURRENCY must be an ISO 4217 code.": is_currency(settings.DEFAULT_CURRENCY),
        "LOG_FORMAT must be json or console.": env("LOG_FORMAT") in ("", *LOG_FORMS),
        "PASSKEY_ABOVE must be at least PIN_ABOVE.": settings.PASSKEY_ABOVE >= settings.PIN_ABOVE,
        "QR_PAYLOAD must be deep_link or png.": settings.QR_PAYLOAD in QRFormat.values,
        "SERVICE_NAME must have at most 100 characters, on one line, and not be blank.": (
            len(settings.SERVICE_NAME) <= NAME_LENGTH
            and settings.SERVICE_NAME.strip()
            and settings.SERVICE_NAME.isprintable()
        ),
        "SMS_COUNTRIES must name at least one country, by its ISO 3166 code, or `*`.": (
            settings.SMS_COUNTRIES
            and set(settings.SMS_COUNTRIES) <= {ALL_COUNTRIES, *SUPPORTED_REGIONS}
        ),
        "SMS_PER_NUMBER, SMS_PER_NETWORK, SMS_PER_COUNTRY and SMS_IN_ALL must each be two numbers, "
        "codes per hour and per day, of 1 or more.": all(
            len(allowed) == 2 and min(allowed) >= 1
            for allowed in (
                settings.SMS_PER_NUMBER,
                settings.SMS_PER_NETWORK,
                settings.SMS_PER_COUNTRY,
                settings.SMS_IN_ALL,
            )
        ),
        "STAFF_TIME_ZONE must be an IANA time zone.": settings.STAFF_TIME_ZONE in time_zones(),
        "WEBHOOK_RETRY_SECONDS must name at least one wait, each from a second to 30 days.": (
            waits and min(waits) >= 1 and max(waits) <= LONGEST_WAIT
        ),
    }
    yield from (fault for fault, holds in rules.items() if not holds)


def _is_email(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def _weak_transport() -> Iterator[str]:
    for name in ("BASE_URL", "CHECKOUT_URL"):
        if not getattr(settings, name).startswith("https://"):
            yield f"{name} must begin with https:// (or switch DEVELOPMENT_MODE on)."
    if settings.WEBHOOK_ALLOW_PRIVATE:
        yield "WEBHOOK_ALLOW_PRIVATE must be off: webhooks could reach the inside of the network."
    for named in settings.ALLOWED_HOSTS:
        if named.startswith(("*", ".")):  # of `.co.uk`, as of `.github.io`, anyone has one
            yield (
                f"ALLOWED_HOSTS must name each host: with {named} the links in mails go where a"
                " request says."
            )
    if settings.TRUSTED_PROXIES == 0:
        yield (
            "TRUSTED_PROXIES must be 1 or more: BASE_URL is https and this server speaks none, so a"
            " proxy stands before it; without it all customers share the proxy's address."
        )
    yield from _weak_ways_out()


def _missing_passkeys() -> Iterator[str]:
    for name in ("BASE_URL", "CHECKOUT_URL", "ADMIN_HOST"):
        host = urlsplit(f"//{getattr(settings, name).rpartition('//')[2]}").hostname or ""
        if is_address(host):
            yield f"{name} must name a host: there is no passkey for an address."
    if not settings.REQUIRE_STAFF_PASSKEYS:
        yield (
            "REQUIRE_STAFF_PASSKEYS must be on: those who move money would sign in with codes that"
            " a false page can ask for."
        )


def _weak_ways_out() -> Iterator[str]:
    if env("EMAIL_URL").startswith(("consolemail", "dummymail")):
        yield "EMAIL_URL must name a mail server: receipts would go nowhere."
    elif not _is_private_way(env("EMAIL_URL"), ("smtp+tls", "smtp+ssl")):
        yield "EMAIL_URL must be smtp+tls:// or smtp+ssl://: anyone on the way could read receipts."
    if settings.SMS_URL.startswith("console"):
        yield "SMS_URL must name a gateway: sign-in codes would stand in the logs."
    elif not _is_private_way(settings.SMS_URL, ("https",)):
        yield "SMS_URL must begin with https://: anyone on the way could read sign-in codes."


def _is_private_way(url: str, schemes: Sequence[str]) -> bool:
    """Return whether the connection is encrypted, or stays in our own network."""
    parts = urlsplit(url)
    return parts.scheme in schemes or bool(parts.hostname and is_private_host(parts.hostname))


def _unshared_state() -> Iterator[str]:
    if "memory://" in env("CELERY_BROKER_URL"):
        yield "CELERY_BROKER_URL must name a broker: no other process receives from memory://."
    several = settings.WEB_WORKERS > 1 or bool(env("CELERY_BROKER_URL"))
    if several and "sqlite" in settings.DATABASES["default"]["ENGINE"]:
        yield "Several processes or a broker need PostgreSQL: set DATABASE_URL."
    if several and "locmem" in settings.SHARED_COUNTS["BACKEND"]:
        yield "Several processes must share the counts of rate limits: set CACHE_URL to Redis."
