"""Funding providers, one for each way to add money; `FUNDING_PROVIDERS` lists those in use.

An automatic provider is polled, outside any transaction, until it has a result. For the others,
a bank file or the person who takes the cash confirms that the money has arrived.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import ClassVar, Protocol

from django.conf import settings
from django.utils.module_loading import import_string

from funding.errors import WayNotOffered
from funding.models import FundingWay, TopUp


@dataclass(frozen=True)
class FundingResult:
    """The final result of a top-up: how many cents arrived, or why none did."""

    amount: int = 0
    problem: str = ""


class FundingProvider(Protocol):
    """A way to add money. `lifetime` is how long a top-up waits for its money."""

    way: ClassVar[FundingWay]
    automatic: ClassVar[bool]
    lifetime: ClassVar[timedelta]

    def is_offered(self, *, livemode: bool, currency: str) -> bool:
        """Return whether customers can add money in this currency in this way."""

    def fetch_result(self, top_up: TopUp, *, now: datetime) -> FundingResult | None:
        """Return a top-up's result; None while it is on its way. Repeated after a crash."""


class BankTransfer:
    """A transfer to the account whose statements we import, matched by its reference."""

    way = FundingWay.BANK_TRANSFER
    automatic = False
    lifetime = timedelta(days=30)

    def is_offered(self, *, livemode: bool, currency: str) -> bool:
        return bool(settings.PAYOUT_DEBTOR_ACCOUNT) and currency == settings.DEFAULT_CURRENCY

    def fetch_result(self, top_up: TopUp, *, now: datetime) -> FundingResult | None:
        return None


class CashAtCounter:
    """Cash that staff take and the customer confirms with a code."""

    way = FundingWay.AGENT
    automatic = False
    lifetime = timedelta(days=3)

    def is_offered(self, *, livemode: bool, currency: str) -> bool:
        return bool(settings.FUNDING_CASH_PLACE) and currency == settings.DEFAULT_CURRENCY

    def fetch_result(self, top_up: TopUp, *, now: datetime) -> FundingResult | None:
        return None


class SimulatedFunding:
    """Test mode: the full amount arrives automatically after a few seconds."""

    way = FundingWay.SIMULATED
    automatic = True
    lifetime = timedelta(days=1)
    arrives_after = timedelta(seconds=3)

    def is_offered(self, *, livemode: bool, currency: str) -> bool:
        return not livemode

    def fetch_result(self, top_up: TopUp, *, now: datetime) -> FundingResult | None:
        if now < top_up.created_at + self.arrives_after:
            return None
        return FundingResult(amount=top_up.amount)


def providers() -> dict[FundingWay, FundingProvider]:
    """Return the configured provider of each way, in the order of the setting."""
    return _providers(tuple(settings.FUNDING_PROVIDERS))


@cache
def _providers(paths: tuple[str, ...]) -> dict[FundingWay, FundingProvider]:
    made: list[FundingProvider] = [import_string(path)() for path in paths]
    return {provider.way: provider for provider in made}


def ways_offered(*, livemode: bool, currency: str) -> list[FundingWay]:
    """Return the ways by which a customer can add money now."""
    return [
        way
        for way, provider in providers().items()
        if provider.is_offered(livemode=livemode, currency=currency)
    ]


def provider_of(way: str, *, livemode: bool, currency: str) -> FundingProvider:
    """Return the provider of a way that is offered. Raises WayNotOffered."""
    if way not in ways_offered(livemode=livemode, currency=currency):
        raise WayNotOffered(way=f"is not offered: {way}")
    return providers()[FundingWay(way)]
