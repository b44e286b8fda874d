"""One line of JSON per log record, with the request's id and without secrets."""

import json
import logging
import re
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from typing import Any, TextIO

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from config.probes import MONITORING
from core.stored_bytes import note_bytes

HIDDEN = "[hidden]"
FORMS = ("json", "console")
_MONITORING_REQUESTS = {f"GET {path}" for path in MONITORING}
# Merchants' search terms, also if the name is spelled otherwise: %71 is a q.
_TERM = r"(?:q|metadata(?:\[|%5[Bb])[^\s=&]{0,600}|[^\s=&?%]{0,100}%[^\s=&?]{0,600})=([^\s&]+)"
# Each begins with a letter or sign of its own, by which the search skips most of a text, and ends
# with what is hidden.
_SECRET = re.compile(
    r"sk_(?:live|test)_([A-Za-z0-9+/=_-]+)"
    r"|whsec_([A-Za-z0-9+/=_-]+)"
    r"|B(?i:earer|asic)\s+([A-Za-z0-9+/=._~-]+)"  # in capitals or not, as HTTP reads them
    r"|b(?i:earer|asic)\s+([A-Za-z0-9+/=._~-]+)"
    r"|/counter/+pay_[A-Za-z0-9]+/+([A-Za-z0-9]+)"
    r"|/not-me/+([A-Za-z0-9_:.-]+)"
    r"|/confirm-address/+([A-Za-z0-9_:.-]+)"
    r"|/admin/+invitation/+(\S+)"  # before search terms, which would keep it
    # Bounded: a URL that repeats the beginning of one of these would take seconds.
    r"|/admin/?[^\s?]{0,300}\?(\S+)"  # staff's search terms, also in a `next` URL
    rf"|\?{_TERM}"
    rf"|&{_TERM}"
    r"|/confirm-email/?\?(\S+)"
)
# Fields of our own, and those that structlog removes before a line is written.
_OURS = {"level", "logger", "timestamp", "_record", "_from_structlog"}
MOST_NAMES = 1_000
# A longer address would let strangers fill the log, and so remove what it keeps for a year.
REQUEST_CHARACTERS = 500
# Anyone with the id of a payment, link or top-up can open its page. The part that is kept is enough
# to find it in the back office, and leaves 107 bits unknown.
_PAGE = re.compile(r"(?:\b|(?<=%2[Ff]))((?:pay|link|top)_[0-9A-Za-z]{12})[0-9A-Za-z]{18}\b")
# PostgreSQL quotes the row that violates a constraint: with phone, address and the hash of a PIN.
# In an exception's repr, as Celery logs it, its lines end with a backslash and an n.
_ROW = re.compile(r"((?:\b|\\n)DETAIL: +).*?(?=(?:\n|\\n)(?:HINT|CONTEXT): |\n\n|\Z)", re.DOTALL)
_SECRET_NAMES = re.compile(r"secret|password|token|authorization|cookie|pepper|\bpin\b", re.I)


def hide_secrets(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Redact keys, secrets, URLs that grant access, and search terms."""
    for name, value in event.items():
        if _is_secret(name):
            event[name] = HIDDEN
        elif name not in _OURS:
            event[name] = _redacted(value)
    if isinstance(event.get("request"), str):
        event["request"] = event["request"][:REQUEST_CHARACTERS]
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
    # Any other object is logged by its repr, which for a request has the whole URL.
    return value if isinstance(value, int | float | None) else redact(repr(value))


def redact(text: str) -> str:
    """Redact anything that looks like a secret, but keep the prefix that shows its kind."""
    text = _SECRET.sub(_without_secret, text)
    if "DETAIL: " in text:
        text = _ROW.sub(rf"\1{HIDDEN}", text)
    return _PAGE.sub(lambda found: found[1] + HIDDEN, text)


def _without_secret(found: re.Match[str]) -> str:
    return found[0].removesuffix(found[found.lastindex or 0]) + HIDDEN


def drop_probes(logger: WrappedLogger, method: str, event: EventDict) -> EventDict:
    """Drop the lines of successful health checks and scrapes."""
    if event.get("request") in _MONITORING_REQUESTS and event.get("code") == HTTPStatus.OK:
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
    """The complete, redacted fields of a log line, ready to render."""


class LineFormatter(logging.Formatter):
    """Formats a log record as a line, and counts its bytes, which have a price.

    structlog's own formatter first copies each record, which costs as much as all the rest.
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
            line = str(self._renderer(None, record.levelname, record.msg))
        else:
            line = self._of_others.format(record)
        note_bytes(len(line))
        return line


class LineHandler(logging.StreamHandler[TextIO]):
    """Writes and flushes each line under one lock; the standard library takes it again to flush."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self.stream.write(f"{self.format(record)}\n")
            self.stream.flush()
        except RecursionError:  # reporting it would take more calls
            raise
        except Exception:  # as the standard library does: a line that fails must not stop a request
            self.handleError(record)


def _as_json(event: EventDict, *, default: Callable[[Any], Any]) -> str:
    """Write a line in ASCII: most in a thirtieth of the time that the standard library takes."""
    try:
        line = orjson.dumps(event, default=default)
    except TypeError:  # half a character, a huge integer, or a name that is no text
        line = b""
    if line and line.isascii():
        return line.decode()
    return json.dumps(event, default=default, separators=(",", ":"))


def _as_message(logger: WrappedLogger, method: str, event: EventDict) -> tuple[Any, dict[str, Any]]:
    return (FinishedEvent(event),), {}


def configure_structlog() -> None:
    """Send structlog's own loggers through the standard library's handlers.

    A record need not name thread and process, which no line shows.
    """
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    structlog.configure(
        processors=[drop_probes, *SHARED, _as_message],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logging_config(*, level: str, form: str) -> dict[str, Any]:
    """Return Django's LOGGING: `json` for machines, `console` for people."""
    renderer: Processor = structlog.processors.JSONRenderer(serializer=_as_json)
    if form == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=False)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"()": LineFormatter, "renderer": renderer}},
        "filters": {"outages": {"()": "core.database_away.WithoutTraceback"}},
        "handlers": {
            "stderr": {"class": "config.logging.LineHandler", "formatter": "line"},
            "errors": {"()": "core.error_count.error_count", "level": "ERROR"},
        },
        "root": {"handlers": ["stderr", "errors"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": level, "propagate": True},
            # The line per request from django_structlog contains all of this.
            "django.request": {"level": logging.CRITICAL},
            # Anyone can send a foreign host name or a thousand fields: a refusal, not an error.
            "django.security": {"level": logging.CRITICAL},
            "django.security.csrf": {"level": logging.WARNING},
            # granian's access log, if switched on, is redacted here like any other.
            "granian.access": {"handlers": [], "propagate": True},
            "axes": {"level": logging.WARNING},
            # They log a line for every table of each font that a PDF embeds.
            "fontTools": {"level": logging.ERROR},
            "fpdf": {"level": logging.ERROR},
            # A line for every tick of the schedule would be most of the log.
            "celery.app.trace": {"level": logging.WARNING},
            "celery.beat": {"level": logging.WARNING},
            "django_celery_beat.schedulers": {"filters": ["outages"]},
            "celery.worker.strategy": {"level": logging.WARNING},
            # At DEBUG, and for malformed responses, which any endpoint can send at will, it logs
            # the URLs of gateways and webhooks, secrets included.
            "urllib3": {"level": logging.ERROR},
        },
    }
