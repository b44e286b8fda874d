"""The headers of every answer."""

import pytest
from django.test import Client

from config.security import transport

pytestmark = pytest.mark.django_db

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


def test_cookies_are_bound_to_the_host_where_there_is_https() -> None:
    safe, local = transport(https=True, proxies=1), transport(https=False, proxies=0)

    assert (safe["SESSION_COOKIE_NAME"], safe["SESSION_COOKIE_SECURE"]) == ("__Host-session", True)
    assert (safe["SECURE_HSTS_SECONDS"], safe["SECURE_SSL_REDIRECT"]) == (31_536_000, True)
    assert (local["SESSION_COOKIE_NAME"], local["SESSION_COOKIE_SECURE"]) == ("session", False)
    assert "SECURE_PROXY_SSL_HEADER" not in local
