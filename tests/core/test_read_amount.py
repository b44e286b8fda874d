"""Amounts as people type them."""

import pytest
from django.utils import translation

from core.amounts import read_amount
from core.formats import money, money_and_code


@pytest.mark.parametrize(
    ("typed", "point", "cents"),
    [
        ("12.50", ".", 1_250),
        ("12,50", ".", 1_250),
        ("12,50", ",", 1_250),
        ("B$ 12.50", ".", 1_250),
        ("12.50 BSD", ".", 1_250),
        ("1,250", ".", 125_000),
        ("1,250", ",", None),
        ("1.250,00", ".", 125_000),
        ("1,250.00", ",", 125_000),
        ("1 250", ",", 125_000),
        ("1\u202f250,00", ",", 125_000),
        ("(12.50)", ".", 1_250),
        (".5", ".", 50),
        ("5.", ".", 500),
        ("12.505", ",", None),
        ("1,23,4", ".", None),
        ("1_000", ".", None),
        ("\u0661\u0662", ".", None),
        ("0x10", ".", None),
        ("NaN", ".", None),
        ("$", ".", None),
        ("1.5", ".", 150),
        ("1,5", ".", 150),
        ("$12.50", ",", 1_250),
        ("12,50 B$", ",", 1_250),
        ("B$12.50 BSD", ".", 1_250),
        ("€12.50", ".", None),
        ("US$12.50", ".", None),
        ("JPY 12", ".", None),
        ("-5", ".", None),
        ("9" * 31, ".", None),
        (f"{500:030}", ".", 50_000),
        ("B 12.50", ".", None),
        ("..", ".", None),
    ],
)
def test_an_amount_is_read_as_people_write_it_or_not_at_all(
    typed: str, point: str, cents: int | None
) -> None:
    assert read_amount(typed, "BSD", point) == cents


def test_a_sign_is_taken_away_as_a_whole() -> None:
    with translation.override("fr"):
        assert read_amount("$US 12,50", "USD", ",") == 1_250


def test_a_currency_without_cents_takes_none() -> None:
    assert read_amount("1,250", "JPY", ".") == 1_250
    assert read_amount("12.50", "JPY", ".") is None


@pytest.mark.parametrize(
    ("currency", "cents"), [("IQD", 12_500), ("RSD", 1_250), ("CLF", 125_000), ("KWD", 12_500)]
)
def test_decimals_are_those_of_the_standard(currency: str, cents: int) -> None:
    assert read_amount("12.5", currency, ".") == cents


@pytest.mark.parametrize("language", ["en", "es", "fr", "ht"])
@pytest.mark.parametrize("currency", ["BSD", "USD", "JPY", "HTG", "IQD", "CLF", "XAF", "EUR"])
def test_what_is_written_can_be_typed(language: str, currency: str) -> None:
    point = "." if language in ("en", "es") else ","
    with translation.override(language):
        for text in (money(1_234_567, currency), money_and_code(1_234_567, currency)):
            assert read_amount(text, currency, point) == 1_234_567
