"""What a web address must be wherever a caller gives one, in one rule and one sentence."""

import re
from urllib.parse import urlsplit

from core.limits import MAX_URL
from core.text import is_printable

WEB_URL_RULE = (
    "must be an absolute address such as https://shop.example/page,"
    f" of at most {MAX_URL} characters, without credentials"
)
HTTPS_RULE = "must be an https address"

_SPACE_OR_BACKSLASH = re.compile(r"[\s\\]")


def is_web_url(text: str) -> bool:
    """Return whether this is a plain http(s) address that no two parsers read differently."""
    if not 1 <= len(text) <= MAX_URL or _SPACE_OR_BACKSLASH.search(text):
        return False
    if not is_printable(text):
        return False
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
        encoded = (host or "").encode("idna")
    except (ValueError, UnicodeError):
        return False
    has_credentials = "@" in parts.netloc
    return parts.scheme in ("https", "http") and bool(encoded) and not has_credentials and port != 0
