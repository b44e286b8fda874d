"""The merchant's return URLs. They never contain the payment's status."""

import re
from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from core.web_urls import is_web_url

# `{PAYMENT_ID}`; libraries that build URLs encode its braces.
_PLACEHOLDER = re.compile(r"(?:\{|%7[Bb])PAYMENT_ID(?:\}|%7[Dd])")


def return_url(url: str, payment_id: str) -> str:
    """Return the merchant's URL with the payment's id added; empty if there is no URL.

    Replaces `{PAYMENT_ID}` if present, encoded or not, otherwise appends `payment_id` to the query.
    Ignores anything but a plain web URL, however it got into the row.
    """
    if not is_web_url(url):
        return ""
    replaced, count = _PLACEHOLDER.subn(quote(payment_id, safe=""), url)
    if count:
        return replaced
    parts = urlsplit(url)
    added = urlencode({"payment_id": payment_id})
    return urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))


def host_of(url: str) -> str:
    """Return the host of a URL, to show to people."""
    return urlsplit(url).hostname or ""
