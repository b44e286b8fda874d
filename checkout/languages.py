"""Which language a page speaks: `?lang=`, or else the browser's.

One that is asked for by a link of our own pages is remembered. Any other link speaks for its one
page: a stranger's would choose the words in which an owner is warned.
"""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

COOKIE_SECONDS = 365 * 24 * 3600

_GetResponse = Callable[[HttpRequest], HttpResponse]


def page_language(get_response: _GetResponse) -> _GetResponse:
    """Speak the browser's language, as Django does, which looks for one in each address, too."""

    def middleware(request: HttpRequest) -> HttpResponse:
        translation.activate(translation.get_language_from_request(request))
        response = get_response(request)
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", translation.get_language())
        return response

    return middleware


def choose_language(request: HttpRequest) -> None:
    """Speak the language that `?lang=` names, if it is one of ours."""
    if code := _asked_for(request):
        translation.activate(code)


def remember_language(request: HttpRequest, response: HttpResponse) -> None:
    """Keep a language that was asked for by name."""
    if (code := _asked_for(request)) and is_readers_own(request):
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            code,
            max_age=COOKIE_SECONDS,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )


def is_readers_own(request: HttpRequest) -> bool:
    """Return whether the reader has chosen this page's language: here, or in the browser.

    What led here is said by browsers for our own pages alone (`SECURE_REFERRER_POLICY`). A language
    is chosen at the foot of the page itself: another page of ours can follow a shop's address.
    """
    before = urlsplit(request.headers.get("Referer", ""))
    is_same_page = (before.netloc, before.path) == (request.get_host(), request.path)
    return (request.method == "GET" and is_same_page) or not _asked_for(request)


def _asked_for(request: HttpRequest) -> str:
    code = request.GET.get("lang", "")
    return code if code in dict(settings.LANGUAGES) else ""
