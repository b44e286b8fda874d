"""Risky settings that an operator may have reasons for: a warning at every start, no refusal."""

import logging
import os
from collections.abc import Iterator
from difflib import get_close_matches
from urllib.parse import urlsplit

from django.conf import settings

from config.environment import VARIABLES, env

MOST_TIMES_BY_PIN = 20
LIKENESS = 0.85  # of SECRET_KEY_FALLBACK and the like; names of other programs have less
FEWEST_THREADS = 4  # visitors may use half of them, expensive requests a quarter
# The one begins with TLS, the other does not.
SCHEMES_OF_PORTS: dict[int | None, str] = {465: "smtp+ssl", 587: "smtp+tls"}
CHOICES = {
    "BOUND_SECRETS_ONLY": "off: a secret from before an upgrade is read wherever it was copied to.",
    "REGISTRATIONS_PER_NETWORK": "0: one network registers any number of merchants.",
    "REQUIRE_VERIFIED_MERCHANTS": "off: anyone who registers takes live payments, unseen by staff.",
    "RISK_NEW_PROOF_HOURS": "0: a PIN that a stolen number has just reset pays like any other.",
    "VISITOR_SECONDS_PER_NETWORK": "0: one network may take all of the processors' time.",
}


def weak_choices() -> Iterator[str]:
    """Yield a warning for each defence that is (as good as) off; none in development.

    So for a name that is almost that of a variable: what it was to set is at its default.
    """
    if settings.DEVELOPMENT_MODE:
        return
    for name in sorted(os.environ.keys() - VARIABLES.keys()):
        for meant in get_close_matches(name, VARIABLES, n=1, cutoff=LIKENESS):
            yield f"{name} is no variable of this service: {meant} is."
    yield from (
        f"{name} is {warning}" for name, warning in CHOICES.items() if not getattr(settings, name)
    )
    if logging.getLevelNamesMapping()[env("LOG_LEVEL")] > logging.INFO:
        yield (
            f"LOG_LEVEL is {env('LOG_LEVEL')}: neither requests nor the heads of both chains are"
            " logged, which a restore is checked by."
        )
    mail = urlsplit(env("EMAIL_URL"))
    if (scheme := SCHEMES_OF_PORTS.get(mail.port, mail.scheme)) != mail.scheme:
        yield f"EMAIL_URL: port {mail.port} is that of {scheme}://, not of {mail.scheme}://."
    if settings.WEB_THREADS < FEWEST_THREADS:
        yield (
            f"WEB_THREADS is less than {FEWEST_THREADS}: two slow requests of visitors leave"
            " merchants one thread or none."
        )
    if 0 < MOST_TIMES_BY_PIN * settings.PASSKEY_ABOVE < settings.RISK_PIN_DAY_AMOUNT:
        yield (
            f"RISK_PIN_DAY_AMOUNT is more than {MOST_TIMES_BY_PIN} times PASSKEY_ABOVE: many"
            " payments by a PIN that was watched come to what a passkey is for."
        )
