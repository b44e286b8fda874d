"""Phone numbers are read as people write them."""

import pytest

from core.errors import ValidationFailed
from customers.phones import masked, normalize_phone


@pytest.mark.parametrize(
    "text",
    [
        "+1 242 555 0100",
        "+12425550100",
        "(242) 555-0100",
        "242.555.0100",
        " 242 555 0100 ",
        "0012425550100",
        "1-242-555-0100",
        "٢٤٢٥٥٥٠١٠٠",
        f"+1 (242) 555{'-' * 16}0100",  # of 32 characters
    ],
)
def test_it_reads_a_number_in_any_spelling(text: str) -> None:
    assert normalize_phone(text, livemode=False) == "+12425550100"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "abc",
        "+1242FLOWERS",
        "+1 242 555 0100 ext 5",
        "tel:+12425550100",
        "+1242555010\x00",
        "+1\u202e2425550100",
        "12",
        "+999 123 456",
        "1" * 33,
        "+1 242 555 0100; DROP",
    ],
)
@pytest.mark.parametrize("livemode", [False, True])
def test_it_refuses_what_is_no_number(text: str, livemode: bool) -> None:
    with pytest.raises(ValidationFailed) as refusal:
        normalize_phone(text, livemode=livemode)

    assert refusal.value.details == "phone: must be a mobile phone number, with its country code"


@pytest.mark.parametrize(
    "text",
    [
        "+1 242 555 0100",  # no number of this kind is given out
        "+1 900 555 1234",  # premium rate
        "+44 909 879 0123",  # premium rate
        "+1 800 234 5678",  # toll free
        "+44 20 7946 0958",  # a landline
    ],
)
def test_a_live_number_must_receive_texts(text: str) -> None:
    with pytest.raises(ValidationFailed):
        normalize_phone(text, livemode=True)


@pytest.mark.parametrize("text", ["+1 242 359 1234", "+44 7911 123456", "+1 305 555 1234"])
def test_a_live_mobile_is_accepted(text: str) -> None:
    assert normalize_phone(text, livemode=True) == text.replace(" ", "")


@pytest.mark.parametrize(
    ("phone", "shown"),
    [("+12425550100", "+1 242 ••• 0100"), ("+447911123456", "+44 ••• 3456")],
)
def test_a_shown_number_hides_its_middle(phone: str, shown: str) -> None:
    assert masked(phone) == shown
