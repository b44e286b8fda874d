"""Who sold, as it was in force when something was paid: what changed since is taken back."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from merchants.evidence import SellerDetails, seller_at
from merchants.models import MerchantChange
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db
DAY = timedelta(days=1)
NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
TODAY = {"name": "Conch Palace", "address": "3 Bay Street", "tax_id": "T-3"}


@pytest.mark.parametrize(
    ("days", "address", "tax_id"),
    [
        (0, "Conch Shack\n1 Bay Street", "T-1"),
        (1, "2 Bay Street", "T-1"),
        (2, "3 Bay Street", "T-3"),
    ],
)
def test_each_change_that_was_approved_since_is_taken_back(
    days: int, address: str, tax_id: str
) -> None:
    merchant, other = (MerchantFactory(**TODAY) for _ in range(2))
    changes: list[tuple[Any, str, int, dict[str, str]]] = [
        (merchant, "approved", 1, {"name": "Conch Shack", "address": "1 Bay Street"}),
        (merchant, "approved", 2, {"address": "2 Bay Street", "tax_id": "T-1"}),
        (merchant, "declined", 3, {"address": "No street", "tax_id": "T-9"}),
        (other, "approved", 3, {"address": "Another street", "name": "Another"}),
    ]
    for number, (owner, status, day, before) in enumerate(changes):
        MerchantChange.objects.create(
            id=f"chg_{number}",
            merchant=owner,
            before=before,
            after=before,
            actor="key",
            status=status,
            created_at=NOON,
            decided_at=NOON + day * DAY,
        )

    assert seller_at(merchant, NOON + days * DAY) == SellerDetails(address, tax_id)
