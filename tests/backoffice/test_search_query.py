"""What is typed into the search box, and all that it can mean."""

from datetime import date

import pytest

from backoffice.search_query import SearchQuery, figures_and_words, missing_day, parse_query

TODAY = date(2026, 11, 21)  # a Saturday
PAY = "pay_0VbaO3dt9C4bhTqiRyFU8F5UIxIf4i"


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (PAY, {"public_id": PAY}),
        (f"  https://pay.example/checkout/{PAY}?x=1 ", {"public_id": PAY}),
        ("+1 242 555 0100", {"phone": "+12425550100"}),
        ("(242) 555-0100", {"phone": "+12425550100"}),
        ("242.555.0100", {"phone": "+12425550100"}),
        ("5.00 0100", {"amount": 500, "last_four": "0100"}),
        ("0100 5.00", {"amount": 500, "last_four": "0100"}),
        ("-5.00 0100", {"amount": 500, "last_four": "0100"}),
        ("1250.00 0100", {"amount": 125_000, "last_four": "0100"}),
        ("1 250.00 0100", {"amount": 125_000, "last_four": "0100"}),
        ("Pat@Example.com", {"email": "pat@example.com"}),
        ("12.50", {"amount": 1_250}),
        ("B$12.50", {"amount": 1_250}),
        ("$1,250.00", {"amount": 125_000}),
        ("12.50 BSD", {"amount": 1_250, "currency": "BSD"}),
        ("1250 JPY", {"amount": 1_250, "currency": "JPY"}),
        ("0100 12.50 BSD", {"amount": 1_250, "currency": "BSD", "last_four": "0100"}),
        ("12.50 BSD 1250", {"amount": 1_250, "currency": "BSD", "last_four": "1250"}),
        ("BSD 1250 0100", {"amount": 125_000, "currency": "BSD", "last_four": "0100"}),
        ("0100 BSD", {"currency": "BSD", "last_four": "0100"}),
        ("0100 $ 12.50", {"amount": 1_250, "last_four": "0100"}),
        ("12.50 $ 0100", {"amount": 1_250, "last_four": "0100"}),
        ("1250", {"last_four": "1250"}),
        ("$1250", {"amount": 125_000}),
        ("49,99", {"amount": 4_999}),
        ("B$ 49.99", {"amount": 4_999}),
        ("49.99 $", {"amount": 4_999}),
        ("£12.50", {"amount": 1_250}),
        ("12.50 €", {"amount": 1_250}),
        ("US$12.50", {"amount": 1_250}),
        ("(JP¥5,000)", {"amount": 500_000}),
        ("0100 ₩ 5,000", {"amount": 500_000, "last_four": "0100"}),
        ("-12.50", {"amount": 1_250}),
        ("\u221212.50", {"amount": 1_250}),
        ("12.50-", {"amount": 1_250}),
        ("(12345.67)", {"amount": 1_234_567}),
        ("-12345.67", {"amount": 1_234_567}),
        ("12.50?", {"amount": 1_250}),
        ("1 200.00", {"amount": 120_000}),
        ("12 345.67", {"amount": 1_234_567}),
        ("dec 3 100.00", {"amount": 10_000, "day": date(2025, 12, 3)}),
        ("2026-17", {}),
        ("12.50 0100 today", {"amount": 1_250, "last_four": "0100", "day": TODAY}),
        ("0100 12.50 this morning", {"amount": 1_250, "last_four": "0100", "day": TODAY}),
        ("…0100 yesterday", {"last_four": "0100", "day": date(2026, 11, 20)}),
        ("12.50 on 2026-11-03", {"amount": 1_250, "day": date(2026, 11, 3)}),
        ("12.50 3 Nov", {"amount": 1_250, "day": date(2026, 11, 3)}),
        ("12.50 December 3", {"amount": 1_250, "day": date(2025, 12, 3)}),
        ("5.00 monday", {"amount": 500, "day": date(2026, 11, 16)}),
        ("5.00 saturday", {"amount": 500, "day": TODAY}),
        ("5.00 thurs", {"amount": 500, "day": date(2026, 11, 19)}),
        ("5.00 Sept 3", {"amount": 500, "day": date(2026, 9, 3)}),
        ("12.03 Mar", {}),  # a sum at a shop, no third of March
        ("2 decaf", {}),
        ("Market 5", {}),
        ("Mondo Cafe", {}),
        ("2026-11-03", {"day": date(2026, 11, 3)}),
        ("31 feb", {}),
        ("2026-11-31", {}),
        ("12.50 2026-11-31", {}),
        ("12.50 31 feb", {}),
        ("12.50 12.50", {"amount": 1_250}),
        ("12.50 12,50 twice today", {"amount": 1_250, "day": TODAY}),
        ("i was charged 12.50", {}),  # `search_words` takes "charged" away
        ("12.50 19.50", {}),
        ("9999-12-31", {}),
        ("0000-00-00", {}),
        ("cart=c991", {"pair": ("cart", "c991")}),
        ("A-1001", {}),
        ("Island Coffee", {}),
        ("12.505", {"amount": 12505, "currency": "TND"}),
        ("\u0661\u0662.50", {}),
        ("\u0661\u0662\u0663\u0664", {}),
        ("refund 1\u0662\u0663\u0664", {}),
        ("nul\0byte", {}),
    ],
)
def test_it_reads(text: str, meaning: dict[str, object]) -> None:
    question = parse_query(text, TODAY)

    assert question == SearchQuery(question.text, **meaning)  # type: ignore[arg-type]  # its fields
    assert "\0" not in question.text


@pytest.mark.parametrize(
    ("digits", "amount"), [("1250", 125_000), ("0100", None), ("12.50", None), ("12.50 1250", None)]
)
def test_four_digits_can_be_an_amount(digits: str, amount: int | None) -> None:
    reading = parse_query(digits, TODAY).with_digits_as_amount

    assert (reading and reading.amount) == amount
    assert reading is None or not reading.last_four


@pytest.mark.parametrize(
    ("text", "amount", "day", "name"),
    [
        ("Reef Market 12.50", 1_250, None, "reef market"),
        ("Satay 12.50 sat", 1_250, TODAY, "satay"),
        ("Lemonade 12.50 mon", 1_250, date(2026, 11, 16), "lemonade"),
        *(("Mar 12.03", 1_203, None, "mar"), ("12.03 Mar", 1_203, None, "mar")),
        ("Nova 12.50 13 Nov", 1_250, date(2026, 11, 13), "nova"),
        *(("Store 24 12.50", 1_250, None, "store 24"), ("12.50 Store 24", 1_250, None, "store 24")),
        ("Route 7 Grill $30", 3_000, None, "route 7 grill"),
        ("Store 24", 2_400, None, "store"),
    ],
)
def test_a_day_is_no_part_of_a_name(text: str, amount: int, day: date | None, name: str) -> None:
    query, others = figures_and_words(text, TODAY)

    assert query is not None
    assert (query.amount, query.day, others) == (amount, day, name)


def test_it_reads_figures_beside_the_name_of_a_shop() -> None:
    query, name = figures_and_words("12.50 at Reef Bakery on 3 Nov", TODAY)

    assert query is not None
    assert (query.amount, query.day, name) == (1_250, date(2026, 11, 3), "reef bakery")
    assert figures_and_words("Reef Bakery", TODAY)[0] is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("12.50 on 2026-11-31", "2026-11-31"),
        ("2026-11-30", ""),
        ("12.50", ""),
        ("12026-11-31", ""),
    ],
)
def test_a_day_that_no_calendar_has_is_named(text: str, day: str) -> None:
    assert missing_day(text) == day


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *(("12.50 house of tea", "house of tea"), ("house of tea 12.50 today", "house of tea")),
        ("I was charged 12.50 at the House of Tea on 3 Nov", "charged at the house of tea"),
        ("of the 12.50 on the reef at last", "reef"),
        ("Tip to Toe 0100 12.50", "tip to toe"),
    ],
)
def test_fillers_within_a_name_are_part_of_it(text: str, name: str) -> None:
    assert figures_and_words(text, TODAY)[1] == name
