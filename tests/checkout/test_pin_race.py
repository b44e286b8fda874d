"""Sixty-four guesses at once: no more are looked at than the lock lets through."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from checkout.flow import FAILED_ATTEMPTS
from core.models import Quota
from customers import pin_hashing
from customers.models import Customer
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper, signed_in_at

GUESSES = 64


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_at_most_five_of_64_parallel_guesses_are_evaluated(payment_of, monkeypatch):
    payment = payment_of(1_250)
    shopper = signed_in_at(payment, "+1 242 555 0177")
    shopper.send(pin="4711")  # gives the test customer its hash, and uses one attempt
    fields = shopper.form().fields | {"pin": "9999"}
    evaluated: list[str] = []
    matches = pin_hashing.Hasher.matches

    def note(self: pin_hashing.Hasher, stored: str, pin: str, pepper_id: str) -> bool:
        evaluated.append(pin)
        return matches(self, stored, pin, pepper_id)

    monkeypatch.setattr(pin_hashing.Hasher, "matches", note)
    start = Barrier(GUESSES)

    def guess(number: int) -> int:
        thief = Shopper()
        thief.client.cookies = shopper.client.cookies
        start.wait()
        status = thief.client.post(f"{payment.hosted_url}/pin", fields).status_code
        connection.close()
        return status

    with ThreadPoolExecutor(GUESSES) as pool:
        statuses = set(pool.map(guess, range(GUESSES)))

    payment.refresh_from_db()
    assert 1 <= len(evaluated) <= 4
    assert statuses <= {303, 409, 422, 503}
    assert payment.status == PaymentStatus.PENDING
    # One that finds the PIN locked meanwhile is no attempt: they would fail the payment at once.
    assert Quota.objects.get(key=FAILED_ATTEMPTS.key(payment.id)).used <= 5
    assert Customer.objects.get(phone="+12425550177").pin_failures == 5
