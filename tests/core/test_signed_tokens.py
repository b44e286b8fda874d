"""A signature tells which tokens are worth a look-up; it opens nothing."""

import pytest
from pytest_django import Settings

from core.signed_tokens import SIGNATURE_CHARACTERS, is_signed, signed


def test_it_knows_what_it_has_signed() -> None:
    assert is_signed(signed("token"))
    assert signed("token").startswith("token")
    assert len(signed("")) == SIGNATURE_CHARACTERS


@pytest.mark.parametrize(
    "token", ["", "token", "x" * 59, signed("token")[:-1], "a" + signed("token"), "é\udcff" * 20]
)
def test_it_refuses_what_is_made_up(token: str) -> None:
    assert not is_signed(token)


def test_a_key_of_before_still_counts(settings: Settings) -> None:
    token, earlier = signed("token"), settings.SECRET_KEY
    settings.SECRET_KEY = "another" * 10
    assert not is_signed(token)
    settings.SECRET_KEY_FALLBACKS = [earlier]

    assert is_signed(token)
