"""One line of JSON per log record, with the request's id and without secrets."""

import logging
import re
from functools import lru_cache
from http import HTTPStatus
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

HIDDEN = "[hidden]"
FORMS = ("json", "console")
_PROBES = ("GET /healthz", "GET /readyz", "GET /metrics")
_SECRET = re.compile(
    r"(sk_(?:live|test)_|whsec_)[A-Za-z0-9+/=_-]+"
    r"|((?:Bearer|Basic)\s+)[A-Za-z0-9+/=._~-]+"
    r"|(/counter/+pay_[A-Za-z0-9]+/+)[A-Za-z0-9]+"
    r"|(/(?:not-me|confirm-address)/)[A-Za-z0-9_:.-]+"
    r"|(/admin/?[^\s?]*\?)\S+"  # what was searched for, also as the place to go on to
    r"|([?&](?:q|metadata(?:\[|%5B)[^\s=&]*)=)[^\s&]+"  # what a merchant searched for
    r"|(/confirm-email/?\?)\S+"
    r"|(/admin/invitation/)\S+"
)
# Ours, and what structlog takes out again before a line is written.
_OURS = {"level", "logger", "timestamp", "_record", "_from_structlog"}
MOST_NAMES = 1_000
# The id of a payment, link or top-up opens its page to anyone. What stays of it finds it in the
# search of the back office, and leaves 107 bits to guess.
_PAGE = re.compile(r"(?:\b|(?<=%2F))((?:pay|link|top)_[0-9A-Za-z]{12})[0-9A-Za-z]{18}\b")
_SECRET_NAMES = re.compile(r"secret|password|token|authorization|cookie|pepper|\bpin\b", re.I)


def hide_secrets(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Redact keys, secrets, addresses that are capabilities, and search terms."""
    for name, value in event.items():
        if _is_secret(name):
            event[name] = HIDDEN
        elif name not in _OURS:
            event[name] = _redacted(value)
    return event


@lru_cache(MOST_NAMES)
def _is_secret(name: str) -> bool:
    return _SECRET_NAMES.search(name) is not None


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {name: _redacted(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(inner) for inner in value]
    # What a line has of any other object is its repr: of a request, the whole address.
    return value if isinstance(value, int | float | None) else redact(repr(value))


def redact(text: str) -> str:
    """Replace what looks like a secret, but leave the prefix that says what it was."""
    text = _SECRET.sub(lambda found: found[found.lastindex or 0] + HIDDEN, text)
    return _PAGE.sub(rf"\1{HIDDEN}", text)


def drop_probes(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Leave out successful health checks and scrapes."""
    if event.get("request") in _PROBES and event.get("code") == HTTPStatus.OK:
        raise structlog.DropEvent
    return event


stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)
SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.PositionalArgumentsFormatter(),
    stamp,
    structlog.processors.StackInfoRenderer(),
    structlog.processors.format_exc_info,
    hide_secrets,
]


class FinishedEvent(dict[str, Any]):
    """All that a line says, without secrets: only to be rendered."""


class LineFormatter(logging.Formatter):
    """Writes what was logged as a line.

    structlog's own formatter takes a copy of each record first, which costs as much as the rest.
    """

    def __init__(self, renderer: Processor) -> None:
        super().__init__()
        self._renderer = renderer
        self._of_others = structlog.stdlib.ProcessorFormatter(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *SHARED],
        )

    def format(self, record: logging.LogRecord) -> str:
        if isinstance(record.msg, FinishedEvent):
            return str(self._renderer(None, record.levelname, record.msg))
        return self._of_others.format(record)


def _as_message(logger: WrappedLogger, method: str, event: EventDict) -> tuple[Any, dict[str, Any]]:
    return (FinishedEvent(event),), {}


def configure_structlog() -> None:
    """Send structlog's own loggers through the standard library's handlers."""
    structlog.configure(
        processors=[drop_probes, *SHARED, _as_message],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logging_config(*, level: str, form: str) -> dict[str, Any]:
    """Return Django's LOGGING: `json` for machines, `console` for people."""
    renderer: Processor = structlog.processors.JSONRenderer()
    if form == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=False)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": LineFormatter, "renderer": renderer}},
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
            "errors": {"()": "core.error_count.error_count", "level": "ERROR"},
        },
        "root": {"handlers": ["stderr", "errors"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            # The request's own line, from django_structlog, has all of this.
            "django.request": {"level": logging.CRITICAL},
            # Internet scanners send other host names, and each would log a traceback.
            "django.security.DisallowedHost": {"level": logging.CRITICAL},
            # granian's own, should it be switched on, comes here to be redacted like any other.
            "granian.access": {"handlers": [], "propagate": True},
            "axes": {"level": logging.WARNING},
            # A line per table of each font that a PDF embeds.
            "fontTools": {"level": logging.ERROR},
            "fpdf": {"level": logging.ERROR},
            # A line per tick of the schedule would be most of the log.
            "celery.app.trace": {"level": logging.WARNING},
            "celery.beat": {"level": logging.WARNING},
            "celery.worker.strategy": {"level": logging.WARNING},
            # It would log the addresses of gateways and webhooks, secrets included, at DEBUG and
            # for malformed responses, which any endpoint can send as often as it likes.
            "urllib3": {"level": logging.ERROR},
        },
    }
