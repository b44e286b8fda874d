"""The language of a page: `?lang=`, or else the browser's.

A language chosen by a link on our own pages is remembered. Any other link affects only its one
page, or a stranger's link could choose the language in which a wallet's owner is warned.
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
    """Activate the browser's language, as Django does, without its search of the URL."""

    def middleware(request: HttpRequest) -> HttpResponse:
        translation.activate(translation.get_language_from_request(request))
        response = get_response(request)
        patch_vary_headers(response, ("Accept-Language",))
        response.headers.setdefault("Content-Language", translation.get_language())
        return response

    return middleware


def choose_language(request: HttpRequest) -> None:
    """Activate the language that `?lang=` names, if it is one of ours."""
    if code := _asked_for(request):
        translation.activate(code)


def remember_language(request: HttpRequest, response: HttpResponse) -> None:
    """Store a language that the reader has chosen by `?lang=`."""
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
    """Return whether the reader chose this page's language, on this page or in the browser.

    Browsers send a Referer only from our own pages (`SECURE_REFERRER_POLICY`). It must be this very
    page, where the choice of language is: other pages of ours may link to a URL from a shop.
    """
    before = urlsplit(request.headers.get("Referer", ""))
    is_same_page = (before.netloc, before.path) == (request.get_host(), request.path)
    return (request.method == "GET" and is_same_page) or not _asked_for(request)


def _asked_for(request: HttpRequest) -> str:
    if not request.META.get("QUERY_STRING"):  # as for most pages: `GET` would build a mapping
        return ""
    code = request.GET.get("lang", "")
    return code if code in dict(settings.LANGUAGES) else ""
