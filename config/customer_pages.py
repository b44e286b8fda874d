"""The request path of customers' pages, which bypasses everything that only staff need.

No Django session, staff or message handling comes between a customer and the checkout, only
`PAGE_MIDDLEWARE`.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from django.conf import settings
from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.middleware import csrf
from django.urls import URLResolver, get_resolver
from django.urls.resolvers import RegexPattern
from django.utils.module_loading import import_string
from django.views.decorators.csrf import csrf_protect

from checkout.error_pages import PAGES
from config.found_views import FoundViews
from core.handler import API_PREFIX
from core.ids import random_base62

PAGE_MIDDLEWARE = [
    "config.api_metrics.api_metrics",
    "core.middleware.instant",
    "core.middleware.request_id",
    "config.request_log.api_request_log",
    "config.security.SecurityHeaders",
    "config.security.PolicyMiddleware",
    "checkout.languages.page_language",
    "django.middleware.common.CommonMiddleware",
]

# Django asks the system for each character: 64 times for a page, whose thread each time lets others
# have the interpreter.
csrf._get_new_csrf_string = partial(random_base62, csrf.CSRF_SECRET_LENGTH)

_GetResponse = Callable[[HttpRequest], HttpResponse]


def customer_pages(others: _GetResponse) -> _GetResponse:
    """Answer the checkout, and pass other requests on to the middleware that follows."""
    pages: Any = convert_exception_to_response(answer)
    for path in reversed(PAGE_MIDDLEWARE):
        pages = convert_exception_to_response(import_string(path)(pages))

    def middleware(request: HttpRequest) -> HttpResponse:
        return (pages if request.path.startswith(PAGES) else others)(request)

    return middleware


def answer(request: HttpRequest) -> HttpResponse:
    """Call the view of the URL, with CSRF protection."""
    match = request.resolver_match = _pages_of(settings.ROOT_URLCONF).resolve(request.path_info)
    response: HttpResponse = _guarded(match.func)(request, *match.args, **match.kwargs)
    return response


_guarded = cache(csrf_protect)


@cache
def _pages_of(urlconf: str) -> FoundViews:
    """Return the views without those of the API, whose URLs would be tried first."""
    every = get_resolver(urlconf).url_patterns
    pages = [each for each in every if not f"/{each.pattern}".startswith(API_PREFIX)]
    return FoundViews(URLResolver(RegexPattern("^/"), pages))
