"""The ledger by itself: what other rooms prove about it is theirs to test."""

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _no_other_checks(settings: Settings) -> None:
    settings.LEDGER_CHECKS = []
