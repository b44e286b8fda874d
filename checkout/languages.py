"""Which language a page speaks: `?lang=`, which is remembered, or else the browser's."""

from collections.abc import Callable

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
    if code := _asked_for(request):
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            code,
            max_age=COOKIE_SECONDS,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )


def _asked_for(request: HttpRequest) -> str:
    code = request.GET.get("lang", "")
    return code if code in dict(settings.LANGUAGES) else ""
