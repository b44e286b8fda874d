"""One mailbox has one name among those that strangers may write, and one count."""

import pytest
from django.core.exceptions import ValidationError

from core.mailboxes import mailbox_of, validate_public_address


@pytest.mark.parametrize(
    "address",
    [
        "Ann@Example.com",
        "a.n+tag@shop.example.bs",
        "ann@b\xfccher.example",
        "ann@xn--bcher-kva.example",
    ],
)
def test_an_address_of_a_mailbox_is_taken(address: str) -> None:
    validate_public_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "ann@exam\xadple.com",  # a soft hyphen
        "ann@\uff45xample.com",  # full width
        "ann@\u2168.example",  # the Roman nine, which becomes ix
        "ann@stra\xdfe.example",  # becomes strasse
        "ann@b\u200dc.example",  # a joiner
        "ann@xn--b\xfccher.example",  # both ways at once
        "\u212aarl@example.com",  # the sign of kelvin
        "i\u017fa@example.com",  # the long s
        '"ann"@example.com',
        '"a\\nn"@example.com',
        "=?utf-8?q?ann?=@example.com",
        "=?us-ascii?b?YW5u?=@example.com",
        "=?utf-8?q?=61@example.com",  # not even ended
    ],
)
def test_another_name_of_a_mailbox_is_refused(address: str) -> None:
    with pytest.raises(ValidationError):
        validate_public_address(address)


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("ann@example.com", "Ann+tag@Exam\xadple.com"),
        ("ann@example.com", '"ann"@\uff45xample.com'),
        ("ann@example.com", '"a\\nn+tag"@example.com'),
        ("ann@example.com", "=?utf-8?q?=61nn?=@Example.com"),
        ("ann@example.com", "=?US-ASCII?B?YW5uK3RhZw?=@example.com"),
        ("mer_1 ann@example.com", "mer_1 =?utf-8?q?ann?=@example.com"),
        ("ann@b\xfccher.example", "ann@XN--bcher-kva.example"),
        ("anncay@gmail.com", "A.nn.Cay+tag@Gmail.com"),
        ("anncay@gmail.com", "ann.cay@googlemail.com"),
        ("anncay@proton.me", "a.n-n_cay@protonmail.com"),
        ("anncay@proton.me", "anncay@pm.me"),
        ("ann@icloud.com", "ann@mac.com"),
        ("ann@icloud.com", "ann+tag@me.com"),
        ("anncay@proton.me", "anncay@protonmail.ch"),
        ("anncay@yandex.com", "ann-cay@ya.ru"),
        ("anncay@yandex.com", "ann.cay@Yandex.by"),
        ("anncay@yandex.com", "anncay@yandex.com.tr"),
        ("anncay@yandex.com", "anncay@narod.ru"),
        ("ann@fastmail.com", "whatever@ann.fastmail.com"),
    ],
)
def test_names_that_were_taken_before_share_a_count(address: str, name: str) -> None:
    assert mailbox_of(address) == mailbox_of(name)


def test_mailboxes_and_phones_are_counted_apart() -> None:
    odd = "ann@" + "b\xfc" * 40 + ".example"  # longer than a name of the net may be
    numbers = ["+12425550101@sms.example.com", "+12425550102@sms.example.com"]
    apart = [
        "ann@example.com",
        "bo@example.com",
        "ann@example.net",
        "a.nn@example.com",
        "ann@gmail.com",
        "+12423591234",
        odd,
        *numbers,
    ]

    assert len({mailbox_of(each) for each in apart}) == len(apart)
