"""Payout providers. A provider is polled, outside any transaction, until it has a result.

`PAYOUT_PROVIDER` names the one for live payouts. Test payouts reach no bank: they are simulated.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from core.instants import today_in
from payouts.bank_accounts import TEST_NUMBER_REFUSED
from payouts.models import Payout


@dataclass(frozen=True)
class ProviderResult:
    """The final result from the bank: paid, or refused with the reason."""

    paid: bool
    bank_reference: str = ""
    code: str = ""
    message: str = ""


class Provider(Protocol):
    """A connection to a bank. Unless it is `automatic`, staff send payouts and record results."""

    automatic: bool

    def fetch_result(self, payout: Payout, *, now: datetime) -> ProviderResult | None:
        """Send a payout in transit, unless it was already sent, and return its result.

        None while it is on its way. Must be idempotent by the payout's id: a process may die
        between the bank's response and our record of it.
        """


class Manual:
    """Staff export batches for the bank and record its results."""

    automatic = False

    def fetch_result(self, payout: Payout, *, now: datetime) -> ProviderResult | None:
        return None


class Simulated:
    """Test mode: money arrives on its arrival date, except at the refused test number."""

    automatic = True

    def fetch_result(self, payout: Payout, *, now: datetime) -> ProviderResult | None:
        if today_in(payout.merchant.time_zone, now) < payout.arrival_date:
            return None
        if payout.bank_account.decrypt_number() == TEST_NUMBER_REFUSED:
            return ProviderResult(
                paid=False, code="account_closed", message="The account at the bank is closed."
            )
        return ProviderResult(paid=True, bank_reference="test")


def provider_for(*, livemode: bool) -> Provider:
    """Return the provider for live or test payouts."""
    if not livemode:
        return Simulated()
    provider: Provider = import_string(settings.PAYOUT_PROVIDER)()
    return provider
