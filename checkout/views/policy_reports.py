"""The endpoint for browsers' reports of policy violations: one log line each, rate-limited.

Anyone can send anything here. Nothing is stored; only the host of a blocked URL and the kind of
page are logged, as the rest may grant access to a payment or a counter's screen.
"""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import structlog
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from core.errors import ApiError
from core.json import parse_json
from core.throttling import REPORT_LIMIT, count_within

MAX_BYTES = 16 * 1024
WORD = re.compile("[a-z-]{1,40}")
HOST = re.compile("[a-z0-9.:-]{1,100}")

logger = structlog.get_logger(__name__)


@csrf_exempt
@require_POST
def policy_reports(request: HttpRequest) -> HttpResponse:
    """Log the reports of a browser. The response reveals nothing."""
    content = request.read(MAX_BYTES + 1)
    if len(content) <= MAX_BYTES:
        for report in _reports(content):
            if count_within(REPORT_LIMIT, "all"):
                logger.warning("policy_violated", **report)
    return HttpResponse(status=204)


def _reports(content: bytes) -> Iterator[dict[str, str]]:
    """Yield the fields to log, from both report formats that browsers send."""
    try:
        sent = parse_json(content)
    except ApiError:
        return
    for report in sent if isinstance(sent, list) else [sent]:
        body = report.get("body", report.get("csp-report")) if isinstance(report, dict) else None
        if isinstance(body, dict):
            yield {
                "directive": _word(_of(body, "effectiveDirective", "effective-directive")),
                "blocked": _place(_of(body, "blockedURL", "blocked-uri")),
                "page": _kind(_of(body, "documentURL", "document-uri")),
            }


def _of(body: dict[str, Any], *names: str) -> str:
    found = next((body[name] for name in names if name in body), "")
    return found if isinstance(found, str) else ""


def _word(text: str) -> str:
    return text if WORD.fullmatch(text) else ""


def _place(address: str) -> str:
    """Return the host of a blocked URL, or the keyword sent in its place, such as `inline`."""
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return ""
    return host if HOST.fullmatch(host) else _word(address)


def _kind(address: str) -> str:
    """Return the first part of a page's path: the kind of page, but not which one."""
    try:
        return _word(urlsplit(address).path.strip("/").partition("/")[0])
    except ValueError:
        return ""
