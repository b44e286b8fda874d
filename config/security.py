"""Cookies and headers: the content security policy, and settings that depend on https."""

from collections.abc import Callable
from functools import cache
from typing import Any

from csp.constants import HEADER, NONE, SELF, UNSAFE_EVAL, UNSAFE_INLINE
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.security import SecurityMiddleware

from core.checked_headers import CheckedHeaders, add_headers, checked_headers

# unfold's pages use Alpine, which evaluates their attributes; there are no inline scripts.
ADMIN_POLICY = {"script-src": [UNSAFE_EVAL], "style-src": [UNSAFE_INLINE]}

_GetResponse = Callable[[HttpRequest], HttpResponse]


class PolicyMiddleware(CSPMiddleware):
    """Builds a policy, which takes 600 calls, only for pages that have not set their own."""

    def __init__(self, get_response: _GetResponse) -> None:
        super().__init__(get_response)
        self._plain = build_policy()

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        if HEADER not in response:
            if response.get("Content-Type", "").startswith("text/html"):
                return super().process_response(request, response)
            response[HEADER] = self._plain
        # It refers to the request, which would wait for the garbage collector.
        del request.csp_nonce  # type: ignore[attr-defined]  # django-csp has set it
        return response


def admin_policy(get_response: _GetResponse) -> _GetResponse:
    """Allow what the back office's framework needs, in the back office only."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.resolver_match and request.resolver_match.app_name == "admin":
            response._csp_update = ADMIN_POLICY  # type: ignore[attr-defined]  # django-csp reads it
        return response

    return middleware


class SecurityHeaders(SecurityMiddleware):
    """Django's middleware, whose headers are put together once: they depend on the transport only.

    With the one against frames, which has a middleware of its own in Django. Those that a view has
    set stay as they are, as with Django.
    """

    def __init__(self, get_response: _GetResponse) -> None:
        super().__init__(get_response)
        self.more = {"X-Frame-Options": settings.X_FRAME_OPTIONS}
        self._always = cache(self._put_together)

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        add_headers(response, self._always(request.is_secure()))
        return response

    def _put_together(self, is_secure: bool) -> CheckedHeaders:
        request, response = HttpRequest(), HttpResponse()
        request.is_secure = lambda: is_secure  # type: ignore[method-assign]  # asked by Django
        super().process_response(request, response)
        del response["Content-Type"]
        return checked_headers({**response.headers, **self.more})


class ApiSecurityHeaders(SecurityHeaders):
    """The same for API responses, with the policy, which pages get from `PolicyMiddleware`."""

    def __init__(self, get_response: _GetResponse) -> None:
        super().__init__(get_response)
        self.more["Content-Security-Policy"] = build_policy()


def content_security_policy() -> dict[str, Any]:
    """Return the default policy, for pages without their own: nothing from third parties."""
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
    """Return the settings that depend on whether the service is reached by https."""
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
