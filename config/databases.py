"""How the service talks to its database: SQLite by default, PostgreSQL in production."""

import sys
from pathlib import Path
from typing import Any

from config.environment import BASE_DIR, env, given

# FULL: with NORMAL, a power loss may undo a payment that was already confirmed to the caller.
# recursive_triggers: without it, INSERT OR REPLACE bypasses the triggers that guard the ledger.
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=FULL;"
    "PRAGMA foreign_keys=ON;"
    "PRAGMA recursive_triggers=ON;"
    "PRAGMA busy_timeout=20000;"
)

# A request whose statement takes longer is answered 409 or 503 instead of holding up others.
POSTGRESQL_LIMITS = (
    "-c statement_timeout=5000 -c lock_timeout=3000 -c idle_in_transaction_session_timeout=10000"
)

# A server whose machine is down sends nothing, not even a refusal: give up within seconds.
SILENT_SERVER = {
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}

# The longest that a request waits for a connection, as it occupies one of WEB_THREADS meanwhile;
# and the longest that the pool retries a failed one: after that, the next request tries again.
POOL_SECONDS = 2

# A statement that a connection has sent so often is from then on parsed and planned only once.
PREPARED_AFTER = 5


def process_name(program: str, *words: str) -> str:
    """Name the process of a command line: pg_stat_activity shows who holds a connection."""
    path = Path(program)
    if path.stem == "manage":
        name = words[0] if words else "manage"
    elif "beat" in words:
        name = "beat"
    elif "worker" in words:  # Celery's
        name = "dispatcher" if any("webhooks" in word for word in words) else "worker"
    else:
        name = path.parent.name if path.stem == "__main__" else path.stem
    return f"payments {name}"


def database(url: str) -> dict[str, Any]:
    """Return Django's settings for the database at the URL."""
    config: dict[str, Any] = env.db_url_config(url)
    postgresql = "postgresql" in config["ENGINE"]
    return _postgresql(config) if postgresql else _sqlite(config)


def _sqlite(config: dict[str, Any]) -> dict[str, Any]:
    # IMMEDIATE takes the write lock when a transaction begins. With DEFERRED, one fails at once if
    # two transactions have read and then want to write.
    options = {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": SQLITE_PRAGMAS}
    return config | {"ENGINE": "config.sqlite", "OPTIONS": options, "CONN_MAX_AGE": None}


def _postgresql(config: dict[str, Any]) -> dict[str, Any]:
    pool = {
        "min_size": 2,
        "max_size": env("WEB_THREADS") + 2,
        "timeout": POOL_SECONDS,
        "reconnect_timeout": POOL_SECONDS,
    }
    ours = SILENT_SERVER | {"application_name": process_name(*sys.argv)}
    options = ours | config.get("OPTIONS", {}) | {"pool": pool, "server_side_binding": True}
    if _IS_PREPARED:
        options["prepare_threshold"] = PREPARED_AFTER
    if not _IS_POOLED:
        options["options"] = POSTGRESQL_LIMITS
    return config | {
        "ENGINE": "config.postgresql",
        "OPTIONS": options,
        "CONN_MAX_AGE": 0,
        "DISABLE_SERVER_SIDE_CURSORS": _IS_POOLED,
    }


# A pooler in transaction mode keeps neither startup options nor named cursors: there, the limits
# have to be set on the role. Few poolers keep prepared statements.
_IS_POOLED: bool = env("DATABASE_POOLED")
_IS_PREPARED = given("DATABASE_PREPARED", default=not _IS_POOLED)
DATABASE_URL = env("DATABASE_URL") or f"sqlite:///{BASE_DIR}/var/db.sqlite3"
DATABASES = {"default": database(DATABASE_URL)}
# Where the processes share the counts of rate limits. It is not Django's cache, which stays in each
# process's memory: a page must not need Redis.
SHARED_COUNTS = env.cache_url_config(env("CACHE_URL"))
