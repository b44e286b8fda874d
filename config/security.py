"""Cookies and headers: what a page may load, and what depends on https."""

from collections.abc import Callable
from typing import Any

from csp.constants import HEADER, NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

# Alpine, on which unfold's pages run, evaluates their attributes; no script stands in a page.
ADMIN_POLICY = {"script-src": [UNSAFE_EVAL], "style-src": [UNSAFE_INLINE]}

_GetResponse = Callable[[HttpRequest], HttpResponse]


class PolicyMiddleware(CSPMiddleware):
    """Works out a policy, in 600 calls, only for a page that brings none."""

    def __init__(self, get_response: _GetResponse) -> None:
        super().__init__(get_response)
        self._plain = build_policy()

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if HEADER in response:
            return response
        if response.get("Content-Type", "").startswith("text/html"):
            return super().process_response(request, response)
        response[HEADER] = self._plain
        return response


def admin_policy(get_response: _GetResponse) -> _GetResponse:
    """Let the back office, and nothing else, run what its framework writes into its pages."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.resolver_match and request.resolver_match.app_name == "admin":
            response._csp_update = ADMIN_POLICY  # type: ignore[attr-defined]  # django-csp reads it
        return response

    return middleware


def api_headers(get_response: _GetResponse) -> _GetResponse:
    """Send with each answer of the API what a page's has that names no policy of its own."""
    policy, frames = build_policy(), settings.X_FRAME_OPTIONS

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response["X-Frame-Options"] = frames
        response["Content-Security-Policy"] = policy
        return response

    return middleware


def content_security_policy() -> dict[str, Any]:
    """Return the policy of every page that does not name its own: nothing from a third party."""
    directives = {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
    return {"DIRECTIVES": directives}


def transport(*, https: bool, proxies: int) -> dict[str, Any]:
    """Return the settings that depend on whether the world reaches the service by https."""
    year = 365 * 24 * 3600
    values: dict[str, Any] = {
        "SESSION_COOKIE_SECURE": https,
        "CSRF_COOKIE_SECURE": https,
        "SESSION_COOKIE_NAME": "__Host-session" if https else "session",
        "CSRF_COOKIE_NAME": "__Host-csrf" if https else "csrf",
        "SECURE_HSTS_SECONDS": year if https else 0,
        "SECURE_HSTS_INCLUDE_SUBDOMAINS": https,
        "SECURE_HSTS_PRELOAD": https,
        "SECURE_SSL_REDIRECT": https and proxies > 0,
        "SECURE_REDIRECT_EXEMPT": [r"^healthz$", r"^readyz$", r"^metrics$"],
    }
    if proxies:
        values["SECURE_PROXY_SSL_HEADER"] = ("HTTP_X_FORWARDED_PROTO", "https")
    return values
