"""Record every attempt at a PIN or passkey, successful or not, outside any transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from prometheus_client import Counter

from checkout.browser_session import BrowserSession
from checkout.models import VerificationAttempt
from core.errors import ApiError
from payments.verification import Verification

attempts = Counter(
    "checkout_verification_attempts",
    "Attempts at a PIN or passkey for a payment, by what came of them.",
    ["method", "outcome"],
)


@contextmanager
def recorded_attempt(
    payment_id: str, method: Verification, browser: BrowserSession, *, address: str, now: datetime
) -> Iterator[None]:
    """Record the result of the check inside; re-raises its error."""

    def note(error_code: str) -> None:
        attempts.labels(method.name.lower(), error_code or "ok").inc()
        VerificationAttempt.objects.create(
            payment_id=payment_id,
            method=method.name.lower(),
            error_code=error_code,
            actor=browser.actor,
            address=address,
            attempted_at=now,
        )

    try:
        yield
    except ApiError as error:
        note(error.code)
        raise
    note("")
