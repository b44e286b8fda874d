"""The service as a web server loads it, in a process of its own that has answered nothing yet."""

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from config.environment import VARIABLES
from tests.run_environment import VALUES
from tests.source_tree import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

# A visitor's network pays for what a request takes: of loading, it may not.
LOADED_BY_REQUESTS = ("config.urls", "checkout.urls", "backoffice.urls")
# What few processes need, each some MB of one that does not.
LOADED_BY_USE = ("PIL", "fpdf", "openpyxl", "requests")
LOADED = f"""
import sys, config.wsgi
print(*set({LOADED_BY_REQUESTS}) - set(sys.modules))
from core.qr import png, svg
png("text"), svg("text")
print(*set({LOADED_BY_USE}) & set(sys.modules))
import outbound.http_client, checkout.logos
"""
# What Django asks at the end of each request.
RECEIVERS = """
import config.wsgi
from django.core.signals import request_finished
print(*sorted(receiver.__name__ for receiver in request_finished._live_receivers(None)[0]))
"""

# An answer, what it is handed over as, and whether the request has given back what it held.
WHOLE = """
import io
from django.core.signals import request_finished
from config.wsgi import application
ended = []
request_finished.connect(lambda **_: ended.append("ended"), weak=False)
environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/v1/nothing", "SERVER_NAME": "localhost",
           "SERVER_PORT": "80", "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(b"")}
said = []
body = application(environ, lambda status, headers: said.append(status))
print(*said, type(body).__name__, b"".join(body), *ended)
"""

# What strangers send that Django reads before any middleware, and how long that took.
HEADS = """
import io, time
from config.wsgi import application
CODECS = [f"text/plain; charset={name}" for name in ("rot13", "undefined", "punycode")]
QUOTES = "text/plain;" + chr(34) + ";" * 30_000
TYPES = [*CODECS, "text/plain; x*=nonsense''%41", QUOTES]
COOKIE = "a=" + chr(34) + (chr(92) + chr(34)) * 15_000
for kind in (*TYPES, "multipart/form-data"):
    environ = {"REQUEST_METHOD": "POST", "PATH_INFO": "/v1/nothing", "QUERY_STRING": "x=%41",
               "SERVER_NAME": "localhost", "SERVER_PORT": "80", "wsgi.url_scheme": "http",
               "wsgi.input": io.BytesIO(b""), "CONTENT_TYPE": kind, "HTTP_COOKIE": COOKIE}
    said = []
    begun = time.process_time()
    application(environ, lambda status, headers: said.append(status))
    print(*said, time.process_time() - begun < 0.5)
"""

# Methods of a stranger's own, and how many of them the metrics will show for ever.
METHODS = """
import io
from config.wsgi import application
from prometheus_client import generate_latest
said = []
for method in ("GET", "get", *(f"FOO{number}" for number in range(5))):
    environ = {"REQUEST_METHOD": method, "PATH_INFO": "/healthz", "SERVER_NAME": "localhost",
               "SERVER_PORT": "80", "wsgi.url_scheme": "http", "wsgi.input": io.BytesIO(b"")}
    application(environ, lambda *head: said.append((head[0], dict(head[1]).get("Allow"))))
print(*said)
print(b"FOO" in generate_latest())
"""

TURNS = """
import sys
print(sys.getswitchinterval())
"""

COLLECTOR = """
import gc
print(gc.get_threshold()[0], gc.get_freeze_count() > 0)
"""

# Of a network that has spent its budget, while Django can answer nothing.
SPENT = """
from wsgiref.util import setup_testing_defaults
from django.conf import settings
from config.wsgi import application, handler
from core.visitor_budget import visitors
settings.VISITOR_SECONDS_PER_NETWORK, handler.get_response = 0.1, None
visitors.charge("127.0.0.0/24", 60)
environ = {"PATH_INFO": "/docs", "REMOTE_ADDR": "127.0.0.1"}
setup_testing_defaults(environ)
application(environ, lambda status, headers: print(status))
"""

# Loading takes longer than any answer: it is done once, and each question asked of a fork of it.
ASKED = """
import os, sys, config.wsgi
for question in sys.argv[1:]:
    if not os.fork():
        exec(question, {})
        sys.stdout.flush()
        os._exit(0)
    if os.wait()[1]:
        sys.exit(question)
    print("answered", flush=True)
"""
QUESTIONS = [LOADED, RECEIVERS, WHOLE, HEADS, METHODS, TURNS, COLLECTOR, SPENT]


@pytest.fixture(scope="module")
def answers() -> dict[str, list[str]]:
    """Ask a process that has loaded the service; return the lines that it prints to each."""
    ours = {*VARIABLES, "DEVELOPMENT_FILE", "DJANGO_SETTINGS_MODULE"}
    rest = {name: value for name, value in os.environ.items() if name not in ours}
    service = {
        "DEVELOPMENT_FILE": "",
        "DEVELOPMENT_MODE": "true",
        "DATABASE_URL": "sqlite://:memory:",
    }
    done = subprocess.run(
        [sys.executable, "-c", ASKED, *QUESTIONS],
        cwd=ROOT,
        env=rest | VALUES | service,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    said = done.stdout.split("answered\n")
    assert said.pop() == ""
    lines = [each.removesuffix("\n").split("\n") for each in said]
    return dict(zip(QUESTIONS, lines, strict=True))


@pytest.fixture
def answer_to(answers: dict[str, list[str]]) -> Callable[[str], list[str]]:
    return answers.__getitem__


def test_it_has_loaded_every_page_before_the_first_request_and_no_more(answer_to) -> None:
    assert answer_to(LOADED) == ["", ""]


def test_a_request_asks_for_nothing_in_vain(answer_to) -> None:
    assert answer_to(RECEIVERS) == ["close_old_connections"]


def test_an_answer_is_handed_over_whole_by_a_request_that_has_ended(answer_to) -> None:
    body = b'{"error":"There is nothing at this address.","code":"NOT_FOUND","details":""}'

    assert answer_to(WHOLE) == [f"404 Not Found list {body!r} ended"]


def test_threads_take_short_turns_at_the_interpreter(answer_to) -> None:
    assert answer_to(TURNS) == ["0.0005"]


def test_what_is_loaded_is_not_scanned_for_garbage_again(answer_to) -> None:
    assert answer_to(COLLECTOR) == ["20000 True"]


def test_a_network_that_has_spent_its_budget_does_not_reach_django(answer_to) -> None:
    assert answer_to(SPENT) == ["429 Too Many Requests"]


def test_no_header_that_a_stranger_writes_fails_or_takes_long(answer_to) -> None:
    """Neither was charged to anyone: a few such requests held all threads for minutes."""
    assert answer_to(HEADS) == ["404 Not Found True"] * 6


def test_a_method_of_a_strangers_own_is_refused_and_no_label(answer_to) -> None:
    """Twenty such requests made the page of metrics of a process five megabytes larger."""
    said = [("200 OK", None)] * 2 + [("405 Method Not Allowed", "GET, HEAD")] * 5

    assert answer_to(METHODS) == [" ".join(str(each) for each in said), "False"]
