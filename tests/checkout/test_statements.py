"""How many statements a customer's page costs: a bound that grows only on purpose."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

pytestmark = pytest.mark.django_db
FRAMING = ("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT")


class Statements(CaptureQueriesContext):
    """The statements of the block; `str` writes them out, one a line, without their framing."""

    def __init__(self) -> None:
        super().__init__(connection)

    def __str__(self) -> str:
        return "\n".join(self.work)

    @property
    def work(self) -> list[str]:
        texts = [query["sql"] for query in self.captured_queries]
        return [text for text in texts if not text.startswith(FRAMING)]

    @property
    def transactions(self) -> int:
        return sum(query["sql"].startswith("BEGIN") for query in self.captured_queries)


def test_the_status_costs_one_statement_of_two_columns(payment):
    with Statements() as statements:
        assert Client().get(f"{payment.hosted_url}/status").status_code == 200

    assert len(statements.work) == 1, statements
    assert statements.work[0].partition(" FROM ")[0].count(",") == 1, statements


@pytest.mark.parametrize("form", ["png", "svg"])
def test_a_qr_code_costs_one_statement(payment, form):
    with Statements() as statements:
        assert Client().get(f"{payment.hosted_url}/qr.{form}").status_code == 200

    assert len(statements.work) == 1, statements
