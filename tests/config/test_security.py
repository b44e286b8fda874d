"""The headers of every answer."""

from typing import Any

import pytest
from django.http import HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware
from django.test import Client, RequestFactory

from config.security import SecurityHeaders, transport

pytestmark = pytest.mark.django_db

KINDS: tuple[Any, ...] = (
    SecurityHeaders,
    lambda answer: XFrameOptionsMiddleware(SecurityMiddleware(answer)),
)
PAGES = ["/healthz", "/v1/payments", "/v1/nothing", "/nothing", "/docs", "/admin/login/"]


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_has_them(client: Client, path: str) -> None:
    headers = client.get(path).headers

    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] in ("same-origin", "no-referrer")
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize("path", PAGES)
def test_only_the_back_office_runs_inline_scripts(client: Client, path: str) -> None:
    policy = client.get(path).headers["Content-Security-Policy"]
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))

    assert ("unsafe" in scripts) == path.startswith("/admin/")


@pytest.mark.parametrize("is_secure", [False, True])
@pytest.mark.parametrize("own", [{}, {"referrer-policy": "no-referrer"}])
def test_headers_put_together_once_are_those_that_django_sets(
    settings, is_secure: bool, own: dict[str, str]
) -> None:
    settings.SECURE_HSTS_SECONDS, settings.SECURE_HSTS_PRELOAD = 60, True
    requests = [RequestFactory().get("/docs", secure=it) for it in (not is_secure, is_secure)]
    ours, django = (
        [dict(middleware(request).headers) for request in requests * 2]
        for middleware in (kind(lambda _: HttpResponse(headers=own)) for kind in KINDS)
    )

    assert ours == django
    assert ("Strict-Transport-Security" in ours[1]) == is_secure


def test_a_response_without_content_is_given_no_type() -> None:
    empty = HttpResponse(status=204)
    del empty["Content-Type"]

    SecurityHeaders(lambda _: empty)(RequestFactory().get("/docs"))

    assert "Content-Type" not in empty
    assert empty["X-Content-Type-Options"] == "nosniff"


def test_what_a_response_has_of_its_own_is_on_no_other() -> None:
    """They are added by one step to all: one dictionary for all would show `Location` to others."""
    own, other = HttpResponse(headers={"Location": "/v1/payments/pay_1"}), HttpResponse()
    headers = SecurityHeaders(lambda request: own if request.path == "/own" else other)

    for path in ("/own", "/other"):
        headers(RequestFactory().get(path))
    own["X-Late"] = "1"

    assert {"Location", "X-Late"}.isdisjoint(other.headers)


def test_cookies_are_bound_to_the_host_where_there_is_https() -> None:
    safe, local = transport(https=True, proxies=1), transport(https=False, proxies=0)

    assert (safe["SESSION_COOKIE_NAME"], safe["SESSION_COOKIE_SECURE"]) == ("__Host-session", True)
    assert (safe["SECURE_HSTS_SECONDS"], safe["SECURE_SSL_REDIRECT"]) == (31_536_000, True)
    assert (local["SESSION_COOKIE_NAME"], local["SESSION_COOKIE_SECURE"]) == ("session", False)
    assert "SECURE_PROXY_SSL_HEADER" not in local
