"""Bound what is parsed of a request before its network is charged and errors are caught.

Django decodes with whatever codec the request names, and some of Python's, such as `rot13`, are
not text encodings and raise. Two parsers take quadratic time: Python's for e-mail headers, with
which Django reads Content-Type (64 KB kept a processor busy for ten seconds), and in some versions
of Python the one for quoted cookies. And a method becomes a label of metrics, which a process keeps
for as long as it lives.
"""

from collections.abc import Iterable
from functools import lru_cache
from http import HTTPMethod
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.http import parse_header_parameters

LONGEST_CONTENT_TYPE = 300  # a boundary, the longest part of one, has 200 characters at most
MOST_HOSTS = 100  # of those that are ours, with and without their ports
METHODS = frozenset(HTTPMethod)
ENCODED_PARAMETER = "*="  # RFC 2231, for e-mails: browsers and HTTP libraries send none


class Utf8Request(WSGIRequest):
    """A request that is read as UTF-8, whatever charset it names.

    A Content-Type that no client would send counts as none. Backslashes, which quote in a cookie,
    are removed: our cookies contain none.
    """

    def __init__(self, environ: dict[str, Any]) -> None:
        content_type = environ.get("CONTENT_TYPE", "")
        if len(content_type) > LONGEST_CONTENT_TYPE or ENCODED_PARAMETER in content_type:
            environ["CONTENT_TYPE"] = ""
        if "HTTP_COOKIE" in environ:
            environ["HTTP_COOKIE"] = environ["HTTP_COOKIE"].replace("\\", "")
        super().__init__(environ)

    @cached_property
    def scheme(self) -> str | None:
        """Return whether it came by http or https: three middlewares ask, from five settings."""
        return super().scheme

    def get_host(self) -> str:
        """Return the host, if it is ours. Raises DisallowedHost."""
        host = self.META.get("HTTP_HOST")
        return _ours(host, tuple(settings.ALLOWED_HOSTS)) if host else super().get_host()

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        # As Django's, which then sets `encoding` to the charset.
        content_type = meta.get("CONTENT_TYPE", "")
        self.content_type, self.content_params = parse_header_parameters(content_type)


@lru_cache(MOST_HOSTS)
def _ours(host: str, allowed: tuple[str, ...]) -> str:
    """Return a host that Django accepts, looked at once. Raises DisallowedHost, each time."""
    request = HttpRequest()
    request.META["HTTP_HOST"] = host
    return request.get_host()


def rename_unknown_methods(application: WSGIApplication) -> WSGIApplication:
    """Take any method that HTTP does not define, such as `PROPFIND`, for `TRACE`.

    No address takes that one either, and each refuses it with 405 and the methods that it takes.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"].upper() not in METHODS:
            environ["REQUEST_METHOD"] = HTTPMethod.TRACE.value
        return application(environ, start_response)

    return answer
