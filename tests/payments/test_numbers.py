"""The number of a payment for people: made of its id, read back as it is said on the phone."""

from datetime import UTC, datetime

import pytest

from core.ids import new_id
from payments.numbers import id_prefix_of, is_number_of, number_of

PAYMENT = new_id("pay", datetime(2026, 11, 22, 14, 5, tzinfo=UTC))


def test_it_is_ten_letters_and_digits_that_lead_to_the_id():
    number = number_of(PAYMENT)

    assert len(number) == 11
    assert not set(number) & set("ILOU")
    assert PAYMENT.startswith(id_prefix_of(number))
    assert is_number_of(number, PAYMENT)


@pytest.mark.parametrize("dash", "\u2010\u2011\u2012\u2013\u2014\u2212")
def test_a_number_is_read_with_any_dash(dash):
    number = number_of(PAYMENT)
    copied = number.replace("-", dash)

    assert id_prefix_of(copied) == id_prefix_of(number) != ""
    assert is_number_of(copied, PAYMENT)


@pytest.mark.parametrize(
    ("payment_id", "number"),
    [
        ("pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg", "3GBJB-S195S"),
        ("pay_0VzzzzzzAbCq7XvJm4TzN8rKd2YwLs", "3FMVK-3ZZKZ"),
        ("pay_zzzzzzzzq7XvJm4TzN8rKd2YwLs6Hg", "J9SG8-33ZKN"),  # its time is more than fits
    ],
)
def test_it_stays_the_number_that_was_printed_once(payment_id: str, number: str) -> None:
    assert number_of(payment_id) == number


@pytest.mark.parametrize("typed", [str.lower, lambda text: text.replace("-", " "), str.strip])
def test_it_is_read_as_people_type_it(typed):
    assert is_number_of(typed(number_of(PAYMENT)), PAYMENT)


def test_letters_that_are_misread_are_understood():
    number = number_of(PAYMENT)
    misread = number.replace("0", "o").replace("1", "l")

    assert id_prefix_of(misread) == id_prefix_of(number)
    for typed, meant in (("O", "0"), ("I", "1"), ("L", "1"), ("U", "V")):
        assert id_prefix_of(f"3GBJB-S19{typed}S") == id_prefix_of(f"3GBJB-S19{meant}S") != ""
        assert id_prefix_of(f"3{typed}BJB-S195S") == id_prefix_of(f"3{meant}BJB-S195S") != ""


def test_payments_of_the_same_moment_differ_by_their_check():
    at = datetime(2026, 11, 22, 14, 5, tzinfo=UTC)
    numbers = {number_of(new_id("pay", at)) for _ in range(50)}

    assert len(numbers) > 40
    assert len({number[:8] for number in numbers}) == 1


@pytest.mark.parametrize("text", ["", "12.50", "conch", "8K3QF", "8K3QF-2M7XA-1", "pay_1"])
def test_what_is_no_number_leads_nowhere(text):
    assert id_prefix_of(text) == ""


def test_an_id_of_another_kind_has_none():
    assert number_of("link_1") == ""
    assert not is_number_of("", "link_1")
