"""Shares, rounding and how amounts read."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.money import basis_points_of, decimal_text, is_currency, minor_digits, share_of


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines are busy
@given(fee=st.integers(0, 10**11), parts=st.lists(st.integers(1, 10**9), min_size=1, max_size=20))
def test_shares_of_any_parts_add_up_to_the_whole(fee: int, parts: list[int]) -> None:
    whole, given_back, done = sum(parts), 0, 0
    for part in parts:
        share = share_of(fee, done + part, whole) - share_of(fee, done, whole)
        assert share >= 0
        given_back, done = given_back + share, done + part

    assert given_back == fee


@pytest.mark.parametrize(("amount", "share"), [(1, 1), (25, 13), (26, 13)])
def test_half_of_the_smallest_unit_is_given_back_whole(amount: int, share: int) -> None:
    assert share_of(amount, 1, 2) == share


@pytest.mark.parametrize(
    ("amount", "points", "fee"),
    [(1_001, 250, 25), (20, 250, 1), (19, 250, 0), (1, 10_000, 1), (1, 4_999, 0)],
)
def test_fees_are_rounded_half_up(amount: int, points: int, fee: int) -> None:
    assert basis_points_of(amount, points) == fee


@pytest.mark.parametrize("code", ["BSD", "USD", "EUR", "JPY", "KWD", "XCD", "XOF", "IQD", "CLF"])
def test_currencies_in_use_are_known(code: str) -> None:
    assert is_currency(code)


@pytest.mark.parametrize(
    "code", ["bsd", "XXQ", "", "B$D", "BSDX", "DEM", "BGN", "XXX", "XAU", "XDR"]
)
def test_what_no_one_pays_in_is_no_currency(code: str) -> None:
    assert not is_currency(code)


def test_a_withdrawn_currency_keeps_its_decimals() -> None:
    assert minor_digits("BGN") == 2


def test_no_decimals_are_guessed() -> None:
    with pytest.raises(KeyError):
        minor_digits("XXQ")


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (1_250, "BSD", "12.50"),
        (5, "BSD", "0.05"),
        (0, "BSD", "0.00"),
        (-1_250, "BSD", "-12.50"),
        (1_250, "JPY", "1250"),
        (1_250, "IQD", "1.250"),
        (1_250, "RSD", "12.50"),
        (1_250, "CLF", "0.1250"),
        (99_999_999_999, "BSD", "999999999.99"),
    ],
)
def test_banks_read_units(amount: int, currency: str, text: str) -> None:
    assert decimal_text(amount, currency) == text
