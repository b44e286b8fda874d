"""Endpoints for monitoring: liveness, readiness and metrics."""

import logging
from typing import cast

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django_prometheus.exports import ExportToDjangoView
from kombu import Connection

from backoffice.metrics import collect as look_at_staff
from config.environment import env
from core.clock import ClockRefused
from core.clock_check import checked_now
from core.errors import ServiceUnavailable
from core.handler import json_error
from core.metrics import collect as look_at_clocks
from ledger.metrics import collect as look_at_ledger
from payouts.metrics import collect as look_at_bank
from webhooks.metrics import collect as look_at_webhooks

logger = logging.getLogger(__name__)

ANSWER_SECONDS = 1
COLLECTORS = {
    "clocks": look_at_clocks,
    "webhooks": look_at_webhooks,
    "ledger": look_at_ledger,
    "bank": look_at_bank,
    "staff": look_at_staff,
}


def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200: the process is up."""
    return _ok()


def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when the database answers, and the broker where there is one; otherwise 503.

    A process whose clock is off is not ready either: what it writes would bear the wrong time.
    """
    for name, ask in (("database", _ask_database), ("broker", _ask_broker)):
        try:
            ask()
        except ClockRefused as refusal:
            return json_error(ServiceUnavailable(str(refusal)))
        except Exception:  # any failure means that it is not ready
            return json_error(ServiceUnavailable(f"The {name} does not answer."))
    return _ok()


def metrics(request: HttpRequest) -> HttpResponse:
    """Answer in Prometheus form, even while the database is unavailable."""
    for name, collect in COLLECTORS.items():
        try:
            collect()
        except Exception:
            logger.warning("%s not measured", name, exc_info=True)
    return cast(HttpResponse, ExportToDjangoView(request))


def _ok() -> HttpResponse:
    return HttpResponse(b'{"status":"ok"}', content_type="application/json")


def _ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    checked_now()


def _ask_broker() -> None:
    url = env("CELERY_BROKER_URL")
    if not url:
        return
    limits = {"socket_timeout": ANSWER_SECONDS, "socket_connect_timeout": ANSWER_SECONDS}
    with Connection(url, connect_timeout=ANSWER_SECONDS, transport_options=limits) as broker:
        broker.ensure_connection(max_retries=1, timeout=ANSWER_SECONDS)
        broker.default_channel  # noqa: B018  # opening it asks the broker for a sign of life
