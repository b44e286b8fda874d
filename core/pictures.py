"""Images as answers: which never change, how long they are cached, and when a 304 will do."""

import hashlib
from functools import lru_cache

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from core import qr

ETAG_CHARACTERS = 16
# For codes that a page or a till requests again soon after drawing. 9 kB each at most.
CODES_KEPT = 256
QR_FORMS = {"png": (qr.png, "image/png"), "svg": (qr.svg, "image/svg+xml")}

_FOR_EVER = {
    "Cache-Control": "public, max-age=31536000, immutable",
    # Other sites may show a picture of ours.
    "Cross-Origin-Resource-Policy": "cross-origin",
}


def qr_code_of(request: HttpRequest, address: str, form: str) -> HttpResponseBase:
    """Answer with the QR code of a public address, which never changes, as PNG or SVG."""
    return immutable_response(request, _drawn(address, form), QR_FORMS[form][1])


def immutable_response(request: HttpRequest, content: bytes, content_type: str) -> HttpResponseBase:
    """Answer with bytes that never change at this address, for anyone to show and to keep."""
    response = HttpResponse(content, content_type=content_type, headers=_FOR_EVER)
    return with_etag(request, response)


def with_etag(request: HttpRequest, response: HttpResponse) -> HttpResponseBase:
    """Set the ETag to the content's digest; if the caller has that already, answer 304 instead."""
    etag = f'"{hashlib.sha256(response.content).hexdigest()[:ETAG_CHARACTERS]}"'
    response["ETag"] = etag
    return get_conditional_response(request, etag=etag, response=response) or response


@lru_cache(maxsize=CODES_KEPT)
def _drawn(address: str, form: str) -> bytes:
    """Draw a code once. Only for addresses that anyone may know: results are cached for a while."""
    return QR_FORMS[form][0](address)
