"""What was typed into a form that came too late, given back to the browser that sent it."""

from django.http import HttpRequest

# What is composed or looked up. No other field is given back: a code proves something, and so do an
# amount and an address in the answers of a caller.
_PROSE = ("recipient", "description", "text", "reason", "note")


def typed_texts(request: HttpRequest) -> list[str]:
    """Return what was composed in a form that was not read, for the page that says so.

    Nothing keeps it.
    """
    texts = (request.POST.get(name, "").strip() for name in _PROSE)
    return [text for text in texts if text]


def typed_here(request: HttpRequest) -> list[str]:
    """Return the same of a form without a valid token, if the browser says that it is our own."""
    is_ours = request.headers.get("Sec-Fetch-Site") == "same-origin"
    return typed_texts(request) if is_ours else []
