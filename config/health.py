"""Endpoints for monitoring: liveness, readiness and metrics."""

import logging
from typing import cast

from django.db import OperationalError, connection
from django.http import Http404, HttpRequest, HttpResponse
from django_prometheus.exports import ExportToDjangoView

from backoffice.metrics import collect as collect_staff
from config.applied_migrations import missing_migrations
from config.background_metrics import (
    collect_background,
    collect_broker,
    collect_database,
    forget_ended_processes,
)
from config.process_metrics import collect_pool
from core.client_address import is_from_inside
from core.clock import ClockRefused
from core.clock_check import checked_now
from core.database_away import log_failure, takes_changes
from core.errors import ServiceUnavailable
from core.handler import json_error
from core.metrics import collect as collect_clocks
from ledger.metrics import collect as collect_ledger
from messages.metrics import collect as collect_messages
from payments.metrics import collect as collect_payments
from payouts.metrics import collect as collect_bank
from refunds.metrics import collect as collect_refunds
from webhooks.metrics import collect as collect_webhooks

logger = logging.getLogger(__name__)

COLLECTORS = {
    "ended processes": forget_ended_processes,
    "broker": collect_broker,
    "connections": collect_pool,
    # The following query the database.
    "database": collect_database,
    "clocks": collect_clocks,
    "webhooks": collect_webhooks,
    "ledger": collect_ledger,
    "bank": collect_bank,
    "staff": collect_staff,
    "messages": collect_messages,
    "payments": collect_payments,
    "refunds": collect_refunds,
    "background work": collect_background,
}


def healthz(request: HttpRequest) -> HttpResponse:
    """Answer 200: the process is up."""
    return _ok()


def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 if the database takes changes, which is all that requests need; otherwise 503.

    Redis is not checked, as requests work without it; `broker_up` shows its state. A process whose
    clock is off is not ready: it would write wrong timestamps. Nor is one whose release has
    migrations that the database lacks: its requests would fail.
    """
    try:
        if not takes_changes():
            return json_error(ServiceUnavailable("The database takes no changes: a standby?"))
        checked_now()
        missing = missing_migrations()
    except ClockRefused as refusal:
        return json_error(ServiceUnavailable(str(refusal)))
    except Exception:  # any failure means that it is not ready
        return json_error(ServiceUnavailable("The database does not answer."))
    if missing:
        return json_error(
            ServiceUnavailable(f"The database lacks {missing[0]}: run `manage.py migrate`.")
        )
    return _ok()


def metrics(request: HttpRequest) -> HttpResponse:
    """Answer in Prometheus format, even while the database is unavailable.

    A request that came through the proxy gets 404: what we trade is not public.
    """
    if not is_from_inside(request):
        raise Http404
    for name, collect in COLLECTORS.items():
        try:
            collect()
        except Exception as error:
            log_failure(logger, f"{name} not measured", error)
            if isinstance(error, OperationalError) and connection.connection is None:
                break  # each of the remaining ones would wait for a connection just as long
    return cast(HttpResponse, ExportToDjangoView(request))


def _ok() -> HttpResponse:
    return HttpResponse(b'{"status":"ok"}', content_type="application/json")
