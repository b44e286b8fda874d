"""Count API requests in the series of `django_prometheus`, without its lookups per request."""

import time
from collections.abc import Callable
from functools import lru_cache
from http import HTTPMethod
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django_prometheus.middleware import Metrics

METHODS = frozenset(HTTPMethod)
MOST_SERIES = 1_000

_GetResponse = Callable[[HttpRequest], HttpResponse]


class _Series(NamedTuple):
    """The metrics that one kind of request updates."""

    counters: tuple[Any, ...]
    latency: Any


def api_metrics(get_response: _GetResponse) -> _GetResponse:
    """Count each request by its view, method and status, and measure how long it took."""
    metrics = Metrics.get_instance()

    @lru_cache(MOST_SERIES)
    def series(view: str, method: str, transport: str, status: int) -> _Series:
        kind = {"view": view, "method": method}
        return _Series(
            counters=(
                metrics.requests_total,
                metrics.responses_total,
                metrics.requests_by_method.labels(method=method),
                metrics.requests_by_transport.labels(transport=transport),
                metrics.requests_by_view_transport_method.labels(transport=transport, **kind),
                metrics.responses_by_status.labels(status=str(status)),
                metrics.responses_by_status_view_method.labels(status=str(status), **kind),
            ),
            latency=metrics.requests_latency_by_view_method.labels(**kind),
        )

    def middleware(request: HttpRequest) -> HttpResponse:
        started = time.perf_counter()
        response = get_response(request)
        seconds = time.perf_counter() - started
        view = request.resolver_match.view_name if request.resolver_match else "<unnamed view>"
        method = request.method if request.method in METHODS else "<invalid method>"
        added = series(view, method, request.scheme or "", response.status_code)
        for counter in added.counters:
            counter.inc()
        added.latency.observe(seconds)
        metrics.requests_latency_before.observe(seconds)
        metrics.responses_body_bytes.observe(len(response.content))
        return response

    return middleware
