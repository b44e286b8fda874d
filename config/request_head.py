"""What is read of a request before its network is charged, and where nothing catches a failure.

Some codecs of Python are no encodings of text. And two of its parsers are quadratic in a header
that anyone writes: that of e-mails, by which Django reads Content-Type (64 KB kept a processor
busy for ten seconds), and, in some versions of Python, that of quoted cookies.
"""

from typing import Any

from django.core.handlers.wsgi import WSGIRequest
from django.utils.http import parse_header_parameters

LONGEST_CONTENT_TYPE = 300  # a boundary, the longest part of one, has 200 characters at most
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
