"""How the service talks to its database: SQLite by default, PostgreSQL in production."""

from typing import Any

from config.environment import BASE_DIR, env

# FULL: with NORMAL, a loss of power may undo a payment that was already answered.
# recursive_triggers: without it INSERT OR REPLACE gets past the triggers that guard the ledger.
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA foreign_keys=ON;"
    "PRAGMA recursive_triggers=ON;"
    "PRAGMA busy_timeout=20000;"
)

# A statement that waits longer than this answers 409 or 503 instead of holding everyone up.
POSTGRESQL_LIMITS = (
    "-c statement_timeout=5000 -c lock_timeout=3000 -c idle_in_transaction_session_timeout=10000"
)

# A server whose machine is gone answers nothing, not even a refusal: it is given up within seconds.
SILENT_SERVER = {
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}

# A request waits no longer for a connection, as it holds one of WEB_THREADS meanwhile; and one that
# was refused for longer is not waited for: the next request asks again.
POOL_SECONDS = 2

# A statement that a connection sends again and again is parsed and planned once there.
PREPARED = {
    "server_side_binding": True,
    "prepare_threshold": 5,
    "options": POSTGRESQL_LIMITS,
}
# A pooler that hands sessions on after each transaction keeps neither what was prepared nor options
# of the start: there the role has the limits.
POOLED = {"server_side_binding": True}


def database(url: str) -> dict[str, Any]:
    """Return Django's settings for the database at the URL."""
    config: dict[str, Any] = env.db_url_config(url)
    postgresql = "postgresql" in config["ENGINE"]
    return _postgresql(config) if postgresql else _sqlite(config)


def _sqlite(config: dict[str, Any]) -> dict[str, Any]:
    # IMMEDIATE takes the write lock when a transaction begins: DEFERRED would fail at once where
    # two transactions that have read want to write.
    options = {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": SQLITE_PRAGMAS}
    return config | {"ENGINE": "config.sqlite", "OPTIONS": options, "CONN_MAX_AGE": None}


def _postgresql(config: dict[str, Any]) -> dict[str, Any]:
    pool = {
        "min_size": 2,
        "max_size": env("WEB_THREADS") + 2,
        "timeout": POOL_SECONDS,
        "reconnect_timeout": POOL_SECONDS,
    }
    options = SILENT_SERVER | config.get("OPTIONS", {}) | {"pool": pool}
    options |= POOLED if _IS_POOLED else PREPARED
    return config | {
        "ENGINE": "config.postgresql",
        "OPTIONS": options,
        "CONN_MAX_AGE": 0,
        "DISABLE_SERVER_SIDE_CURSORS": _IS_POOLED,
    }


_IS_POOLED: bool = env("DATABASE_POOLED")
DATABASE_URL = env("DATABASE_URL") or f"sqlite:///{BASE_DIR}/var/db.sqlite3"
DATABASES = {"default": database(DATABASE_URL)}
CACHES = {"default": env.cache_url_config(env("CACHE_URL"))}
