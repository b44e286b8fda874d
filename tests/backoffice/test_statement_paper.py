"""What an accountant reads on the pages of a statement."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from pypdf import PdfReader

from backoffice.formats import MINUS
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.statement_files import statement_pdf
from backoffice.statement_paper import written
from core.clock import utc_now
from merchants.models import Merchant
from payouts.account_statements import request_statement
from payouts.models import AccountStatement
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of
from tests.payouts.merchant_balance import credit

DAY = timedelta(days=1)
COLUMNS = ("Day", "Payments", "Balance")


@pytest.fixture(scope="module")
def pages() -> list[Any]:
    """The pages of a month: of every other day the sums are of ones, which are narrow letters."""
    sums = ("1,111.11", "9,060.80")
    days = [(f"{day} Oct 2026", sums[day % 2], f"{MINUS}{day}.00") for day in range(1, 32)]
    paper = written(
        title="Statement of Reef Bakery",
        lines=("1 Oct 2026 to 31 Oct 2026",),
        sums=[("Opening balance", "0.00"), ("Closing balance", f"{MINUS}31.00")],
        columns=COLUMNS,
        days=days,
        foot="stm_1, 1 Oct 2026 to 31 Oct 2026, Reef Bakery",
        made_at=utc_now(),
    )
    return list(PdfReader(BytesIO(paper)).pages)


def test_each_page_says_what_it_is_part_of(pages: list[Any]) -> None:
    texts = [page.extract_text() for page in pages]

    assert len(texts) == 2
    for number, text in enumerate(texts, 1):
        assert "stm_1, 1 Oct 2026 to 31 Oct 2026, Reef Bakery" in text
        assert f"Page {number} of 2" in text
        assert "Payments" in text
    assert f"{MINUS}31.00" in texts[0]


def test_the_points_of_a_column_stand_below_each_other(pages: list[Any]) -> None:
    begins: dict[str, set[int]] = {}

    def note(text: str, _place: Any, matrix: list[float], *_font: Any) -> None:
        begins.setdefault(text.strip(), set()).add(round(matrix[4]))

    pages[0].extract_text(visitor_text=note)

    assert begins["1,111.11"] == begins["9,060.80"] != set()


@pytest.mark.parametrize(("moved", "said"), [(0, "0 movements,"), (1, "1 movement,")])
def test_movements_are_counted_as_people_say(merchant: Merchant, moved: int, said: str) -> None:
    end = utc_now() - timedelta(hours=1)
    for number in range(moved):
        credit(merchant, 500, at=end - timedelta(hours=number + 1))
    statement = request_statement(
        caller=caller_of(merchant), currency="BSD", start_at=end - DAY, end_at=end, now=utc_now()
    )

    [page] = PdfReader(BytesIO(statement_pdf(statement))).pages

    assert said in page.extract_text()


@pytest.mark.django_db
@pytest.mark.parametrize(("moved", "said"), [(1, "1 movement"), (1_200, "1,200 movements")])
def test_one_that_is_being_made_says_how_far_it_is(
    office: Office, merchant: Merchant, moved: int, said: str
) -> None:
    now = utc_now()
    statement = request_statement(
        caller=caller_of(merchant), currency="BSD", start_at=now - DAY, end_at=now, now=now
    )
    AccountStatement.objects.update(lines_count=moved)

    page = office(Role.FINANCE).get(page_of(statement)).content.decode()

    assert f"It is being made, {said} so far." in page
