"""The connections have the limits and guarantees that the rest of the code relies on."""

import runpy
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from django.conf import global_settings
from django.core.cache import CacheHandler
from django.db import connection

from config.databases import POSTGRESQL_LIMITS, database, process_name
from config.postgresql.base import DatabaseWrapper
from tests.source_tree import ROOT

pytestmark = pytest.mark.django_db


def _value(statement: str) -> object:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]


@pytest.mark.sqlite
@pytest.mark.parametrize(
    ("pragma", "value"),
    [("journal_mode", "wal"), ("foreign_keys", 1), ("recursive_triggers", 1)],
)
def test_sqlite_is_set_up(pragma: str, value: object) -> None:
    assert _value(f"PRAGMA {pragma}") == value


@pytest.mark.postgres
def test_postgresql_gives_up_waiting_for_a_lock() -> None:
    """By the service's own limits: those of the tests are longer."""
    own: Any = connection.copy(alias="limited")
    own.settings_dict["OPTIONS"] |= {"pool": None, "options": POSTGRESQL_LIMITS}

    with closing(own), own.cursor() as cursor:
        assert cursor.execute("SHOW lock_timeout").fetchone() == ("3s",)


@pytest.mark.postgres
def test_a_migration_may_think_for_longer_than_a_request() -> None:
    """On a busy machine Django computed for ten seconds between two statements of one."""
    limit = "idle_in_transaction_session_timeout"
    assert _value(f"SELECT set_config('{limit}', '10s', false)") == "10s"
    with connection.schema_editor():
        assert _value(f"SHOW {limit}") == "5min"


def test_a_server_that_is_gone_is_given_up_within_seconds() -> None:
    options = database("postgres://payments@10.0.0.2/payments?connect_timeout=7")["OPTIONS"]

    assert options["tcp_user_timeout"] == 10_000
    keepalives = {name: value for name, value in options.items() if name.startswith("keepalives_")}
    assert keepalives == {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
    assert options["connect_timeout"] == 7, "the address has the last word"
    assert database("postgres://payments@10.0.0.2/payments")["OPTIONS"]["connect_timeout"] == 3


def test_a_request_waits_for_no_pool_that_has_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pool's own wait grows to minutes, in which a server that is back would not be asked."""
    monkeypatch.setenv("WEB_THREADS", "8")
    made = database("postgres://payments@10.0.0.2/payments")

    assert made["OPTIONS"]["prepare_threshold"] == 5
    waits = {"timeout": 2, "reconnect_timeout": 2}
    assert made["OPTIONS"]["pool"] == {"min_size": 2, "max_size": 10} | waits
    assert made["CONN_MAX_AGE"] == 0, "it goes back to the pool after each request"
    assert made["OPTIONS"]["server_side_binding"] is True


def test_a_pooler_gets_no_named_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    for is_pooled in (True, False):
        monkeypatch.setattr("config.databases._IS_POOLED", is_pooled)
        made = database("postgres://payments@10.0.0.2/payments")
        assert made["DISABLE_SERVER_SIDE_CURSORS"] is is_pooled


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("/opt/payments/config/web.py", "web"),
        ("/opt/payments/.venv/bin/celery --app config worker --queues default", "worker"),
        ("/venv/celery/__main__.py --app config worker -Q webhooks -P threads", "dispatcher"),
        ("/opt/payments/.venv/bin/celery --app config beat", "beat"),
        ("manage.py verify_ledger --anchor it", "verify_ledger"),
        ("manage.py worker", "worker"),
        ("/venv/granian/__main__.py --port 8000", "granian"),
    ],
)
def test_each_process_has_a_name_of_its_own(command: str, name: str) -> None:
    assert process_name(*command.split()) == f"payments {name}"


def test_connections_bear_the_name_of_their_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["/opt/payments/.venv/bin/celery", "--app", "config", "beat"])
    url = "postgres://payments@10.0.0.2/payments"

    assert database(url)["OPTIONS"]["application_name"] == "payments beat"
    named = database(f"{url}?application_name=till")["OPTIONS"]
    assert named["application_name"] == "till", "the address has the last word"


@pytest.mark.parametrize(
    ("pooled", "prepared", "after", "limits"),
    [
        ("false", "", 5, POSTGRESQL_LIMITS),
        ("true", "", None, None),
        ("true", "true", 5, None),
    ],
)
def test_a_session_keeps_only_what_a_pooler_passes_on(
    monkeypatch: pytest.MonkeyPatch, pooled: str, prepared: str, after: int, limits: str
) -> None:
    monkeypatch.setenv("DATABASE_POOLED", pooled)
    monkeypatch.setenv("DATABASE_PREPARED", prepared)
    settings = runpy.run_path(str(ROOT / "config/databases.py"))

    made = settings["database"]("postgres://payments@10.0.0.2/payments")

    assert made["OPTIONS"].get("prepare_threshold") == after
    assert made["OPTIONS"].get("options") == limits
    assert made["DISABLE_SERVER_SIDE_CURSORS"] is (pooled == "true")


@pytest.fixture
def pooled() -> Iterator[DatabaseWrapper]:
    """A connection from a pool, as production has it, whose backends bear a name."""
    own: Any = connection.copy(alias="pooled")
    pool = {"min_size": 3, "max_size": 3, "timeout": 10}
    own.settings_dict["OPTIONS"] |= {"pool": pool, "application_name": "pooled"}
    own.inc_thread_sharing()
    yield own
    own.close()
    own.close_pool()


def _end_backends() -> None:
    """End the backends of that pool, as a restart does, and wait until their sockets are closed."""
    ours = "FROM pg_stat_activity WHERE application_name = 'pooled'"
    ours += " AND datname = current_database()"  # not those of tests in another process
    _value(f"SELECT count(pg_terminate_backend(pid, 10000)) {ours}")


@pytest.mark.postgres
@pytest.mark.real_clock("the pool waits by it")
def test_connections_that_have_ended_fail_no_request(pooled: DatabaseWrapper) -> None:
    pooled.pool.open(wait=True)
    _end_backends()

    for _ in range(6):
        with pooled.cursor() as cursor:
            assert cursor.execute("SELECT 1").fetchone() == (1,)
        pooled.close()

    pooled.pool.wait()  # all three are there again
    assert pooled.pool.get_stats()["connections_num"] == 6, "each was replaced once"


@pytest.mark.postgres
@pytest.mark.real_clock("the pool waits by it")
def test_a_connection_is_looked_at_without_a_statement(pooled: DatabaseWrapper) -> None:
    pooled.pool.open(wait=True)
    with pooled.cursor() as cursor:
        backend = cursor.connection.info.backend_pid
    pooled.close()
    last = f"SELECT query_start FROM pg_stat_activity WHERE pid = {backend}"
    as_made = _value(last)  # its time zone has been set, unless the server's is UTC already

    for _ in range(3):
        pooled.ensure_connection()
        pooled.close()

    assert _value(last) == as_made


def test_what_django_caches_needs_no_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CACHE_URL", "redis://127.0.0.1:1/1")
    settings = runpy.run_path(str(ROOT / "config/databases.py"))
    cache = CacheHandler(settings.get("CACHES", global_settings.CACHES))["default"]

    cache.set("openapi", b"{}")

    assert cache.get("openapi") == b"{}"
    assert settings["SHARED_COUNTS"]["LOCATION"] == "redis://127.0.0.1:1/1"
