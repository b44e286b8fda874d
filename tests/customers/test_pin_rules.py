"""Which PINs may be chosen."""

import pytest

from core.errors import ValidationFailed
from customers.pin_rules import COMMON_PINS, PIN_FORMAT, is_obvious, refuse_unfit

PHONE = "+12423591234"
FIT = ["8305", "4920", "73916", "730582", "9031"]


@pytest.mark.parametrize("pin", FIT)
def test_it_accepts_a_pin_without_a_pattern(pin: str) -> None:
    refuse_unfit(pin, phone=PHONE)


@pytest.mark.parametrize(
    "pin",
    [
        *sorted(COMMON_PINS),
        *(digit * length for digit in "0123456789" for length in (4, 5, 6)),
        *("1212", "9898", "121212", "123123", "505050"),
        *("1234", "12345", "123456", "6789", "7890", "0123", "4321", "987654", "3210", "0987"),
        *("2423", "4235", "3591", "1234", "12423", "423591", "591234"),  # of the phone
        *("4321", "1953", "195324"),  # of the phone, backwards
    ],
)
def test_it_refuses_an_obvious_pin(pin: str) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        refuse_unfit(pin, phone=PHONE)

    assert refusal.value.details == "pin: is too easy to guess"


@pytest.mark.parametrize(
    "pin",
    ["", "123", "1234567", "12a4", "١٢٣٤", "83 05", "8305\n", "-830", "\uff18305", "8305\x00"],
)
def test_it_refuses_what_is_no_pin(pin: str) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        refuse_unfit(pin, phone=PHONE)

    assert refusal.value.details == "pin: must be 4 to 6 digits"


def test_the_list_is_long_and_well_formed_and_says_what_the_rules_do_not() -> None:
    assert len(COMMON_PINS) >= 20
    assert all(PIN_FORMAT.fullmatch(pin) for pin in COMMON_PINS)
    assert not [pin for pin in COMMON_PINS if len(set(pin)) == 1]


def test_most_pins_are_left_to_choose() -> None:
    refused = sum(is_obvious(f"{number:04}", phone=PHONE) for number in range(10_000))

    assert 100 <= refused <= 300
