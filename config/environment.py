"""Every environment variable of the service: its type and its default.

`var/development.env` supplies what the environment does not set; `make run` creates it once.
"""

import logging
import os
import sys
from pathlib import Path

import environ

BASE_DIR = Path(__file__).resolve().parent.parent
HEAD_BYTES = 32 * 1024  # of a request's line and headers, as in nginx

# If a default is empty, the settings derive the value from other variables, or need none.
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
    "DATABASE_PREPARED": (str, ""),
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
    "REGISTRATIONS_PER_NETWORK": (str, ""),
    "REQUIRE_STAFF_PASSKEYS": (str, ""),
    "REQUIRE_VERIFIED_MERCHANTS": (str, ""),
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
    "VISITOR_SECONDS_PER_NETWORK": (str, ""),
    "WEBHOOK_ALLOW_PRIVATE": (str, ""),
    "WEBHOOK_RETRY_SECONDS": ([int], [300, 1800, 7200, 21600]),
    "WEBHOOK_TIMEOUT_SECONDS": (int, 15),
    "WEB_THREADS": (int, 8),
    "WEB_WORKERS": (int, 1),
}

SCHEMES = {
    "CACHE_URL": ("locmemcache://", "redis://", "rediss://"),
    "CELERY_BROKER_URL": (
        *("redis://", "rediss://", "redis+socket://"),
        *("amqp://", "amqps://", "memory://"),
    ),
    "DATABASE_URL": ("sqlite://", "postgres://", "postgresql://"),
    "EMAIL_URL": tuple(f"{scheme}://" for scheme in environ.Env.EMAIL_SCHEMES),
    "SMS_URL": ("https://", "http://", "console://"),
}
_NUMBERS = ("REGISTRATIONS_PER_NETWORK", "VISITOR_SECONDS_PER_NETWORK")
WHOLE_NUMBERS = "whole numbers with commas between"

env = environ.Env(**VARIABLES)

DEVELOPMENT_FILE = Path(os.environ.get("DEVELOPMENT_FILE", BASE_DIR / "var/development.env"))
if DEVELOPMENT_FILE.is_file():
    env.read_env(DEVELOPMENT_FILE)


def refuse_unreadable() -> None:
    """End the process with a message if a variable is invalid."""
    for name, (kind, _) in VARIABLES.items():
        try:
            env(name)
        except ValueError:
            sys.exit(f"{name} must be {'a whole number' if kind is int else WHOLE_NUMBERS}.")
    for name in _NUMBERS:
        if env(name) and not env(name).isdecimal():
            sys.exit(f"{name} must be a whole number.")
    for name, schemes in SCHEMES.items():
        if env(name) and not env(name).startswith(schemes):
            sys.exit(f"{name} must begin with one of {', '.join(schemes)}.")
    if env("LOG_LEVEL") not in logging.getLevelNamesMapping():
        sys.exit("LOG_LEVEL must be DEBUG, INFO, WARNING or ERROR.")


refuse_unreadable()


def flag(name: str, *, default: bool) -> bool:
    """Read a boolean whose default depends on another variable."""
    return env.bool(name) if env(name) else default


def number(name: str, *, default: int) -> int:
    """Read a number whose default depends on another variable."""
    return env.int(name) if env(name) else default
