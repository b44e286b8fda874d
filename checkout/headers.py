"""The security headers of the checkout: they allow only what its pages need.

Pages load nothing from third parties, run one script of ours, and may not be framed.
"""

from collections.abc import Mapping
from typing import Any

from csp.constants import HEADER, NONCE, NONE, SELF, STRICT_DYNAMIC
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponse

from core.checked_headers import add_headers, checked_headers
from core.json import dump_json

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

# Built once: only the nonce differs between requests.
_PLACE = "{nonce}"
_WITH_NONCE = build_policy(POLICY, nonce=_PLACE)
_WITHOUT_NONCE = build_policy(POLICY)

_OF_A_PAGE = checked_headers(
    {
        "Cache-Control": "no-store",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Reporting-Endpoints": f'policy="/{REPORTS_PATH}"',
        "Permissions-Policy": "publickey-credentials-get=(self), "
        "publickey-credentials-create=(self), camera=(), geolocation=(), microphone=(), "
        "payment=(), usb=()",
        "X-Robots-Tag": "noindex, nofollow",
    }
)


def set_policy(request: HttpRequest, response: HttpResponse) -> None:
    """Set the page's policy, with the nonce of its script if it has one."""
    nonce: Any = getattr(request, "csp_nonce", None)  # truthy once a template has used it
    policy = _WITH_NONCE.replace(_PLACE, str(nonce)) if nonce else _WITHOUT_NONCE
    response.headers[HEADER] = policy


def set_page_headers(response: HttpResponse) -> HttpResponse:
    """Keep a page out of caches, frames and search engines."""
    add_headers(response, _OF_A_PAGE)
    return response


def uncacheable_json(answer: Mapping[str, object]) -> HttpResponse:
    """Return uncacheable JSON for a script of our own pages."""
    return HttpResponse(
        dump_json(answer), content_type="application/json", headers={"Cache-Control": "no-store"}
    )


def open_to_all_sites(response: HttpResponse) -> HttpResponse:
    """Let scripts of any site read the response, for public URLs requested without cookies."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    return response
