"""What the tests of every room use."""

import faulthandler
import gc
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from argon2 import PasswordHasher
from django.core.cache import cache
from django.db import connection, transaction
from django.utils import translation
from pytest_django import DjangoDbBlocker, Settings
from pytest_django.live_server_helper import LiveServer

from core import throttling
from core.visitor_budget import testers, visitors
from customers import pin_hashing
from tests import run_environment, template
from tests.clone import Service, running
from tests.clusters import migrated_cluster
from tests.flush import allow_flush
from tests.keeper import Keeper, use_copy
from tests.machine import need
from tests.middleware_chain import share_chain
from tests.nights import is_elsewhere, is_same_on_both, leave_to_postgresql, leave_to_sqlite
from tests.postgres import PostgresMissing
from tests.redis import Redis
from tests.stopped_clock import standing_still

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from merchants.models import Merchant
    from payments.models import Payment
    from tests.client import Api
    from tests.customers.texts import TextBox

THOROUGH = pin_hashing._argon2
# How long a test of these kinds may take; others have `faulthandler_timeout` of pyproject.toml.
LIMITS_SECONDS = {"slow": 240, "browser": 240, "faults": 600, "fuzz": 960}
# The first test of a process makes the database: every migration, on a machine that may be busy.
FIRST_SECONDS = 480
_keeper = pytest.StashKey[Keeper]()
_stderr = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    gc.disable()  # until all is imported and collected: nothing of it is garbage
    allow_flush()
    share_chain()
    assert sys.__stderr__
    config.stash[_stderr] = os.dup(sys.__stderr__.fileno())  # the true one, while none is captured
    before_workers = config.getoption("numprocesses", None) and not hasattr(config, "workerinput")
    if not run_environment.ON_POSTGRESQL:
        if before_workers:
            template.make(run_environment.DIRECTORY / "db.sqlite3")
        return
    run_environment.DIRECTORY.chmod(0o711)
    try:
        if before_workers:
            migrated_cluster()  # once, before the workers copy it
        else:
            config.stash[_keeper] = Keeper(run_environment.POSTGRESQL_SOCKETS)
    except PostgresMissing as missing:
        pytest.exit(str(missing), returncode=pytest.ExitCode.USAGE_ERROR)


def pytest_unconfigure(config: pytest.Config) -> None:
    if keeper := config.stash.get(_keeper, None):
        keeper.close()
    if not hasattr(config, "workerinput"):
        shutil.rmtree(run_environment.DIRECTORY, ignore_errors=True)


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of tests, and half a second for what is garbage."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # a test leaves little in cycles
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave to the run on the other database what needs that one, or finds the same on both."""
    leave = leave_to_sqlite if run_environment.ON_POSTGRESQL else leave_to_postgresql
    leave(item for item in items if not is_same_on_both(item))
    elsewhere = {item for item in items if is_elsewhere(item)}
    config.hook.pytest_deselected(items=elsewhere)
    items[:] = [item for item in items if item not in elsewhere]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Give a test of a slow kind longer before all threads are dumped and the process ends."""
    limit = max((LIMITS_SECONDS.get(mark.name, 0) for mark in item.iter_markers()), default=0)
    if limit:
        _limit(item.config, limit)


def _limit(config: pytest.Config, seconds: float) -> None:
    seconds = max(seconds, float(config.getini("faulthandler_timeout")))
    faulthandler.dump_traceback_later(seconds, exit=True, file=config.stash[_stderr])


@pytest.fixture(scope="session")
def django_db_setup(
    request: pytest.FixtureRequest,
    django_db_modify_db_settings: None,
    django_db_blocker: DjangoDbBlocker,
) -> None:
    """Begin with a copy of the migrated database that an earlier run left, or leave one."""
    if run_environment.ON_POSTGRESQL:
        with django_db_blocker.unblock():
            use_copy(connection)
        return
    database = Path(str(connection.settings_dict["TEST"]["NAME"]))
    if template.use(database):
        connection.settings_dict["NAME"] = str(database)
        return
    _limit(request.config, FIRST_SECONDS)
    with template.unmeasured():
        request.getfixturevalue("django_db_setup")
    template.keep(database)


@pytest.fixture(autouse=True)
def _clock(request: pytest.FixtureRequest) -> Iterator[None]:
    """Stop the clock, unless a mark says why it runs, or programs with clocks of their own do."""
    if any(map(request.node.get_closest_marker, ("real_clock", "browser", "faults", "fuzz"))):
        yield
        return
    with standing_still():
        yield


@pytest.fixture(autouse=True)
def _empty_cache(_clock: None) -> None:
    """Leave nothing of the tests before, nor the language of the last page that they saw."""
    translation.deactivate()
    cache.clear()
    throttling._memory().reset()
    visitors.clear()
    testers.clear()


@pytest.fixture(scope="session", autouse=True)
def _quick_pins() -> Iterator[None]:
    """Hash PINs with the least work there is: what one is worth is looked at in one place."""
    with mock.patch.object(pin_hashing, "_argon2", PasswordHasher(1, 8, 1)):
        yield


@pytest.fixture
def thorough_pins() -> Iterator[None]:
    """Hash PINs as the service does. Name it before what sets one."""
    with mock.patch.object(pin_hashing, "_argon2", THOROUGH):
        yield


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """The whole service as `make run` starts it, in a clone whose database has its tables."""
    with running(tmp_path_factory.mktemp("clone"), migrated=True) as service:
        yield service


@pytest.fixture(scope="session")
def openapi() -> str:
    """GET /v1/openapi.json, asked for once: a document of every operation takes long to make."""
    from tests.client import ApiClient

    cache.clear()  # a test may have asked for it under other settings
    return ApiClient().get("/v1/openapi.json").content.decode()


@pytest.fixture
def redis() -> Iterator[Redis]:
    """Start a Redis server of the test's own; `.url`, `.broker_url`, `.freeze()`, `.stop()`."""
    need("redis-server", "Redis")
    with tempfile.TemporaryDirectory(prefix="payments-redis-") as directory:
        server = Redis(Path(directory))
        server.start()
        yield server
        server.stop()


@pytest.fixture(scope="session")
def chromium() -> "Iterator[Browser]":
    """One browser for the run; each test gets profiles of its own."""
    from tests.chromium import PROGRAM, launched

    need(PROGRAM, "Chromium")
    with launched() as browser:
        yield browser


@pytest.fixture
def site(live_server: LiveServer, settings: Settings) -> str:
    """The service, listening; its own idea of its address is the true one."""
    from tests.chromium import address_of

    settings.BASE_URL = settings.CHECKOUT_URL = address = address_of(live_server)
    settings.CSRF_TRUSTED_ORIGINS = [address]
    return address


@pytest.fixture
def open_page(chromium: "Browser", site: str) -> "Iterator[Callable[..., Page]]":
    """Open a page in a new profile: `open_page("/checkout/…", width=360, javascript=False)`.

    When the test ends, nothing may have gone to another host, been refused by the policy, or
    failed in the script.
    """
    from tests.chromium import Watched

    watched = Watched(chromium, site)
    yield watched.open
    watched.close()


@pytest.fixture
def undone(db: None) -> Iterator[None]:
    """Undo what a thief has done to the rows without a last look at their foreign keys."""
    yield
    transaction.set_rollback(True)


@pytest.fixture
def api(db: None) -> "Api":
    """Call as a merchant: `api(merchant).post(path, {…})`; `api(None)` has no key."""
    from tests.client import Api

    return Api()


@pytest.fixture
def merchant(db: None) -> "Merchant":
    from tests.factories import MerchantFactory

    return MerchantFactory.create()


@pytest.fixture
def stranger(db: None) -> "Merchant":
    """Another merchant, to whom nothing of the first one exists."""
    from tests.factories import MerchantFactory

    return MerchantFactory.create()


@pytest.fixture
def development(settings: Settings) -> None:
    settings.DEVELOPMENT_MODE, settings.REQUIRE_STAFF_PASSKEYS = True, False


@pytest.fixture
def payment(merchant: "Merchant") -> "Payment":
    """A DYNAMIC_PAY of 12.50 BSD in test mode, just created."""
    from tests.factories import PaymentFactory

    return PaymentFactory(merchant=merchant)


@pytest.fixture
def debtor_account(settings: Settings) -> None:
    settings.PAYOUT_DEBTOR_ACCOUNT = "000777"


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> "TextBox":
    from tests.customers.texts import TextBox

    box = TextBox()
    monkeypatch.setattr("messages.sms.send", box.send)
    return box
