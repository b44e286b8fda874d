"""Shares, rounding and how amounts read."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.money import basis_points_of, format_amount, is_currency, share_of


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # machines are busy
@given(fee=st.integers(0, 10**11), parts=st.lists(st.integers(1, 10**9), min_size=1, max_size=20))
def test_shares_of_any_parts_add_up_to_the_whole(fee: int, parts: list[int]) -> None:
    whole, given_back, done = sum(parts), 0, 0
    for part in parts:
        share = share_of(fee, done + part, whole) - share_of(fee, done, whole)
        assert share >= 0
        given_back, done = given_back + share, done + part

    assert given_back == fee


@pytest.mark.parametrize(
    ("amount", "points", "fee"), [(1_001, 250, 25), (20, 250, 1), (19, 250, 0), (1, 10_000, 1)]
)
def test_fees_are_rounded_half_up(amount: int, points: int, fee: int) -> None:
    assert basis_points_of(amount, points) == fee


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (1_250, "BSD", "B$12.50 BSD"),
        (1, "BSD", "B$0.01 BSD"),
        (123_456_789, "USD", "$1,234,567.89 USD"),
        (1_250, "JPY", "¥1,250 JPY"),
        (1_250, "KWD", "1.250 KWD"),
    ],
)
def test_amounts_read_as_people_write_them(amount: int, currency: str, text: str) -> None:
    assert format_amount(amount, currency) == text


@pytest.mark.parametrize("code", ["BSD", "USD", "EUR", "JPY", "KWD", "XCD", "XOF"])
def test_currencies_in_use_are_known(code: str) -> None:
    assert is_currency(code)


@pytest.mark.parametrize("code", ["bsd", "XXQ", "", "B$D", "BSDX", "DEM", "XXX", "XTS", "XAU"])
def test_what_nobody_pays_in_is_no_currency(code: str) -> None:
    assert not is_currency(code)
