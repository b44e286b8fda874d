"""The WSGI entry point: `config.wsgi:application`."""

import gc
import os
import sys
from wsgiref.util import setup_testing_defaults

import django
from django.core.cache import close_caches
from django.core.handlers.base import reset_urlconf
from django.core.signals import request_finished

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

django.setup()
from config.web_handler import WebHandler  # noqa: E402  # needs the settings

handler = WebHandler()
for name in HIDDEN_WHILE_LOADING:
    del sys.modules[name]  # code that needs it can import it from now on

from config.process_metrics import keep_noting  # noqa: E402  # needs the settings
from config.request_head import rename_unknown_methods  # noqa: E402
from config.start_checks import check_web_start  # noqa: E402  # needs the settings
from config.visitors import refuse_before_django  # noqa: E402

application = rename_unknown_methods(refuse_before_django(handler))

check_web_start()


def warm_up() -> None:
    """Load what the first request would load, before there is one.

    It takes half a second, all that a visitor's network may use at once: the second request of the
    first visitor would be refused.
    """
    environ = {"PATH_INFO": "/healthz"}
    setup_testing_defaults(environ)
    handler(environ, lambda *_: lambda _: None)


# Django does these when a request ends, needlessly here: our caches have nothing to close, and
# there is one set of URLs.
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
