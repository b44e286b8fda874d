"""A signature tells which tokens are worth a look-up; it opens nothing."""

import pytest
from pytest_django import Settings

from core.signed_tokens import SIGNATURE_CHARACTERS, is_signed_token, sign_token


def test_it_knows_what_it_has_signed() -> None:
    assert is_signed_token(sign_token("token"))
    assert sign_token("token").startswith("token")
    assert len(sign_token("")) == SIGNATURE_CHARACTERS


@pytest.mark.parametrize(
    "token",
    ["", "token", "x" * 59, sign_token("token")[:-1], "a" + sign_token("token"), "é\udcff" * 20],
)
def test_it_refuses_what_is_made_up(token: str) -> None:
    assert not is_signed_token(token)


def test_a_key_of_before_still_counts(settings: Settings) -> None:
    token, earlier = sign_token("token"), settings.SECRET_KEY
    settings.SECRET_KEY = "another" * 10
    assert not is_signed_token(token)
    settings.SECRET_KEY_FALLBACKS = [earlier]

    assert is_signed_token(token)
