"""What the checkout tells the browser it may do: only what its pages need.

Pages load nothing from third parties, run one script of ours, and may not be framed. Other sites
may show a QR code of ours as an image.
"""

from csp.constants import NONCE, NONE, SELF, STRICT_DYNAMIC
from django.http import HttpResponse

REPORTS_PATH = "policy-reports"
POLICY = {
    "default-src": [NONE],
    "script-src": [NONCE, STRICT_DYNAMIC],
    "style-src": [SELF],
    "img-src": [SELF],
    "connect-src": [SELF],
    "form-action": [SELF],
    "base-uri": [NONE],
    "frame-ancestors": [NONE],
    "report-uri": [f"/{REPORTS_PATH}"],
    "report-to": ["policy"],
}

_OF_A_PAGE = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Reporting-Endpoints": f'policy="/{REPORTS_PATH}"',
    "Permissions-Policy": "publickey-credentials-get=(self), publickey-credentials-create=(self), "
    "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "X-Robots-Tag": "noindex, nofollow",
}

_OF_AN_IMAGE = {
    "Cache-Control": "public, max-age=31536000, immutable",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


def set_page_headers(response: HttpResponse) -> HttpResponse:
    """Keep a page out of caches, frames and search engines."""
    for name, value in _OF_A_PAGE.items():
        response.headers.setdefault(name, value)
    return response


def immutable(content: bytes, content_type: str) -> HttpResponse:
    """Answer with bytes that never change at this address, cacheable and embeddable."""
    return HttpResponse(content, content_type=content_type, headers=_OF_AN_IMAGE)
