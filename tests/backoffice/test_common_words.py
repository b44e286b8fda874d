"""A word that many payments have is found among the newest: they need not all be read."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backoffice import search_lookups
from backoffice.search_lookups import with_words
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.searching import search
from tests.factories import PaymentFactory

pytestmark = [pytest.mark.django_db, pytest.mark.each_on_postgres("how it searches differs there")]


@pytest.fixture
def salads(merchant: Merchant, monkeypatch: pytest.MonkeyPatch) -> list[Payment]:
    """Three payments with a word, of which the newest two are looked at first."""
    monkeypatch.setattr(search_lookups, "COMMON_AMONG", 2)
    made = [PaymentFactory(merchant=merchant, description="Conch salad") for _ in range(3)]
    return sorted(made, key=lambda payment: payment.pk, reverse=True)


def test_of_a_common_word_only_the_newest_are_read(salads: list[Payment]) -> None:
    assert list(with_words(["conc"], 2)) == salads[:2]
    assert list(with_words(["conc", "sal"], 2)) == salads[:2]


def test_a_word_that_few_of_the_newest_have_is_looked_up_among_all(
    salads: list[Payment], merchant: Merchant
) -> None:
    PaymentFactory(merchant=merchant, description="Seconch")  # not the beginning of a word

    assert set(with_words(["conc"], 2)) == set(salads)
    assert set(with_words(["zebra"], 2)) == set()
    assert set(with_words(["conc"], 3)) == set(salads)


def test_the_search_finds_a_common_word_without_reading_all(
    office: Office, salads: list[Payment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backoffice.search_results.SHOWN", 2)
    with CaptureQueriesContext(connection) as statements:
        page = search(office, "conch salads"[:-1])

    assert [payment.pk in page for payment in salads[:2]] == [True, True]
    by_index = [each["sql"] for each in statements if "'@'':*" in each["sql"]]
    assert by_index == []
