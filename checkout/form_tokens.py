"""The token that the forms of a page bring back: Django's, in fewer calls.

Django asks the system's random source for each of its letters, which for the cookie and the mask
of a first page costs as much as a tenth of its template.
"""

from django.http import HttpRequest
from django.middleware.csrf import CSRF_ALLOWED_CHARS, CSRF_SECRET_LENGTH

from core.ids import random_base62

_PLACES = {letter: place for place, letter in enumerate(CSRF_ALLOWED_CHARS)}


def form_token(request: HttpRequest) -> str:
    """Return the token of a form, as Django's `get_token` does; the page then sets the cookie."""
    request.META["CSRF_COOKIE_NEEDS_UPDATE"] = True
    secret = request.META.setdefault("CSRF_COOKIE", random_base62(CSRF_SECRET_LENGTH))
    return _masked(secret)


def _masked(secret: str) -> str:
    """Return a mask, and the secret under it: no two pages show the same, so none gives it away."""
    mask = random_base62(CSRF_SECRET_LENGTH)
    sums = (_PLACES[hidden] + _PLACES[over] for hidden, over in zip(secret, mask, strict=True))
    return mask + "".join(CSRF_ALLOWED_CHARS[place % len(_PLACES)] for place in sums)
