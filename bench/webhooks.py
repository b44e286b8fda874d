"""Measure how soon events arrive, with and without a dead endpoint that has thousands waiting.

`python -m bench.webhooks` prints a table; `--embedded` for SQLite and `manage.py worker` instead of
PostgreSQL, Redis and Celery. `--backlog 200`: how many deliveries a second the dispatcher makes,
and its CPU time for each, while one endpoint and then ten have that many waiting. Everything runs
on this machine, including the receiver, which answers at once.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from bench.endings import end_in_order
from bench.output import say
from bench.serving import cpu_seconds

if TYPE_CHECKING:
    from tests.webhooks.receiver import Receiver
    from webhooks.models import Webhook

HEALTHY = 9
BACKLOG = 5_000
PER_SECOND = 50
SETTLE_SECONDS = 20
ROW = "{:44} {:>6} {:>8} {:>8} {:>8} {:>8}"


@dataclass(frozen=True)
class Scene:
    """The other endpoint's behaviour while the healthy ones are measured."""

    title: str
    answer: str
    backlog: int


@dataclass(frozen=True)
class _Thing:
    """What an event is about."""

    merchant_id: str
    livemode: bool
    id: str


SCENES = (
    Scene("no dead endpoint", "/say/200/", 0),
    Scene("one refuses with 5,000 due", "/say/500/", BACKLOG),
    Scene("one hangs with 5,000 due", "/trap/hang/", BACKLOG),
)


def main() -> None:
    end_in_order()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--embedded", action="store_true", help="SQLite and manage.py worker")
    parser.add_argument("--seconds", type=int, default=20, help="length of each measurement")
    parser.add_argument("--backlog", type=int, default=0, help="events waiting per endpoint")
    chosen = parser.parse_args()
    with running(embedded=chosen.embedded) as (receiver, dispatcher):
        if chosen.backlog:
            for count in (1, HEALTHY + 1):
                say(clearing(count, chosen.backlog, receiver, dispatcher))
            return
        say(f"{'embedded' if chosen.embedded else 'production'}: {PER_SECOND} events/s, "
            f"{HEALTHY} healthy endpoints, commit to received, in milliseconds")  # fmt: skip
        say(ROW.format("", "events", "p50", "p95", "p99", "max"))
        for number, scene in enumerate(SCENES):
            waits = measure(scene, number, receiver, chosen.seconds)
            say(ROW.format(scene.title, len(waits), *figures(waits)))


@contextmanager
def running(*, embedded: bool) -> Iterator[tuple["Receiver", int]]:
    """Start the databases, the dispatcher and the receiver; point Django at the same database.

    Yields the receiver, and the process id of the dispatcher.
    """
    from tests.postgres import Postgres
    from tests.redis import Redis
    from tests.webhooks.receiver import Receiver
    from tests.webhooks.stack import Stack

    with ExitStack() as closing:
        directory = Path(closing.enter_context(TemporaryDirectory(prefix="payments-bench-")))
        directory.chmod(0o711)
        environment = {}
        if not embedded:
            postgres, redis = Postgres(directory / "postgresql", durable=True), Redis(directory)
            closing.callback(postgres.remove)
            closing.callback(redis.stop)
            postgres.create()
            postgres.start()
            redis.start()
            environment = {"DATABASE_URL": postgres.url, "CELERY_BROKER_URL": redis.broker_url}
        receiver = Receiver(directory / "received")
        closing.callback(receiver.close)
        stack = closing.enter_context(Stack(directory, migrated=False, **environment))
        dispatcher = (stack.start_worker if embedded else stack.start_celery)()
        os.environ.update(stack.environment, DJANGO_SETTINGS_MODULE="config.settings")
        import django

        django.setup()
        yield receiver, dispatcher.pid


def measure(scene: Scene, number: int, receiver: "Receiver", seconds: int) -> list[float]:
    """Return the sorted times from commit to arrival of the healthy endpoints' events."""
    from webhooks.models import Webhook

    healthy = [make_endpoint(receiver.url(f"/say/200/{number}-{n}")) for n in range(HEALTHY)]
    other = make_endpoint(receiver.url(f"{scene.answer}{number}"))
    for endpoint in healthy:
        tell(endpoint)
    time.sleep(3)
    fill(other, scene.backlog)
    committed = dict(steadily(healthy, seconds))
    arrived = arrivals(receiver, set(committed))
    Webhook.objects.filter(pk=other.pk).update(is_active=False, disabled_reason="requested")
    return sorted(arrived[event_id] - at for event_id, at in committed.items())


def clearing(count: int, backlog: int, receiver: "Receiver", dispatcher: int) -> str:
    """Return how fast the backlog of so many endpoints leaves, and the CPU time of a delivery."""
    from core.clock import utc_now
    from webhooks.models import Delivery, Webhook

    endpoints = [make_endpoint(receiver.url(f"/say/200/{count}-{n}")) for n in range(count)]
    arrivals(receiver, {tell(endpoint)[0] for endpoint in endpoints})
    rows = Webhook.objects.filter(pk__in=[endpoint.pk for endpoint in endpoints])
    rows.update(paused_until=utc_now() + timedelta(hours=1))
    for endpoint in endpoints:
        fill(endpoint, backlog)
    used, began = cpu_seconds(dispatcher), time.monotonic()
    rows.update(paused_until=None)
    while Delivery.objects.pending().filter(webhook__in=rows).exists():
        time.sleep(0.2)
    rate = count * backlog / (time.monotonic() - began)
    cost = (cpu_seconds(dispatcher) - used) / count / backlog * 1_000
    return f"{count} endpoints: {rate:.0f} deliveries/s, {cost:.1f} ms of the dispatcher's CPU each"


def make_endpoint(url: str) -> "Webhook":
    """Register a merchant with one endpoint."""
    from core.clock import utc_now
    from merchants.callers import Caller
    from merchants.services import create_merchant
    from webhooks.endpoints import create_webhook

    merchant = create_merchant(name="Shop", email="shop@example.com", now=utc_now()).merchant
    caller = Caller(merchant, livemode=False, actor="bench")
    issued = create_webhook(caller=caller, url=url, events=["*"], description="", now=utc_now())
    return issued.webhook


def tell(endpoint: "Webhook") -> tuple[str, float]:
    """Emit one event and commit; return its id and the time of the commit."""
    from django.db import transaction

    from core.clock import utc_now
    from core.ids import new_id
    from webhooks.event_types import EventType
    from webhooks.outbox import emit
    from webhooks.samples import sample_of

    data = sample_of(EventType.PAYMENT_COMPLETED)
    about = _Thing(endpoint.merchant_id, endpoint.livemode, new_id("pay", utc_now()))
    with transaction.atomic():
        event = emit(EventType.PAYMENT_COMPLETED, about=about, data=data, now=utc_now())
    return event.id, time.time()


def fill(endpoint: "Webhook", count: int) -> None:
    """Create a backlog of so many events for an endpoint."""
    from django.db import transaction

    for first in range(0, count, 500):
        with transaction.atomic():
            for _ in range(min(500, count - first)):
                tell(endpoint)


def steadily(endpoints: list["Webhook"], seconds: int) -> Iterator[tuple[str, float]]:
    began = time.monotonic()
    for number in range(seconds * PER_SECOND):
        yield tell(endpoints[number % len(endpoints)])
        time.sleep(max(0.0, began + (number + 1) / PER_SECOND - time.monotonic()))


def arrivals(receiver: "Receiver", event_ids: set[str]) -> dict[str, float]:
    """Return when each event was first received. Exits if one has not arrived in time."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        found: dict[str, float] = {}
        for request in receiver.received():
            found.setdefault(request.headers["webhook-id"], request.at)
        if event_ids <= found.keys():
            return found
        if time.monotonic() > deadline:
            sys.exit(f"{len(event_ids - found.keys())} of {len(event_ids)} events did not arrive")
        time.sleep(0.5)


def figures(waits: list[float]) -> list[str]:
    shares = (0.5, 0.95, 0.99, 1)
    return [f"{waits[max(0, int(len(waits) * share) - 1)] * 1_000:.0f}" for share in shares]


if __name__ == "__main__":
    main()
