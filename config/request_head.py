"""What is read of a request before its network is charged, and where nothing catches a failure.

Some codecs of Python are no encodings of text. And two of its parsers are quadratic in a header
that anyone writes: that of e-mails, by which Django reads Content-Type (64 KB kept a processor
busy for ten seconds), and, in some versions of Python, that of quoted cookies. A method is a label
of metrics, which no process ever forgets.
"""

from collections.abc import Iterable
from http import HTTPMethod
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from django.core.handlers.wsgi import WSGIRequest
from django.utils.http import parse_header_parameters

from core.errors import MethodNotAllowed
from core.handler import json_error

LONGEST_CONTENT_TYPE = 300  # a boundary, the longest part of one, has 200 characters at most
METHODS = frozenset(HTTPMethod)
ENCODED_PARAMETER = "*="  # RFC 2231: of e-mails; no browser or library sends one


class Utf8Request(WSGIRequest):
    """A request that is read as UTF-8, whatever charset it names.

    A Content-Type that no client sends counts as none; our cookies contain no backslash.
    """

    def __init__(self, environ: dict[str, Any]) -> None:
        given = environ.get("CONTENT_TYPE", "")
        if len(given) > LONGEST_CONTENT_TYPE or ENCODED_PARAMETER in given:
            environ["CONTENT_TYPE"] = ""
        if "HTTP_COOKIE" in environ:
            environ["HTTP_COOKIE"] = environ["HTTP_COOKIE"].replace("\\", "")
        super().__init__(environ)

    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        given = meta.get("CONTENT_TYPE", "")
        self.content_type, self.content_params = parse_header_parameters(given)


def refuse_made_up_methods(application: WSGIApplication) -> WSGIApplication:
    """Refuse any method that HTTP does not have."""
    refusal = json_error(MethodNotAllowed())
    status = f"{refusal.status_code} {refusal.reason_phrase}"

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"].upper() in METHODS:
            return application(environ, start_response)
        start_response(status, list(refusal.items()))
        return [refusal.content]

    return answer
