"""What counts as a PIN where one is typed."""

import pytest

from checkout.forms import PinForm


@pytest.mark.parametrize("typed", ["1234", "123456", "12 34", "12-34-56"])
def test_four_to_six_digits_are_a_pin(typed: str) -> None:
    form = PinForm({"pin": typed})

    assert form.is_valid()
    assert form.cleaned_data["pin"] == typed.replace(" ", "").replace("-", "")


@pytest.mark.parametrize("typed", ["123", "1234567", "12a4", "١٢٣٤", "12,34"])
def test_anything_else_is_none(typed: str) -> None:
    assert PinForm({"pin": typed}).errors == {"pin": ["A PIN has 4 to 6 digits."]}
