"""What weeks need to be played: small batches and limits, so that a run needs several of each."""

import pytest

from backoffice.roles import LIMITS, ApprovalLimit, InstructionKind, Role

ALONE = ApprovalLimit(each=20_000, a_day=60_000)


@pytest.fixture(autouse=True)
def _small_batches(settings, monkeypatch) -> None:
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    monkeypatch.setattr("payouts.batches.MAX_PAYOUTS", 2)
    monkeypatch.setattr("backoffice.services.payouts.MAX_PAYOUTS", 2)
    monkeypatch.setitem(LIMITS[Role.FINANCE], InstructionKind.PAYOUT, ALONE)
