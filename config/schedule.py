"""What is done again and again, by Celery's beat or by `manage.py worker`: one line each.

Every task may run twice, late, or on two machines at once. `threads` is how many may be at it
together in `manage.py worker`; with Celery that is the size of the worker's pool.
"""

from dataclasses import dataclass

MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@dataclass(frozen=True)
class Periodic:
    """A task by its path, the seconds from one start to the next, and how many at a time."""

    task: str
    seconds: float
    threads: int = 1


SCHEDULE: dict[str, Periodic] = {
    "seal transfers": Periodic("ledger.tasks.seal_transfers", 2),
    "count link uses": Periodic("links.tasks.count_uses", 10),
    "expire links": Periodic("links.tasks.expire_links", 20),
}
