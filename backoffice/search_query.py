"""Parse what was typed into the search box: every meaning that each word can have."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from django.conf import settings

from backoffice.formats import cents
from backoffice.resource.catalog import BY_PREFIX
from backoffice.resource.days import read_day
from core.currencies import EXPONENTS
from core.errors import ValidationFailed
from core.money import MAX_AMOUNT, is_currency, minor_digits
from core.search import words_of
from customers.phones import normalize_phone

MOST_CHARACTERS = 200
PREFIXES = ("txn", *BY_PREFIX)
_ID = re.compile(rf"\b(?:{'|'.join(PREFIXES)})_[0-9A-Za-z]{{8,40}}\b")
_LAST_FOUR = re.compile(r"[.…•*]*([0-9]{4})")
_PHONE = re.compile(r"\+?[\d\s().\-/]{7,}")
_DECIMAL = re.compile(r"[(+\-\u2212]?(?:[\d,]+|\d{1,3}(?: \d{3})+)\.\d+[)\-\u2212]?")
# The signs of currencies, as on receipts: "JP¥5,000", "US$12.50", "12.50 €".
_CURRENCIES = "$£¥" + "".join(map(chr, range(0x20A0, 0x20D0)))
_CURRENCY = re.compile(rf"^[a-z]{{0,2}}[{_CURRENCIES}]|[{_CURRENCIES}]$")
_PRICE = re.compile(rf"[{_CURRENCIES}]|\d[.,]\d")
# What a page, a statement or a person writes around an amount: "-12.50", "(12.50)", "£ 12.50".
_SIGNS, _ENDS = "()+-\u2212", ".;:?!"
# A sign between two figures could be of either, and is left alone: "0100 $ 12.50".
_SPACES_IN_AMOUNT = re.compile(
    rf"(?<=[{_CURRENCIES}])(?<!\d [{_CURRENCIES}]) (?=\d)|(?<=\d) (?=[{_CURRENCIES}](?: \D|$))"
)
_GROUPED_BY_SPACES = re.compile(r"(?<!\S)\d{1,3}(?: \d{3})+[.,]\d{2}(?!\S)")
# "December 3" and "3 Dec": the month and the day by name; no part of a decimal is a day.
_DAYS_OF_MONTH = (
    re.compile(r"\b(?P<month>[a-z]{3,}) (?P<day>\d{1,2})\b(?![.,]\d)"),
    re.compile(r"(?<![\d.,])(?P<day>\d{1,2})[ .]?(?P<month>[a-z]{3,})"),
)
_WORD = re.compile(r"\b[a-z]{3,}\b")
_WRITTEN_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_HOST = re.compile(r"(?=.*[a-z])\S+[.:/]\S+", re.IGNORECASE)
_PAIR = re.compile(r"([^\s:=]{1,40})[:=]\s*(\S.*)")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september",
           "october", "november", "december")  # fmt: skip
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
# One currency of each number of decimals, fewest first.
_BY_DECIMALS = dict(sorted((exponent, code) for code, exponent in EXPONENTS.items())).values()
# Said on the phone, and of no use in a search.
_FILLERS = {
    "this", "morning", "afternoon", "evening", "from", "of", "on", "the", "at", "last", "to", "for",
    "a", "my", "i", "was", "twice", *_CURRENCIES,
}  # fmt: skip


@dataclass(frozen=True)
class SearchQuery:
    """The meanings of what was typed. Several at once narrow the search down.

    The amount is in the smallest unit of `currency`, which is named beside it, or stands for all
    with as many decimals as were typed; empty if the default one may have them.
    """

    text: str
    public_id: str = ""
    phone: str = ""
    email: str = ""
    last_four: str = ""
    amount: int | None = None
    currency: str = ""
    day: date | None = None
    pair: tuple[str, str] | None = None

    @property
    def word(self) -> str:
        """The text if it is one word, and no id, amount, day, phone or e-mail; otherwise empty."""
        is_other = self.is_description or self.phone or self.email or self.public_id
        return "" if is_other or " " in self.text else self.text.rstrip("/")

    @property
    def host(self) -> str:
        """The word if it may be a host or part of a URL, such as "shop.example"; empty if not."""
        return self.word if _HOST.fullmatch(self.word) else ""

    @property
    def with_digits_as_amount(self) -> "SearchQuery | None":
        """The same with its four digits as an amount: "1200" can be 1,200.00; None if it has none.

        Those that begin with a zero only end a phone number.
        """
        if self.amount is not None or not self.last_four or self.last_four.startswith("0"):
            return None
        amount = cents(self.last_four, settings.DEFAULT_CURRENCY)
        return replace(self, last_four="", amount=amount)

    @property
    def amounts(self) -> dict[int, int]:
        """The amount in the smallest unit of currencies with each number of decimals.

        Without a currency, the number typed is meant in that of each row: 1,250 is 1,250 yen, too.
        """
        if self.amount is None:
            return {}
        digits = minor_digits(self.currency or settings.DEFAULT_CURRENCY)
        if self.currency:
            return {digits: self.amount}
        scaled = {each: scaled_amount(self.amount, digits, each) for each in EXPONENTS.values()}
        return {each: amount for each, amount in scaled.items() if amount}

    @property
    def is_description(self) -> bool:
        """Whether it describes a payment by figures: an amount, a day, the end of a phone."""
        return bool(self.last_four or self.amount is not None or self.day)


def parse_query(text: str, today: date) -> SearchQuery:
    """Return the meanings of what was typed."""
    text = " ".join(text.replace("\0", " ").split())[:MOST_CHARACTERS]
    found = _ID.search(text)
    if found:
        return SearchQuery(text, public_id=found.group())
    if "@" in text and " " not in text:
        return SearchQuery(text, email=text.lower())
    phone = _phone(text)
    if phone:
        return SearchQuery(text, phone=phone)
    described, others = figures_and_words(text, today)
    if described is not None and not others:
        return described
    pair = _PAIR.fullmatch(text)
    return SearchQuery(text, pair=(pair[1], pair[2].strip()) if pair else None)


def scaled_amount(amount: int, digits: int, wanted: int) -> int:
    """Return an amount of `digits` decimals in units of `wanted` decimals; 0 if it has none."""
    whole, rest = divmod(amount * 10**wanted, 10**digits)
    return whole if not rest and whole <= MAX_AMOUNT else 0


def words_and_day(text: str, today: date) -> tuple[list[str], date | None]:
    """Return the words of a text, and the day named beside them: "glasses 3 dec"."""
    day, rest = take_day(text.lower(), today)
    if day is None:
        return list(words_of(text)), None
    return [word for word in words_of(rest) if word not in _FILLERS], day


def missing_day(text: str) -> str:
    """Return the date in a text that no calendar has, such as 2026-11-31; empty without one."""
    written = _WRITTEN_DAY.search(text)
    return written[0] if written and read_day(written[0]) is None else ""


def _phone(text: str) -> str:
    digits = sum(character.isdigit() for character in text)
    if not _PHONE.fullmatch(text) or digits < 7 or _DECIMAL.fullmatch(text):
        return ""
    if _WRITTEN_DAY.fullmatch(text) or any(map(_is_price, text.split())):
        return ""
    try:
        return normalize_phone(text, livemode=False)
    except ValidationFailed:
        return ""


def _is_price(word: str) -> bool:
    """Return whether a word is an amount with decimals, as in "5.00 0100"; not "555.0100"."""
    return "." in word and _amount(word, settings.DEFAULT_CURRENCY) is not None


def figures_and_words(text: str, today: date) -> tuple[SearchQuery | None, str]:
    """Parse the figures in a text: "12.50", "0100 12.50 today", "B$5 yesterday".

    Of several amounts, it is the first one written as a price: in "store 24 12.50" the other is of
    the name. Returns None if it has none, and the other words.
    """
    day, rest = take_day(text.lower(), today)
    rest = _GROUPED_BY_SPACES.sub(lambda found: found[0].replace(" ", ""), rest)
    words = _SPACES_IN_AMOUNT.sub("", rest).split()
    last_four, others = "", []
    named = next((word.upper() for word in words if is_currency(word.upper())), "")
    currency = named or _finer_currency(words)
    priced = _digits_with_currency(words, currency) if currency else ""
    for word in words:
        if word.upper() == currency:
            continue
        ending = None if word == priced else _LAST_FOUR.fullmatch(word)
        if ending and not last_four:
            last_four = ending[1]
        else:
            others.append(word)
    amount, others = _take_amount(others, currency or settings.DEFAULT_CURRENCY)
    if day is None and not last_four and amount is None:
        return None, text
    found = SearchQuery(text, last_four=last_four, amount=amount, currency=currency, day=day)
    return found, " ".join(without_fillers_around(others))


def _take_amount(words: list[str], currency: str) -> tuple[int | None, list[str]]:
    """Return the amount among the words, and the other words.

    Those who were charged twice name it twice.
    """
    read = [_amount(word, currency) for word in words]
    found = [amount for amount in read if amount is not None]
    prices = [_amount(word, currency) for word in words if _PRICE.search(word)]
    amount = next((price for price in prices if price is not None), found[0] if found else None)
    if amount is None:
        return None, words
    return amount, [word for word, each in zip(words, read, strict=True) if each != amount]


def without_fillers_around(words: list[str]) -> list[str]:
    """Leave out fillers at either end, but not within a name, such as "House of Tea"."""
    named = [place for place, word in enumerate(words) if word not in _FILLERS]
    return words[named[0] : named[-1] + 1] if named else []


def _finer_currency(words: list[str]) -> str:
    """Return a currency with as many decimals as an amount has that the default one cannot have.

    1.250 is a dinar and a quarter. Empty if there is no such amount.
    """
    for word in words:
        if _DECIMAL.fullmatch(word) and _amount(word, settings.DEFAULT_CURRENCY) is None:
            return next((code for code in _BY_DECIMALS if _amount(word, code) is not None), "")
    return ""


def _digits_with_currency(words: list[str], currency: str) -> str:
    """Return the four digits that are an amount, as in "1250 JPY"; empty if another word is one.

    Those that begin with a zero only end a phone number.
    """
    amounts = [word for word in words if _amount(word, currency) is not None]
    if any(not _LAST_FOUR.fullmatch(word) for word in amounts):
        return ""
    return next((word for word in amounts if not word.startswith("0")), "")


def _amount(word: str, currency: str) -> int | None:
    """Return the amount that a word is, whatever its sign; None if it is none, as "2026-17"."""
    bare = _CURRENCY.sub("", word.rstrip(_ENDS).strip(_SIGNS))
    return None if "-" in bare else cents(bare, currency)


def take_day(text: str, today: date) -> tuple[date | None, str]:
    """Find a day in a text in lower case.

    Returns it and the text without it, or None and the text as it is.
    """
    for word, day in (("today", today), ("yesterday", today - timedelta(days=1))):
        if found := re.search(rf"\b{word}\b", text):
            return day, _without(found)
    if re.search(r"\bthis (?:morning|afternoon|evening)\b", text):
        return today, text
    if written := _WRITTEN_DAY.search(text):
        written_day = read_day(written[0])
        return written_day, _without(written) if written_day else text
    for named in _WORD.finditer(text):
        if (weekday := _place_of(named[0], _WEEKDAYS)) is not None:
            return today - timedelta(days=(today.weekday() - weekday) % 7), _without(named)
    return _day_of_month(text, today)


def _day_of_month(text: str, today: date) -> tuple[date | None, str]:
    for form in _DAYS_OF_MONTH:
        for found in form.finditer(text):
            if (month := _place_of(found["month"], _MONTHS)) is not None:
                day = _in_the_past(month + 1, int(found["day"]), today)
                return day, _without(found) if day else text
    return None, text


def _place_of(name: str, names: Sequence[str]) -> int | None:
    """Return the place of a name, written out or cut short: "dec", "sept". Not of "decaf"."""
    return next((place for place, whole in enumerate(names) if whole.startswith(name)), None)


def _without(found: re.Match[str]) -> str:
    """Return the searched text without what was found."""
    return f"{found.string[: found.start()]} {found.string[found.end() :]}"


def _in_the_past(month: int, day: int, today: date) -> date | None:
    """Return the latest such day that is not in the future: callers ask about the past."""
    this_year = read_day(f"{today.year}-{month:02}-{day:02}")
    if this_year is not None and this_year <= today:
        return this_year
    return read_day(f"{today.year - 1}-{month:02}-{day:02}")
