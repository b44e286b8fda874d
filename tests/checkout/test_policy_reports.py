"""Browsers report what the policy refused: a line in the log, and nothing that opens doors."""

import json

import pytest
from django.test import Client
from structlog.testing import capture_logs

from core import throttling
from tests.checkout.shopper import Shopper

PAGE = "https://pay.example/checkout/pay_0123456789abcdefghijABCDEFGHIJ?lang=fr"
OLD = {
    "csp-report": {
        "document-uri": PAGE,
        "effective-directive": "img-src",
        "blocked-uri": "https://evil.example/pixel?secret=1",
    }
}
NEW = [
    {
        "type": "csp-violation",
        "body": {
            "documentURL": PAGE,
            "effectiveDirective": "script-src-elem",
            "blockedURL": "inline",
        },
    }
]


@pytest.fixture(autouse=True)
def nothing_yet():
    throttling._memory().reset()


def send(content: object) -> list[str]:
    """Send a report as a browser does, without any cookie; return the lines that were logged."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    with capture_logs() as logs:
        response = Client(enforce_csrf_checks=True).post(
            "/policy-reports", body, content_type="application/csp-report"
        )
    assert (response.status_code, response.content) == (204, b"")
    return [
        f"{line['directive']} {line['blocked']} {line['page']}"
        for line in logs
        if line["event"] == "policy_violated"
    ]


@pytest.mark.parametrize(
    ("report", "line"),
    [(OLD, "img-src evil.example checkout"), (NEW, "script-src-elem inline checkout")],
)
def test_it_logs_what_was_refused_where_and_no_address(report, line):
    assert send(report) == [line]


@pytest.mark.parametrize(
    "nonsense",
    [b"", b"\xff", b"[" * 5_000, b"x" * 100_000, {"a": 1}, [1, None, [], {"body": 7}], "text"],
)
def test_nonsense_is_taken_and_forgotten(nonsense):
    assert send(nonsense) == []


@pytest.mark.parametrize(
    "value", [7, None, {}, "a\nforged line", "https://[", "https://a b", "x" * 5_000]
)
def test_no_one_writes_what_they_like_into_the_log(value):
    names = ("document-uri", "effective-directive", "blocked-uri")

    assert send({"csp-report": dict.fromkeys(names, value)}) == ["  "]


def test_a_flood_leaves_few_lines():
    assert sum(len(send(NEW * 20)) for _ in range(5)) == 30


def test_pages_say_where_to_report(payment):
    response = Shopper().visit(payment.hosted_url)

    assert "report-uri /policy-reports" in response["Content-Security-Policy"]
    assert "report-to policy" in response["Content-Security-Policy"]
    assert response["Reporting-Endpoints"] == 'policy="/policy-reports"'


def test_only_a_post_is_a_report(client):
    assert client.get("/policy-reports").status_code == 405
