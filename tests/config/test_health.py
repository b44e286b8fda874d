"""What an operator's machines ask."""

import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import redis as redis_client
from django.apps import apps
from django.db import OperationalError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, RequestFactory
from pytest_django import Settings

from config import applied_migrations, health, web
from config.background_metrics import forget_ended_processes
from config.probes import PROBES
from tests.query_counts import Statements
from tests.redis import Redis

pytestmark = pytest.mark.django_db

FULL = "command not allowed when used memory > 'maxmemory'."


@pytest.fixture
def broken_database() -> Iterator[None]:
    def refuse(*args: object) -> None:
        raise ConnectionError

    with connection.execute_wrapper(refuse):
        yield


def test_healthz_answers_while_the_process_is_up(client: Client, broken_database: None) -> None:
    response = client.get("/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_readyz_answers_when_the_database_does(client: Client) -> None:
    response = client.get("/readyz")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_readyz_says_that_the_database_is_away(client: Client, broken_database: None) -> None:
    response = client.get("/readyz")

    assert response.status_code == 503
    assert response.json()["code"] == "SERVICE_UNAVAILABLE"
    assert response.json()["details"] == "The database does not answer."


@pytest.fixture
def just_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the process not have asked yet which migrations the database has."""
    monkeypatch.setattr(applied_migrations, "_applied", set())


@pytest.mark.usefixtures("just_started")
def test_readyz_knows_every_migration_of_this_release() -> None:
    """What is looked for in the folders is what Django would apply."""
    assert applied_migrations.missing_migrations() == []
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    assert known == applied_migrations._of_this_release()


def test_what_django_takes_for_no_migration_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library's folder may have more in it; a release would never be ready."""
    folder = tmp_path / "migrations"
    (folder / "old").mkdir(parents=True)
    for name in ("0001_initial.py", "_operations.py", "~draft.py", "old/__init__.py"):
        (folder / name).touch()
    app = SimpleNamespace(label="library", path=str(tmp_path))
    monkeypatch.setattr(apps, "get_app_configs", lambda: [app])

    names = applied_migrations._of_this_release.__wrapped__()

    assert names == {"library.0001_initial"}


@pytest.mark.usefixtures("just_started")
def test_readyz_says_that_a_migration_is_missing(client: Client) -> None:
    """Behind a proxy that asks, such a release would replace one that works."""
    newest = MigrationRecorder.Migration.objects.filter(app="payments").latest("pk")
    newest.delete()

    refused = client.get("/readyz")

    assert refused.status_code == 503
    details = f"The database lacks payments.{newest.name}: run `manage.py migrate`."
    assert refused.json()["details"] == details
    newest.save()
    assert client.get("/readyz").status_code == 200


@pytest.mark.usefixtures("just_started")
def test_readyz_asks_for_migrations_until_they_are_there(client: Client) -> None:
    asked = []
    for _ in range(2):
        with Statements() as statements:
            assert client.get("/readyz").status_code == 200
        asked.append(sum("django_migrations" in each for each in statements.work))

    assert asked == [1, 0]


def test_readyz_minds_no_migration_of_a_newer_release(client: Client) -> None:
    MigrationRecorder.Migration.objects.create(app="payments", name="9999_of_next_year")

    assert client.get("/readyz").status_code == 200


@pytest.mark.faults
def test_a_broker_that_takes_nothing_is_down(
    client: Client,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A full one answers every question, and a worker would wait for tasks that never come."""
    monkeypatch.setenv("CELERY_BROKER_URL", redis.broker_url)
    assert "\nbroker_up 1.0\n" in client.get("/metrics").text
    server = redis_client.Redis.from_url(redis.url)

    server.config_set("maxmemory", 1)

    assert server.ping()
    assert "\nbroker_up 0.0\n" in client.get("/metrics").text
    assert _lines(caplog) == [f"broker not measured: {FULL}"]
    assert client.get("/readyz").status_code == 200
    server.config_set("maxmemory", 0)
    assert "\nbroker_up 1.0\n" in client.get("/metrics").text


@pytest.mark.faults
def test_a_broker_that_is_away_is_a_metric_and_takes_no_process_out(
    client: Client,
    redis: Redis,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Each scrape asks it again: that is a line in the log, and not the stack of the library."""
    monkeypatch.setenv("CELERY_BROKER_URL", redis.broker_url)
    assert "\nbroker_up 1.0\n" in client.get("/metrics").text

    redis.freeze()
    frozen = client.get("/readyz"), client.get("/metrics").text
    redis.thaw()
    redis.stop()
    stopped = client.get("/readyz"), client.get("/metrics").text

    for readiness, measured in (frozen, stopped):
        assert readiness.status_code == 200
        assert "\nbroker_up 0.0\n" in measured
    said = _lines(caplog)
    assert [line.partition(": ")[0] for line in said] == ["broker not measured"] * 2
    assert "\n" not in "".join(said)


def _lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged, as it is written: with the stacks."""
    ours = [each for each in caplog.records if each.name.startswith("config.")]
    return [logging.Formatter().format(each) for each in ours]


def test_metrics_are_in_prometheus_form(client: Client) -> None:
    client.get("/healthz")

    response = client.get("/metrics")

    assert response.status_code == 200
    assert b'django_http_responses_total_by_status_total{status="200"}' in response.content
    assert b"\ndatabase_up 1.0\n" in response.content


def test_metrics_are_there_while_the_database_is_away(
    client: Client, broken_database: None
) -> None:
    client.get("/healthz")

    response = client.get("/metrics")

    assert response.status_code == 200
    assert b"django_http_responses_total" in response.content
    assert b"\ndatabase_up 0.0\n" in response.content


@pytest.mark.postgres
def test_a_standby_in_place_of_the_primary_is_no_database(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")

    ready = client.get("/readyz")
    created = client.post(
        "/v1/merchants", {"name": "A", "email": "a@example.com"}, content_type="application/json"
    )

    assert (ready.status_code, created.status_code) == (503, 503)
    assert ready.json()["details"] == "The database takes no changes: a standby?"
    assert b"\ndatabase_up 0.0\n" in client.get("/metrics").content


def test_a_database_that_is_away_is_waited_for_once(
    rf: RequestFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(name: str) -> None:
        asked.append(name)
        if name == "database":
            raise OperationalError

    collectors = {name: partial(ask, name) for name in health.COLLECTORS}
    monkeypatch.setattr(health, "COLLECTORS", collectors)
    monkeypatch.setattr(health, "connection", SimpleNamespace(connection=None))

    assert health.metrics(rf.get("/metrics")).status_code == 200

    assert asked == ["ended processes", "broker", "connections", "database"]


def test_a_process_that_has_ended_is_measured_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    kept = {f"gauge_liveall_{os.getpid()}", f"gauge_mostrecent_{os.getpid()}", "counter_1"}
    for name in (*kept, f"gauge_liveall_{ended.pid}", f"gauge_mostrecent_{ended.pid}"):
        (tmp_path / f"{name}.db").touch()

    forget_ended_processes()

    assert {file.stem for file in tmp_path.iterdir()} == kept


def test_a_process_whose_number_is_another_users_now_is_measured_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(pid: int, signal: int) -> None:
        raise PermissionError

    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    monkeypatch.setattr(os, "kill", refuse)
    for name in ("gauge_liveall_1", "gauge_livesum_2", "counter_1"):
        (tmp_path / f"{name}.db").touch()

    forget_ended_processes()

    assert {file.stem for file in tmp_path.iterdir()} == {"counter_1"}


def test_every_answer_has_a_request_id(client: Client) -> None:
    assert client.get("/healthz")["X-Request-Id"].startswith("req_")
    assert client.get("/healthz", headers={"X-Request-Id": "mine-1"})["X-Request-Id"] == "mine-1"


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics", "/docs", "/v1/openapi.json"])
@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS"])
def test_they_are_for_reading_only(path: str, method: str) -> None:
    response = Client(enforce_csrf_checks=True).generic(method, path)

    assert (response.status_code, response.json()["code"]) == (405, "METHOD_NOT_ALLOWED")
    assert (response["Content-Type"], response["Allow"]) == ("application/json", "GET, HEAD")


def test_the_web_server_knows_the_probes_of_the_release() -> None:
    """It loads no code of the release, and answers them by itself before it exits."""
    assert web.PROBES == PROBES


@pytest.mark.parametrize("host", ["10.1.2.3:8000", "pod-7.cluster.local", "a b", ""])
@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_monitoring_is_answered_by_any_name(client: Client, path: str, host: str) -> None:
    assert client.get(path, headers={"Host": host}).status_code == 200


def test_metrics_are_not_for_the_world(client: Client, settings: Settings) -> None:
    """A proxy may pass everything on. What we trade, and which servers are away, is in them."""
    settings.TRUSTED_PROXIES = 1

    passed_on = client.get("/metrics", headers={"x-forwarded-for": "198.51.100.9"})

    assert (passed_on.status_code, passed_on.json()["code"]) == (404, "NOT_FOUND")
    assert client.get("/metrics").status_code == 200


def test_nothing_else_answers_by_a_foreign_name(client: Client) -> None:
    assert client.get("/docs", headers={"Host": "evil.example"}).status_code == 400
