"""How pages write amounts, instants and statuses. For display only; nothing is computed here."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.utils import timezone, translation
from django.utils.encoding import punycode
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from core.amounts import read_amount
from core.formats import money_and_code
from core.money import MAX_AMOUNT, decimal_text

_GOOD = {
    "completed", "succeeded", "paid", "delivered", "verified", "active", "carried_out", "done",
    "sent", "on", "full", "matched", "ready",
}  # fmt: skip
_BAD = {
    "failed", "suspended", "declined", "exhausted", "revoked", "refused", "returned", "forbidden",
    "off", "failing", "reversed",
}  # fmt: skip
_WAIT = {
    "pending", "processing", "requires_action", "scheduled", "in_transit", "unverified", "waiting",
    "asked", "locked", "frozen", "sending", "partial", "unsealed",
    "unmatched", "open",
}  # fmt: skip
ID_CHARACTERS, LONGEST_NAME = 6, 24
MINUS = "\u2212"
# Where a URL, or the name of an event, may be wrapped: not within a word.
_PARTS = re.compile(r"(?<=/)(?=[^/])|(?<=.)(?=\.)|(?<=_)")
# A cell that says nothing: on a phone, where each cell has a line, it is left out.
EMPTY = format_html('<span class="bo-empty">{}</span>', "—")


def money(amount: int | None, currency: str) -> str:
    """Format an amount as its customer reads it in English; a dash if there is none.

    A narrow page would break the line after a hyphen, and not after a minus.
    """
    if amount is None:
        return "—"
    with translation.override("en"):
        return money_and_code(amount, currency).replace("-", MINUS)


def figures(amount: int, currency: str) -> str:
    """Format an amount without its currency, and with the same minus as `money`: 1,250.00."""
    return f"{Decimal(decimal_text(amount, currency)):,}".replace("-", MINUS)


def cents(text: str, currency: str) -> int | None:
    """Parse an amount as people write it, "1,250.00" or "12.5"; None if it is not one."""
    amount = read_amount(text, currency, ".")
    return amount if amount is not None and 0 < amount <= MAX_AMOUNT else None


def day_text(value: Any) -> Any:
    """Format a date as "3 Nov 2026"; return any other value unchanged."""
    is_day = isinstance(value, date) and not isinstance(value, datetime)
    return f"{value.day} {value:%b %Y}" if is_day else value


def short_text(text: str, most: int) -> str:
    """Cut a text to a number of characters, marking the cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def spelled_out(text: str) -> str:
    """Add to an e-mail address or URL how its host is spelled, if that has letters beyond ASCII.

    Another script may have the same letters: the two addresses that a reader compares look alike.
    A text of several words is no address, whatever it mentions.
    """
    if text.isascii() or len(text.split()) > 1 or not ("@" in text or "://" in text):
        return text
    try:
        host = urlsplit(text).hostname or text.rpartition("@")[2]
        return text if host.isascii() else f"{text} (spelled {punycode(host)})"
    except ValueError:  # nothing can be sent to such a host
        return f"{text} (spelled {text!a})"


def clock(instant: datetime | None, now: datetime) -> str:
    """Format an instant as spoken on the phone: "14:02", "yesterday 14:02", "3 Nov 14:02".

    Empty if there is none.
    """
    if instant is None:
        return ""
    local, today = timezone.localtime(instant), timezone.localtime(now).date()
    time = local.strftime("%H:%M")
    if local.date() == today:
        return time
    if local.date() == today - timedelta(days=1):
        return f"yesterday {time}"
    return _day_and_time(local, today)


def _day_and_time(local: datetime, today: date) -> str:
    """Format as "3 Nov 14:02", with the year if it is another one."""
    year = "" if local.year == today.year else f" {local.year}"
    return f"{local.day} {local:%b}{year} {local:%H:%M}"


def short_moment(instant: datetime | None, now: datetime) -> SafeString:
    """Render an instant in a table: day and minute, and all of it on hover."""
    if instant is None:
        return EMPTY
    today = timezone.localtime(now).date()
    words = _day_and_time(timezone.localtime(instant), today)
    return format_html('<span class="bo-whole" title="{}">{}</span>', moment(instant), words)


def moment(instant: datetime | None) -> str:
    """Format an instant in full, in the time zone of staff."""
    if instant is None:
        return "—"
    local = timezone.localtime(instant)
    return f"{local.day} {local:%b %Y, %H:%M:%S}"


def age(instant: datetime, now: datetime) -> str:
    """Format how long ago something was, in the largest unit."""
    seconds = max(int((now - instant).total_seconds()), 0)
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        count = seconds // size
        if count:
            return counted(count, unit)
    return "under a minute"


def share(percent: int) -> str:
    """Format a share in percent, unbroken at the end of a line."""
    return f"{percent}\u00a0%"


def percent(basis_points: int) -> str:
    """Format basis points as percent, without a float, unbroken at the end of a line."""
    whole_part, rest = divmod(basis_points, 100)
    return f"{whole_part}.{rest:02d}\u00a0%"


def counted(count: int, word: str) -> str:
    """Format a number with its noun, which has a plural in "s"."""
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def tone(status: str) -> str:
    """Return the tone of a status: good, bad, wait or quiet."""
    for name, words in (("good", _GOOD), ("bad", _BAD), ("wait", _WAIT)):
        if status in words:
            return name
    return "quiet"


def badge(status: str, words: str) -> SafeString:
    """Render a status as a pill, in its words."""
    return format_html('<span class="bo-badge bo-{}">{}</span>', tone(status), words)


def link(text: Any, url: str) -> Any:
    """Render a link to another page of the back office; without a URL, the text."""
    return text if not url else format_html('<a class="bo-link" href="{}">{}</a>', url, text)


def code(text: Any) -> SafeString:
    """Render an id or other text that is read letter by letter."""
    return format_html('<code class="bo-code">{}</code>', text)


def short_code(text: str) -> SafeString:
    """Render an id in a list: its kind and its end are seen, and all of it is copied."""
    begin, mark, end = short_id(text).partition("…")
    if not mark:
        return code(text)
    return format_html(
        '<code class="bo-code bo-whole" title="{}">{}<span class="bo-middle">{}</span>{}</code>',
        *(text, begin, text[len(begin) : -len(end)], end),
    )


def short_id(text: str) -> str:
    """Abbreviate an id to its kind and end, and a hash to its end; leave short ones as they are."""
    prefix, mark, rest = text.rpartition("_")
    is_long = mark or len(text) > LONGEST_NAME
    return f"{prefix}{mark}…{rest[-ID_CHARACTERS:]}" if is_long else text


def amount(text: Any) -> SafeString:
    """Render an amount in a list: right-aligned, in figures of equal width."""
    return format_html('<span class="bo-amount">{}</span>', text)


def bare_amount(value: int, currency: str) -> SafeString:
    """Render an amount in a table that states its currency elsewhere: 1,250.00."""
    return amount(figures(value, currency))


def long_text(text: str, most: int = 0) -> SafeString:
    """Render a text that a table may wrap, even within a long word.

    Beyond `most` characters, the rest is shown on hover.
    """
    is_cut = 0 < most < len(text)
    title, shown = (text, short_text(text, most)) if is_cut else ("", text)
    return format_html('<span class="bo-long" title="{}">{}</span>', title, _breakable(shown))


def short_url(url: str, most: int) -> SafeString:
    """Render a URL in a narrow column: its host comes first, and all of it is shown on hover."""
    shown = in_parts(short_text(url.partition("://")[2], most))
    return format_html('<span class="bo-long" title="{}">{}</span>', url, shown)


def _breakable(text: str) -> str:
    return in_parts(text) if "://" in text else text


def in_parts(text: str) -> SafeString:
    """Let a URL or the name of an event be wrapped where its words end, and stay whole."""
    return format_html_join("", "{}<wbr>", ((part,) for part in _PARTS.split(text)))


def whole(text: Any) -> SafeString:
    """Render a text that is not wrapped."""
    return format_html('<span class="bo-whole">{}</span>', text)
