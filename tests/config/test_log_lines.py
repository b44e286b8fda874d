"""How a log line is written, whatever it says."""

import json
import logging
from io import StringIO

import pytest
import structlog
from django.core.exceptions import BadRequest
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from config import applied_migrations
from config.logging import LineHandler


@pytest.mark.parametrize("said", ["Caf\u00e9\u0085", "\ud83d", 2**70, {1: "one"}, "plain"])
def test_whatever_is_said_is_one_line(lines, said: object) -> None:
    structlog.get_logger("anyone").warning("said", said=said)

    (line,) = lines()
    assert line["said"] == json.loads(json.dumps(said))


@pytest.mark.django_db
@pytest.mark.parametrize(
    "path", ["/v1/a-b_c.1", "/v1/a b", "/v1/\u00e9", "/v1/a?b=c%20d", "/v1/a?"]
)
def test_an_address_is_written_as_in_a_url(client: Client, lines, path: str) -> None:
    request = client.get(path).wsgi_request

    (line,) = lines()
    assert line["request"] == f"GET {request.get_full_path()}"


@pytest.mark.django_db
@pytest.mark.parametrize(("fault", "level"), [(BadRequest, "INFO"), (RuntimeError, "ERROR")])
def test_the_record_of_a_request_is_one_of_its_own(
    client: Client, lines, monkeypatch: pytest.MonkeyPatch, fault: type[Exception], level: str
) -> None:
    """Other handlers, such as the count of errors, go by what a record says of itself."""

    def fail(*args: object, **values: object) -> None:
        raise fault

    monkeypatch.setattr("checkout.views.paying.ReviewPage.prepare", fail)
    seen: list[logging.LogRecord] = []
    logger = logging.getLogger("config.request_log")
    monkeypatch.setattr(logger, "handle", seen.append)
    monkeypatch.setattr("config.request_log.time", iter([1.5, 2.5]).__next__)
    for _ in range(2):
        client.get("/checkout/pay_1")

    first, second = seen
    made = logger.makeRecord(logger.name, logging.INFO, "", 0, None, (), None)
    assert vars(second).keys() == vars(made).keys()
    assert (second.name, second.levelname) == ("config.request_log", level)
    assert (first.created, second.created) == (1.5, 2.5)
    assert first.msg is not second.msg


class Pipe(StringIO):
    """Counts how often what was written is passed on."""

    flushed = 0

    def flush(self) -> None:
        self.flushed += 1


def test_each_line_leaves_the_process_at_once() -> None:
    pipe = Pipe()
    handler = LineHandler(pipe)

    handler.handle(logging.makeLogRecord({"msg": "one"}))

    assert (pipe.getvalue(), pipe.flushed) == ("one\n", 1)
    assert LineHandler in map(type, logging.getLogger().handlers)


def test_a_line_that_fails_stops_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    LineHandler(StringIO()).handle(logging.makeLogRecord({"msg": "%d", "args": ("one",)}))

    assert "--- Logging error ---" in capsys.readouterr().err


def test_a_line_of_endless_calls_is_not_reported_by_more_of_them() -> None:
    class Endless(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return self.format(record)

    handler = LineHandler(StringIO())
    handler.setFormatter(Endless())

    with pytest.raises(RecursionError):
        handler.handle(logging.makeLogRecord({"msg": "one"}))


@pytest.mark.django_db
def test_probes_that_fail_and_pages_that_are_shown_have_a_line(
    client: Client, lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    MigrationRecorder.Migration.objects.filter(app="payments").delete()
    monkeypatch.setattr(applied_migrations, "_applied", set())

    client.get("/readyz")
    client.get("/")

    logged = [(line["request"], line["code"]) for line in lines() if "code" in line]
    assert logged == [("GET /readyz", 503), ("GET /", 200)]
