"""Each Celery worker polls for due deliveries by itself, so that no broker is needed.

Beat's ticks and the wakeups come through the broker. While it is down or frozen this thread alone
keeps events going out; otherwise it finds nothing left to do.
"""

import threading
from typing import Any

from celery import current_app
from celery.signals import worker_init, worker_process_init

from webhooks.delivery.dispatcher import dispatch_forever
from webhooks.delivery.wakeup import QUEUE

POLL_SECONDS = 1.0
THREAD_NAME = "webhooks-poll"

_started = threading.Event()


@worker_init.connect
def poll_in_worker(sender: Any, **_: object) -> None:
    """Start polling if this process's threads do the work; pool processes start their own."""
    if "prefork" not in f"{sender.pool_cls}":
        poll_in_process()


@worker_process_init.connect
def poll_in_process(**_: object) -> None:
    """Start polling once per process, in workers that consume the webhooks queue."""
    if QUEUE not in current_app.amqp.queues.consume_from or _started.is_set():
        return
    _started.set()
    threading.Thread(
        target=dispatch_forever,
        kwargs={"every_seconds": POLL_SECONDS},
        name=THREAD_NAME,
        daemon=True,
    ).start()
