"""The WSGI entry point: `config.wsgi:application`."""

import gc
import os
import sys
from collections.abc import Iterable
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment
from wsgiref.util import setup_testing_defaults

from django.core.cache import close_caches
from django.core.handlers.base import reset_urlconf
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, reset_queries
from django.http import HttpResponse

COLLECT_AFTER = 20_000  # net new objects before a garbage collection; Python's default is 700
SWITCH_SECONDS = 0.0005  # a thread's turn while others wait for the interpreter; default 0.005

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

# Libraries import these if they are installed: `qrcode` Pillow (4 MB), for formats that we do not
# use, the REST framework `requests` (5 MB), for its test client. While the service loads, they
# appear not to be installed.
HIDDEN_WHILE_LOADING = ("PIL", "requests")
for name in HIDDEN_WHILE_LOADING:
    sys.modules[name] = None  # type: ignore[assignment]  # as if it were not installed
import qrcode  # noqa: E402, F401

django_application = get_wsgi_application()
for name in HIDDEN_WHILE_LOADING:
    del sys.modules[name]  # code that needs it can import it from now on

from config.process_metrics import keep_noting  # noqa: E402  # needs the settings
from config.request_head import Utf8Request, rename_unknown_methods  # noqa: E402
from config.start_checks import check_start  # noqa: E402  # needs the settings
from config.visitors import refuse_before_django  # noqa: E402


def unchunked(handler: WSGIHandler) -> WSGIApplication:
    """Return a response to the server as one piece of bytes, unless it is streamed.

    The server sends an iterated response in pieces, through a queue between two threads.
    """

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        response = handler(environ, start_response)
        if not isinstance(response, HttpResponse):
            return response
        response.close()  # frees what the request held before the response is sent
        return [response.content]

    return answer


django_application.request_class = Utf8Request
application = rename_unknown_methods(refuse_before_django(unchunked(django_application)))

check_start()


def warm_up() -> None:
    """Load what the first request would load, before there is one.

    It takes half a second, all that a visitor's network may use at once: the second request of the
    first visitor would be refused.
    """
    environ = {"PATH_INFO": "/healthz"}
    setup_testing_defaults(environ)
    django_application(environ, lambda *_: lambda _: None).close()


# Django does these for every request, needlessly here: only tests record statements, a request's
# connection is checked when it ends, our caches have nothing to close, and each request begins with
# the only URLs that there are.
request_started.disconnect(reset_queries)
request_started.disconnect(close_old_connections)
request_finished.disconnect(close_caches)
request_finished.disconnect(reset_urlconf)

warm_up()
keep_noting()

# What is loaded by now lives as long as the process, so the collector need not scan it again; and
# requests leave little in reference cycles, pages nothing.
gc.collect()
gc.freeze()
gc.set_threshold(COLLECT_AFTER, *gc.get_threshold()[1:])

# A merchant's request runs for a millisecond or two, and waits for the database several times: each
# time it would then wait 5 ms for every thread that draws a picture.
sys.setswitchinterval(SWITCH_SECONDS)
