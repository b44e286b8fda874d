"""The alerts of `deploy/`: they read metrics that there are, fire when they should, and lead on."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from celery.app import trace
from celery.worker import request
from django.core.management import get_commands
from django.test import Client
from psycopg_pool import pool
from pytest_django import DjangoDbBlocker

from config.logging import _as_json
from tests.machine import need
from tests.shared_rows import shared
from tests.source_tree import ROOT, SERVICE

PROMETHEUS = ROOT / "deploy/prometheus"
RULES: list[dict[str, Any]] = yaml.safe_load((PROMETHEUS / "rules.yml").read_text())["groups"][0][
    "rules"
]
PAGE = (ROOT / "docs/runbook.md").read_text()
RUNBOOK = re.findall(r"^## (\w+)$", PAGE, re.MULTILINE)
WORDS = {
    "by", "sum", "max", "min", "abs", "rate", "increase", "delta", "clamp_min", "time", "absent",
    "histogram_quantile", "offset", "and", "or", "unless", "on", "up", "vector",
}  # fmt: skip


def metrics_of(expression: str) -> set[str]:
    bare = re.sub(r"\{[^}]*\}|\[[^]]*\]|by \([^)]*\)|\b\d\w*", " ", expression)
    return set(re.findall(r"[a-z_]+", bare)) - WORDS


def test_each_alert_has_its_page_and_each_page_its_alert() -> None:
    assert [rule["alert"] for rule in RULES] == RUNBOOK
    for rule in RULES:
        anchor = rule["alert"].lower()
        assert rule["annotations"]["runbook"] == f"docs/runbook.md#{anchor}"


def alternatives(pattern: str) -> Iterator[str]:
    """Yield what `a|b(c|d)` asks for: a, bc, bd."""
    for alternative in re.split(r"\|(?![^(]*\))", pattern):
        head, _, bracket = alternative.partition("(")
        inner, _, rest = bracket.partition(")")
        for each in inner.split("|"):
            yield head + each + rest


def beginnings(pattern: str) -> Iterator[str]:
    """Yield how the metrics begin that a pattern asks for."""
    for each in alternatives(pattern):
        found = re.match("[a-z_]+", each)
        assert found, pattern
        yield found[0]


@pytest.fixture(scope="module")
def exported(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> list[str]:
    """Return the names of what there is to read: the same for all who ask."""
    with shared(django_db_blocker, lambda: Client().get("/metrics").text) as text:
        return re.findall(r"^# TYPE (\w+) ", text, re.MULTILINE)


@pytest.mark.django_db
def test_each_alert_reads_what_there_is(exported: list[str]) -> None:
    assert {name for rule in RULES for name in metrics_of(rule["expr"])} - {*exported} == set()


@pytest.mark.django_db
def test_each_panel_of_the_dashboard_reads_what_there_is(exported: list[str]) -> None:
    dashboard = json.loads((ROOT / "deploy/grafana/payments.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]

    read = {name.removesuffix("_bucket") for each in expressions for name in metrics_of(each)}
    assert read - {*exported} == set()
    # Of two without labels, the first hides the second.
    assert [each for each in expressions if re.search(r"\) or (sum|max)\(", each)] == []


METRICS_WITHOUT_ALERT = {
    # What an alert's runbook asks for, or another alert covers.
    "bank_difference_cents", "bank_entries_unmatched",
    "database_pool_available", "database_pool_connections", "refunds_pending",
    "task_failed_timestamp_seconds", "webhooks_endpoints_due",
    # What is no fault: how many paid, signed in or were turned away.
    "checkout_verification_attempts_total", "customers_codes_sent_total", "visitors_refused_total",
}  # fmt: skip


@pytest.mark.django_db
def test_each_metric_has_an_alert_or_a_reason(exported: list[str]) -> None:
    ours = {
        name
        for name in exported
        if not name.startswith(("django_", "python_", "process_")) and not name.endswith("_created")
    }
    alerted = {name for rule in RULES for name in metrics_of(rule["expr"])}

    assert ours - alerted == METRICS_WITHOUT_ALERT


@pytest.mark.django_db
@pytest.mark.parametrize("name", RUNBOOK)
def test_each_page_has_commands_that_ask_for_what_there_is(exported: list[str], name: str) -> None:
    section = PAGE.split(f"## {name}\n")[1].split("\n## ")[0]
    [block] = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)

    for quoted, bare in re.findall(r"metric (?:'([^']+)'|(\S+))", block):
        for asked in beginnings(quoted or bare):
            assert any(metric.startswith(asked) for metric in exported), asked
    assert set(re.findall(r"manage (\w+)", block)) <= set(get_commands())


def test_each_page_looks_for_lines_that_there_are() -> None:
    places = [*SERVICE, *(Path(module.__file__ or "") for module in (trace, request, pool))]
    written = "\n".join(path.read_text() for path in places)

    asked = re.findall(r"^said (?:'([a-z][^']+)'|(\w+))", PAGE, re.MULTILINE)
    words = {each for quoted, bare in asked for each in alternatives(quoted or bare)}
    assert {each for each in words if each not in written} == set()


def test_a_page_looks_for_errors_as_a_line_has_them() -> None:
    [pattern] = re.findall(r"^said '(\"[^']+)'", PAGE, re.MULTILINE)

    for level, is_found in [("error", True), ("critical", True), ("warning", False)]:
        assert bool(re.search(pattern, _as_json({"level": level}, default=str))) == is_found


@pytest.mark.slow
@pytest.mark.sqlite
@pytest.mark.parametrize(
    "words",
    [
        "check rules rules.yml",
        "test rules rules_test.yml",
        "test rules rules_of_days_test.yml",
        "check config --syntax-only prometheus.yml",
    ],
)
def test_they_fire_when_they_should(words: str) -> None:
    need("promtool", "Prometheus")
    command = ["promtool", *words.split()]
    done = subprocess.run(command, cwd=PROMETHEUS, capture_output=True, text=True)

    assert done.returncode == 0, done.stdout + done.stderr
