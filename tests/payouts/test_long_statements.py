"""A statement of any length is made, read and written to a file a part at a time"""

from datetime import timedelta
from typing import Any

import pytest

from backoffice import statement_files
from backoffice.sheets import csv_lines
from core.clock import iso, utc_now
from merchants.models import Merchant
from payouts import account_statements
from payouts.models import AccountStatement, AccountStatementPart
from payouts.tasks import make_statements
from tests.client import Api
from tests.payouts.merchant_balance import credit

pytestmark = pytest.mark.django_db
LINES, PART = 20, 3
HOUR = timedelta(hours=1)


@pytest.fixture
def most(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return how many lines each reading has had at once: of the ledger, and of what is kept."""
    seen: list[int] = []
    monkeypatch.setattr(account_statements, "PART_LINES", PART)
    monkeypatch.setattr(statement_files, "PART_LINES", PART)

    def noting(module: Any, name: str) -> None:
        read = getattr(module, name)

        def reading(*args: Any, **options: Any) -> list[Any]:
            lines: list[Any] = read(*args, **options)
            seen.append(len(lines))
            return lines

        monkeypatch.setattr(module, name, reading)

    noting(account_statements, "lines_between")
    noting(statement_files, "stored_lines")
    return seen


def test_no_more_than_a_part_is_held(api: Api, merchant: Merchant, most: list[int]) -> None:
    began = utc_now() - 3 * HOUR
    for number in range(LINES):
        credit(merchant, 1 + number, at=began + timedelta(seconds=number))
    period = {"start_at": iso(began), "end_at": iso(began + HOUR)}
    assert api(merchant).post("/v1/statements", period).json()["status"] == "pending"

    assert make_statements() == 1
    statement = AccountStatement.objects.select_related("merchant").get()
    assert (statement.lines_count, statement.closing_amount) == (LINES, LINES * (LINES + 1) // 2)
    assert AccountStatementPart.objects.count() == LINES // PART + 1

    file = list(csv_lines(statement_files.statement_sheet(statement)))
    assert len(file) == 1 + LINES + 2  # the headings, and the balances at both ends
    assert max(most) == PART
    assert sum(most) == 2 * LINES
