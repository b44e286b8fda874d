"""The request path of `/v1`, which bypasses everything that only pages need.

No session, language, form, staff or template handling comes between a caller and its view, only
`API_MIDDLEWARE`.
"""

from collections.abc import Callable
from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import Resolver404, ResolverMatch, get_resolver, is_valid_path
from django.utils import translation
from django.utils.module_loading import import_string

from config.found_views import FoundViews
from core.errors import NotFound
from core.handler import API_PREFIX, api_error, json_error
from core.middleware import refusal_of

_GetResponse = Callable[[HttpRequest], HttpResponse]


def api_requests(pages: _GetResponse) -> _GetResponse:
    """Answer `/v1`, and pass other requests on to the middleware that follows in the list."""
    api: _GetResponse = answer
    for path in reversed(settings.API_MIDDLEWARE):
        api = import_string(path)(api)

    def middleware(request: HttpRequest) -> HttpResponse:
        return (api if request.path.startswith(API_PREFIX) else pages)(request)

    return middleware


def answer(request: HttpRequest) -> HttpResponse:
    """Call the view of the URL; any failure is answered in JSON."""
    # The previous request of this thread may have been a page in another language.
    translation.activate(settings.LANGUAGE_CODE)
    try:
        response = _response_of_view(request)
    except Exception as error:  # an edge: the handler knows the expected ones and logs the others
        response = json_error(api_error(error))
    response["Content-Length"] = str(len(response.content))
    return response


def _response_of_view(request: HttpRequest) -> HttpResponse:
    request.get_host()  # refuses a host that is not ours
    if refusal := refusal_of(request):
        return json_error(refusal)
    match = request.resolver_match = _match_of(request.path_info)
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    return response


def _match_of(path: str) -> ResolverMatch:
    """Return the view for a path. Raises NotFound."""
    try:
        return _views_of(settings.ROOT_URLCONF).resolve(path)
    except Resolver404:
        is_slash_wrong = path.endswith("/") and is_valid_path(path[:-1])
        raise NotFound("Remove the trailing slash." if is_slash_wrong else "") from None


@cache
def _views_of(urlconf: str) -> FoundViews:
    return FoundViews(get_resolver(urlconf))
