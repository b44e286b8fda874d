"""Metrics that each web process has of its own: its connection pool and its clock.

A scrape reaches one process of an instance, and reports what the others noted last. As Prometheus
keeps its connection, that is the same process for hours: each notes its own, unasked.
"""

import logging
from threading import Thread
from time import sleep

from django.db import connection
from prometheus_client import Gauge

from core.database_away import log_failure
from core.metrics import OF_EACH
from core.metrics import collect as collect_clocks

NOTED_EVERY_SECONDS = 15  # how often Prometheus asks; a rule waits for two minutes

logger = logging.getLogger(__name__)

pool_size = Gauge(
    "database_pool_connections", "Connections of this process's pool.", multiprocess_mode=OF_EACH
)
pool_free = Gauge(
    "database_pool_available",
    "The free connections of this process's pool.",
    multiprocess_mode=OF_EACH,
)
pool_waiting = Gauge(
    "database_pool_waiting",
    "Threads of this process that wait for a connection.",
    multiprocess_mode=OF_EACH,
)


def collect_pool() -> None:
    """Set the gauges of this process's connection pool, which only PostgreSQL has."""
    pool = getattr(connection, "pool", None)
    if pool is None:
        return
    stats = pool.get_stats()
    pool_size.set(stats["pool_size"])
    pool_free.set(stats["pool_available"])
    pool_waiting.set(stats["requests_waiting"])


def keep_noting() -> None:
    """Set this process's own gauges from now on, in a thread; without a pool there are none."""
    if getattr(connection, "pool", None) is not None:
        Thread(target=_note_repeatedly, name="note own metrics", daemon=True).start()


def _note_repeatedly() -> None:
    while True:
        sleep(NOTED_EVERY_SECONDS)
        try:
            collect_pool()
            collect_clocks()
        except Exception as error:  # whatever it is, the next turn may succeed
            log_failure(logger, "own metrics not measured", error)
        finally:
            connection.close()  # gives it back to the pool
