"""Where the merchant wants the customer to go at the end. It never carries the payment's status."""

from urllib.parse import quote, urlencode, urlsplit, urlunsplit

from core.web_urls import is_web_url

PLACEHOLDER = "{PAYMENT_ID}"


def return_url(url: str, payment_id: str) -> str:
    """Return the merchant's address with the payment's id in it; empty where there is none.

    `{PAYMENT_ID}` is replaced where it stands, otherwise `payment_id` is appended to the query.
    Anything but a plain web address is ignored, however it got into the row.
    """
    if not is_web_url(url):
        return ""
    if PLACEHOLDER in url:
        return url.replace(PLACEHOLDER, quote(payment_id, safe=""))
    parts = urlsplit(url)
    added = urlencode({"payment_id": payment_id})
    return urlunsplit(parts._replace(query=f"{parts.query}&{added}" if parts.query else added))


def host_of(url: str) -> str:
    """Return the host of an address, as a reader knows it."""
    return urlsplit(url).hostname or ""
