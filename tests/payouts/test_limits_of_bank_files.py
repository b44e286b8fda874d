"""How large and how deep a bank's file may be, and how large an amount in it"""

import pytest

from payouts.bank import safe_xml
from payouts.bank.reports import cents_of
from payouts.bank.safe_xml import parse_xml
from payouts.errors import BankFileUnreadable

NAMESPACE = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"


def nested(depth: int, inside: str = "") -> bytes:
    """As many elements within one another, the document itself among them."""
    start, end = "<a>" * (depth - 1), "</a>" * (depth - 1)
    return f'<Document xmlns="{NAMESPACE}">{start}{inside}{end}</Document>'.encode()


def test_it_is_as_deep_as_thirty_two_elements() -> None:
    kind, root = parse_xml(nested(32))

    assert (kind, root.tag, len(list(root.iter()))) == ("camt.053", "Document", 32)
    with pytest.raises(BankFileUnreadable, match="too deep"):
        parse_xml(nested(33))


def test_elements_beside_one_another_are_no_deeper() -> None:
    assert len(list(parse_xml(nested(31, "<b/>" * 40))[1].iter())) == 71


def test_it_has_no_more_elements_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_xml, "MAX_ELEMENTS", 3)

    parse_xml(nested(1, "<b/><b/>"))

    with pytest.raises(BankFileUnreadable, match="too many elements"):
        parse_xml(nested(1, "<b/><b/><b/>"))


def test_it_has_no_more_bytes_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_xml, "MAX_FILE_BYTES", len(nested(2)))

    parse_xml(nested(2))

    with pytest.raises(BankFileUnreadable, match="must not be larger than"):
        parse_xml(nested(2) + b"\n")


@pytest.mark.parametrize(
    ("text", "currency", "cents"),
    [
        ("12.50", "BSD", 1_250),
        ("12.5", "BSD", 1_250),
        ("12.", "BSD", 1_200),
        ("12", "BSD", 1_200),
        (" 12.500 ", "BSD", 1_250),
        ("12.501", "BSD", None),
        ("0.01", "BSD", 1),
        ("5", "JPY", 5),
        ("5.0", "JPY", 5),
        ("5.1", "JPY", None),
        ("1.234", "KWD", 1_234),
        ("999999999999999.99", "BSD", 99_999_999_999_999_999),
        ("1000000000000000", "BSD", None),
        ("99999999999999999", "JPY", 99_999_999_999_999_999),
        ("100000000000000000", "JPY", None),
        ("1", "XXX", None),
        ("", "BSD", None),
    ],
)
def test_amounts_are_read_to_the_cent(text: str, currency: str, cents: int | None) -> None:
    assert cents_of(text, currency) == cents
