"""Limits on wrong PINs, beyond those that lock the PIN of one customer."""

from contextlib import suppress
from datetime import datetime, timedelta

from core.attempt_limits import AttemptLimit, count_attempt, refuse_exhausted, uncount_attempt
from core.client_address import network_of
from core.errors import RateLimited

WRONG_PER_ADDRESS = AttemptLimit("wrong-pin-address", 20, timedelta(hours=1))
# So one customer alone cannot use up the limit of an address that a mobile network shares.
WRONG_THERE = AttemptLimit("wrong-pin-there", 1, timedelta(hours=1))
WRONG_PER_CUSTOMER = AttemptLimit("wrong-pin-customer", 30, timedelta(days=1))
WRONG_IN_ALL = AttemptLimit("wrong-pin", 10_000, timedelta(hours=1))
ALL_ADDRESSES = "everywhere"


def refuse_too_many_wrong(customer_id: str, now: datetime) -> None:
    """Raise RateLimited if a customer, or all of them together, entered too many wrong ones."""
    exhaustible = ((WRONG_PER_CUSTOMER, customer_id), (WRONG_IN_ALL, ALL_ADDRESSES))
    refuse_exhausted(*exhaustible, now=now)


def count_at_address(customer_id: str, address: str, now: datetime) -> bool:
    """Count a customer's attempt at an address; False if an earlier one this hour was wrong.

    Raises RateLimited if too many customers have entered a wrong one there.
    """
    network = network_of(address)
    there = f"{customer_id} {network}"
    try:
        count_attempt(WRONG_THERE, there, now=now)
    except RateLimited:
        return False
    try:
        count_attempt(WRONG_PER_ADDRESS, network, now=now)
    except RateLimited:
        uncount_attempt(WRONG_THERE, there)
        raise
    return True


def uncount_at_address(customer_id: str, address: str) -> None:
    """Undo that count, for a PIN that was right."""
    network = network_of(address)
    uncount_attempt(WRONG_THERE, f"{customer_id} {network}")
    uncount_attempt(WRONG_PER_ADDRESS, network)


def count_wrong(customer_id: str, now: datetime) -> None:
    """Count a wrong PIN of the customer, and of all."""
    for limit, subject in ((WRONG_PER_CUSTOMER, customer_id), (WRONG_IN_ALL, ALL_ADDRESSES)):
        with suppress(RateLimited):
            count_attempt(limit, subject, now=now)
