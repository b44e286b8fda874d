"""The request path of customers' pages, which bypasses everything that only staff need.

No Django session, staff or message handling comes between a customer and the checkout, only
`PAGE_MIDDLEWARE`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from django.core.handlers.exception import convert_exception_to_response
from django.http import HttpRequest, HttpResponse
from django.urls.resolvers import RegexPattern, URLResolver
from django.utils.module_loading import import_string
from django.views.decorators.csrf import csrf_protect

import checkout.urls
import links.image_urls
from checkout.error_pages import PAGES

PAGE_MIDDLEWARE = [
    "config.api_metrics.api_metrics",
    "core.middleware.instant",
    "core.middleware.request_id",
    "config.request_log.api_request_log",
    "django.middleware.security.SecurityMiddleware",
    "config.security.PolicyMiddleware",
    "checkout.languages.page_language",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

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
    match = request.resolver_match = _URLS.resolve(request.path_info)
    response: HttpResponse = _guarded(match.func)(request, *match.args, **match.kwargs)
    return response


_guarded = cache(csrf_protect)
# Without the patterns of the API and of staff, which `config.urls` has to try first.
_PATTERNS = [*checkout.urls.urlpatterns, *links.image_urls.urlpatterns]
_URLS = URLResolver(RegexPattern(r"^/"), _PATTERNS)
