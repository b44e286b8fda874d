"""Digits of other scripts in what is typed: no number that PostgreSQL would read."""

import pytest

from backoffice.search_lookups import with_metadata
from tests.factories import PaymentFactory

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.each_on_postgres("each text is another one to the number that PostgreSQL reads"),
]


@pytest.mark.parametrize("text", ["1\u0663", "-1\u0663.\u0665", "1.\u0665"])
def test_metadata_is_searched_for_digits_of_another_script(text: str) -> None:
    of_text, of_pair = PaymentFactory(metadata={"till": text}), PaymentFactory(metadata={"a": "1"})

    assert list(with_metadata(text, None)) == [of_text]
    assert list(with_metadata(text, ("till", text))) == [of_text]
    assert list(with_metadata("1", None)) == [of_pair]
