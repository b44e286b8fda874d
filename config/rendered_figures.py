"""Figures in texts, rendered from the constants and settings in force.

Any text of the OpenAPI document, an error's cause or an operation's docstring for example, may
contain `[[name]]`; the last hook of the document's generator replaces it by the figure.
"""

import re
from datetime import timedelta
from typing import Any

from django.conf import settings

from checkout.formats import spaced
from config.schedule import SCHEDULE
from core.durations import in_words
from core.idempotency import RETENTION
from core.json import MAX_BODY_BYTES
from core.money import MAX_AMOUNT
from core.pagination import DEFAULT_LIMIT, MAX_LIMIT, MOST_COUNTED
from core.queries import CREATED
from core.retention import PERIODS
from core.spreadsheets import CSV_LINES
from core.throttling import MERCHANT_LIMITS
from core.whole_days import RANGE
from customers.codes import TEST_CODE
from customers.magic_phones import MAGIC_PHONES, SLOW_SETTLEMENT, Behaviour, phone_with
from customers.pin_locks import LOCK
from customers.pin_rules import TEST_PIN
from customers.pins import ATTEMPTS_UNTIL_LOCKED
from merchants.caller_lists import EXACT
from merchants.own_keys import MOST_ACTIVE
from merchants.owner_notices import NOTICES
from merchants.views import KEYS_SHOWN_FOR
from payments.emails import REMINDER_BEFORE
from payments.modes import INVOICE_TERM, LIFETIME
from payouts.bank_accounts import TEST_NUMBER_REFUSED
from payouts.views import MOVEMENTS_SHOWN
from webhooks.endpoints import MAX_ENDPOINTS, MAX_SELF_SERVICE_ENDPOINTS
from webhooks.feed import MAX_WAIT_SECONDS
from webhooks.serializers import DEFAULT_OVERLAP_SECONDS
from webhooks.statuses import SWITCH_OFF_AFTER

_PLACE = re.compile(r"\[\[(\w+)\]\]")


def figures() -> dict[str, str]:
    """Return every figure by name, from the current settings."""
    burst, hourly = (limit.item for limit in MERCHANT_LIMITS)
    waits = [in_words(timedelta(seconds=wait)) for wait in settings.WEBHOOK_RETRY_SECONDS]
    return {
        "attempts": str(len(waits) + 1),
        "base_url": settings.BASE_URL,
        "body_kib": str(MAX_BODY_BYTES // 1_024),
        "code": TEST_CODE,
        "endpoints": str(MAX_ENDPOINTS),
        "endpoints_unverified": str(MAX_SELF_SERVICE_ENDPOINTS),
        "csv_lines": f"{CSV_LINES:,}",
        "most_counted": f"{MOST_COUNTED:,}",
        "exact_filters": _exact_filters(),
        "invoice_term": in_words(INVOICE_TERM),
        "keys_most": str(MOST_ACTIVE),
        "keys_shown": in_words(KEYS_SHOWN_FOR),
        "key_kept": in_words(RETENTION),
        "life": in_words(LIFETIME),
        "magic_phones": _magic_phones(),
        "most": str(MAX_AMOUNT),
        "most_grouped": f"{MAX_AMOUNT:,}",
        "movements_shown": str(MOVEMENTS_SHOWN),
        "notices": str(NOTICES.times),
        "page": str(DEFAULT_LIMIT),
        "page_most": str(MAX_LIMIT),
        "payout_turn": in_words(timedelta(seconds=SCHEDULE["send payouts"].seconds)),
        "pin": TEST_PIN,
        "pin_lock": in_words(LOCK),
        "pin_attempts": str(ATTEMPTS_UNTIL_LOCKED),
        "rate_burst": f"{burst.amount:,}",
        "rate_hour": f"{hourly.amount:,}",
        "rate_minute": f"{burst.amount * 60 // burst.get_expiry():,}",
        "rate_refused": f"{burst.amount + 1:,}",
        "rate_window": in_words(timedelta(seconds=burst.get_expiry())),
        "reminder": in_words(REMINDER_BEFORE),
        "refused_number": TEST_NUMBER_REFUSED,
        "secrets_overlap": in_words(timedelta(seconds=DEFAULT_OVERLAP_SECONDS)),
        "statements_kept": in_words(PERIODS["statements of accounts"]),
        "slow": in_words(SLOW_SETTLEMENT),
        "wait_most": str(MAX_WAIT_SECONDS),
        "webhook_off": in_words(SWITCH_OFF_AFTER),
        "webhook_timeout": in_words(timedelta(seconds=settings.WEBHOOK_TIMEOUT_SECONDS)),
        "webhook_waits": f"{', '.join(waits[:-1])} and {waits[-1]}" if waits[1:] else waits[0],
        "phone_declined": _phone(Behaviour.DECLINED),
        "phone_pin_locked": _phone(Behaviour.PIN_LOCKED),
        "phone_poor": _phone(Behaviour.INSUFFICIENT_BALANCE),
        "phone_slow": _phone(Behaviour.SLOW),
        "phone_wrong_pin": _phone(Behaviour.WRONG_PIN),
    }


def fill(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Insert the figures into all texts of the document; a hook of its generator."""
    filled: dict[str, Any] = _filled(result, figures())
    return filled


def _filled(value: Any, known: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(item, known) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, known) for item in value]
    if isinstance(value, str):
        return _PLACE.sub(lambda place: known[place[1]], value)
    return value


def _exact_filters() -> str:
    parameters = {lookup.partition("__")[0] for lookup in EXACT - {*RANGE}}
    *names, last = (f"`{name}`" for name in [*sorted(parameters), *CREATED])
    return f"{', '.join(names)} and {last}"


def _magic_phones() -> str:
    return ", ".join(f"{spaced(phone)} {does}" for phone, does in MAGIC_PHONES.items())


def _phone(behaviour: Behaviour) -> str:
    return spaced(phone_with(behaviour))
