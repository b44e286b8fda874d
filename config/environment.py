"""Every environment variable of the service: its type and its default.

`var/development.env` supplies what the environment does not set; `make run` creates it once.
"""

import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import environ

from config.number_ranges import RANGES
from config.url_rules import (
    HOST_FORMS,
    ORIGINS,
    SCHEMES,
    broken_host_rule,
    broken_url_rule,
    is_address,
)

_Value = TypeVar("_Value")

BASE_DIR = Path(__file__).resolve().parent.parent
HEAD_BYTES = 32 * 1024  # of a request's line and headers, as in nginx

# If a default is empty or None, the settings derive the value from other variables, or need none.
VARIABLES = {
    "ADMIN_HOST": (str, ""),
    "ALLOWED_HOSTS": (list, []),
    "BASE_URL": (str, ""),
    "BOUND_SECRETS_ONLY": (bool, False),
    "CACHE_URL": (str, "locmemcache://"),
    "CELERY_BROKER_URL": (str, ""),
    "CHECKOUT_URL": (str, ""),
    "CHECKPOINT_KEY": (str, ""),
    "CHECKPOINT_BUCKET_KEY": (str, ""),
    "CHECKPOINT_BUCKET_REGION": (str, "us-east-1"),
    "CHECKPOINT_BUCKET_DAYS": (int, 3_650),
    "CHECKPOINT_WITNESSES": (list, []),
    "CLOCK_TOLERANCE_SECONDS": (int, 5),
    "APP_SCHEME": (str, "app"),
    "DATABASE_POOLED": (bool, False),
    "DATABASE_PREPARED": (bool, None),
    "DATABASE_URL": (str, ""),
    "DEFAULT_CURRENCY": (str, "BSD"),
    "DEVELOPMENT_MODE": (bool, False),
    "EMAIL_URL": (str, "consolemail://"),
    "ENCRYPTION_KEY": (str, ""),
    "FUNDING_BANK_NAME": (str, ""),
    "FUNDING_CASH_DAY_AMOUNT": (int, 20_000),
    "FUNDING_CASH_PLACE": (str, ""),
    "FUNDING_DAY_AMOUNT": (int, 100_000),
    "FUNDING_PROVIDERS": (
        list,
        [
            "funding.providers.BankTransfer",
            "funding.providers.CashAtCounter",
            "funding.providers.SimulatedFunding",
        ],
    ),
    "GATHER_SECONDS": (int, 5),
    "HOST": (str, "127.0.0.1"),
    "INVOICES_PER_MERCHANT": (int, 1000),
    "LEDGER_KEY": (str, ""),
    "LOG_FORMAT": (str, ""),
    "LOG_LEVEL": (str, "INFO"),
    "MAIL_FROM": (str, ""),
    "PASSKEY_ABOVE": (int, 5000),
    "PAYOUT_DEBTOR_ACCOUNT": (str, ""),
    "PAYOUT_DEBTOR_BIC": (str, ""),
    "PAYOUT_DEBTOR_CLEARING_CODE": (str, ""),
    "PAYOUT_DEBTOR_NAME": (str, ""),
    "PAYOUT_MINIMUM": (int, 100),
    "PAYOUT_PROVIDER": (str, "payouts.providers.Manual"),
    "PAYOUT_RETURN_DAYS": (int, 90),
    "PIN_ABOVE": (int, 200),
    "PIN_PEPPER": (str, ""),
    "PIN_PEPPER_FALLBACKS": (list, []),
    "PORT": (int, 8000),
    "QR_PAYLOAD": (str, "deep_link"),
    "RATE_LIMITS": (bool, False),
    "REGISTRATIONS_PER_NETWORK": (int, None),
    "REQUIRE_STAFF_PASSKEYS": (bool, None),
    "REQUIRE_VERIFIED_MERCHANTS": (bool, None),
    "RISK_NEW_PROOF_AMOUNT": (int, 5000),
    "RISK_NEW_PROOF_HOURS": (int, 24),
    "RISK_PIN_DAY_AMOUNT": (int, 10000),
    "RISK_UNPROVEN_AMOUNT": (int, 2000),
    "RISK_UNPROVEN_PAYMENTS": (int, 5),
    "SECRET_KEY": (str, ""),
    "SECRET_KEY_FALLBACKS": (list, []),
    "SERVICE_NAME": (str, "Payments"),
    "SMS_COUNTRIES": (list, ["BS", "CA", "GB", "HT", "JM", "TC", "US"]),
    "SMS_IN_ALL": ([int], [2000, 10000]),
    "SMS_PER_COUNTRY": ([int], [1000, 5000]),
    "SMS_PER_NETWORK": ([int], [60, 300]),
    "SMS_PER_NUMBER": ([int], [5, 15]),
    "SMS_STOP": (bool, False),
    "SMS_URL": (str, "console://"),
    "STAFF_TIME_ZONE": (str, "America/Nassau"),
    "SUPPORT_EMAIL": (str, ""),
    "TRUSTED_PROXIES": (int, 0),
    "VISITOR_SECONDS_PER_NETWORK": (int, None),
    "WEBHOOK_ALLOW_PRIVATE": (bool, None),
    "WEBHOOK_RETRY_SECONDS": ([int], [300, 1800, 7200, 21600]),
    "WEBHOOK_TIMEOUT_SECONDS": (int, 15),
    "WEB_THREADS": (int, 8),
    "WEB_WORKERS": (int, 1),
}

_YES_OR_NO = (*environ.Env.BOOLEAN_TRUE_STRINGS, "false", "off", "n", "no", "0", "")
# The first would name another variable, whose default counts if it is unset. Quotes are taken off
# by systemd, as are spaces at both ends, but not by a shell's `read`: commands would have another
# value.
_NO_BEGINNING = ("$", '"', "'")
# An earlier pepper may have quotes or a line end: engines of containers take nothing off. Whether
# one that PINs need is missing, `config.key_check` finds out.
_AS_IT_WAS = "PIN_PEPPER_FALLBACKS"

env = environ.Env(**VARIABLES)

DEVELOPMENT_FILE = Path(os.environ.get("DEVELOPMENT_FILE", BASE_DIR / "var/development.env"))
if DEVELOPMENT_FILE.is_file():
    env.read_env(DEVELOPMENT_FILE)


def refuse_unreadable() -> None:
    """End the process with a line for each variable that is invalid, if there are any."""
    if faults := [f"{name} must {rule}." for name in VARIABLES if (rule := _broken_rule(name))]:
        sys.exit("\n".join(faults))


def _broken_rule(name: str) -> str:
    """Return what a variable must do and does not, or nothing."""
    text = env.ENVIRON.get(name, "")
    if text.startswith("$" if name == _AS_IT_WAS else _NO_BEGINNING):
        return f"not begin with {text[0]}"
    if text != text.strip() and name != _AS_IT_WAS:
        return "have no space or line end at its beginning or end, such as those of Windows"
    kind = VARIABLES[name][0]
    if kind is bool:
        return "" if text.lower() in _YES_OR_NO else "be true or false"
    try:
        value = env(name)
    except ValueError:
        return "be a whole number" if kind is int else "be whole numbers with commas between"
    return next(_rules_broken_by(name, value), "")


def _rules_broken_by(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, list) and any(str(each) != str(each).strip(" ") for each in value):
        yield "have no space beside its commas"
    if name in RANGES and value is not None and value not in RANGES[name]:
        yield f"be from {RANGES[name][0]} to {RANGES[name][-1]}"
    if name in (*ORIGINS, *SCHEMES) and (value or VARIABLES[name][1]):
        yield broken_url_rule(name, value)
    if name in HOST_FORMS and value:
        yield broken_host_rule(name, value if isinstance(value, list) else [value])
    if name == "LOG_LEVEL" and value not in logging.getLevelNamesMapping():
        yield "be DEBUG, INFO, WARNING or ERROR"
    if name == "HOST" and not is_address(value):
        yield "be an IP address such as 127.0.0.1, or 0.0.0.0 for all of this machine's"


refuse_unreadable()


def given(name: str, *, default: _Value) -> _Value:
    """Read a variable whose default depends on another one."""
    value: _Value | None = env(name)
    return default if value is None else value
