"""How many codes are sent: each text costs money, and fraud lives on texts that others pay for.

A budget is a number per hour and one per day, counted before a code is sent: per phone number, per
network that asks, per country, and in all. A browser in which the phone has signed in before is
counted separately, so that strangers who request codes cannot use up its owner's; nor can another
known browser, such as one that the owner has used only once. A mark can be copied, and kept for
many numbers, so known browsers together get at most `KNOWN_TIMES` what strangers get.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from django.conf import settings
from prometheus_client import Counter

from core.attempt_limits import AttemptLimit, count_attempt
from core.client_address import wide_network_of
from core.errors import RateLimited
from customers.errors import CountryNotServed
from customers.phones import country_of
from messages import sms

ALL_COUNTRIES = "*"
EVERYONE = "all"
WINDOWS = (timedelta(hours=1), timedelta(days=1))
KNOWN_TIMES = 3  # most customers return with the same browser

refused = Counter(
    "customers_codes_refused", "Codes that were not sent, by the budget that refused.", ["budget"]
)
sent = Counter("customers_codes_sent", "Codes that were handed to the gateway.", ["country"])

logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Budget:
    """What one subject may cost; `allowed` is the number per hour and per day."""

    name: str
    subject: str
    allowed: list[int]

    def limits(self) -> Iterator[AttemptLimit]:
        for times, within in zip(self.allowed, WINDOWS, strict=True):
            unit = "hour" if within == WINDOWS[0] else "day"
            yield AttemptLimit(f"code-{self.name}-{unit}", times, within)


def spend(*, number: str, address: str, browser: str = "", now: datetime) -> None:
    """Count a code to a live number, in every budget that it belongs to.

    `browser` is the id of one that is known to the number; empty for a stranger's.

    Raises CountryNotServed, MessageNotSent while texts are stopped, and RateLimited, with an alarm
    in the log. Refuses to run inside a transaction.
    """
    country = served_country(number)
    if settings.SMS_STOP:
        _note_refusal("stopped", country)
    sms.refuse_stopped()
    for budget in _budgets(number, address, country, browser):
        try:
            for limit in budget.limits():
                count_attempt(limit, budget.subject, now=now)
        except RateLimited:
            _note_refusal(budget.name, country)
            raise
    sent.labels(country=country).inc()


def served_country(number: str) -> str:
    """Return the country of a number that texts are sent to. Raises CountryNotServed."""
    country = country_of(number)
    if not {country, ALL_COUNTRIES} & set(settings.SMS_COUNTRIES):
        _note_refusal("country_not_served", country)
        raise CountryNotServed(phone=f"must not be a number of {country or 'no country'}")
    return country


def _budgets(number: str, address: str, country: str, browser: str) -> tuple[Budget, ...]:
    if browser:
        return (
            # The number last, as erasing a customer finds it.
            Budget("known-browser", f"{browser}:{number}", settings.SMS_PER_NUMBER),
            Budget("known-phone", number, _for_known(settings.SMS_PER_NUMBER)),
            Budget("known-country", country, _for_known(settings.SMS_PER_COUNTRY)),
            Budget("known-all", EVERYONE, _for_known(settings.SMS_IN_ALL)),
        )
    return (
        Budget("network", wide_network_of(address), settings.SMS_PER_NETWORK),
        Budget("phone", number, settings.SMS_PER_NUMBER),
        Budget("country", country, settings.SMS_PER_COUNTRY),
        Budget("all", EVERYONE, settings.SMS_IN_ALL),
    )


def _for_known(allowed: list[int]) -> list[int]:
    return [KNOWN_TIMES * times for times in allowed]


def _note_refusal(budget: str, country: str) -> None:
    """Raise the alarm. The log line holds no phone number: its reader needs none to act."""
    refused.labels(budget=budget).inc()
    logger.warning("code_refused", budget=budget, country=country)
