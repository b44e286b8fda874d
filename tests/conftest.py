"""What the tests of every room use."""

import gc
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest
from argon2 import PasswordHasher
from django.core.cache import cache
from django.db import connection
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from customers import pin_hashing
from tests import run_environment, template
from tests.clone import Service, running
from tests.flush import allow_flush
from tests.machine import need
from tests.postgres import Keeper, PostgresMissing
from tests.redis import Redis

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from merchants.models import Merchant
    from payments.models import Payment
    from tests.client import Api

THOROUGH = pin_hashing._argon2
_keeper = pytest.StashKey[Keeper]()


def pytest_configure(config: pytest.Config) -> None:
    allow_flush()
    if hasattr(config, "workerinput") or not run_environment.ON_POSTGRESQL:
        return
    run_environment.DIRECTORY.chmod(0o711)
    try:
        config.stash[_keeper] = Keeper(run_environment.POSTGRESQL_SOCKETS)
    except PostgresMissing as missing:
        pytest.exit(str(missing), returncode=pytest.ExitCode.USAGE_ERROR)


def pytest_unconfigure(config: pytest.Config) -> None:
    if hasattr(config, "workerinput"):
        return
    if keeper := config.stash.get(_keeper, None):
        keeper.close()
    shutil.rmtree(run_environment.DIRECTORY, ignore_errors=True)


def pytest_collection_finish() -> None:
    """Spare the garbage collector the thousands of tests: they live as long as the run."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the tests that need the other database to the run that has it."""
    other = "sqlite" if run_environment.ON_POSTGRESQL else "postgres"
    elsewhere = [item for item in items if item.get_closest_marker(other)]
    items[:] = [item for item in items if item not in elsewhere]
    config.hook.pytest_deselected(items=elsewhere)


@pytest.fixture(scope="session")
def django_db_keepdb(django_db_modify_db_settings: None) -> bool:
    """Begin with a copy of a migrated database, where an earlier run has left one."""
    if run_environment.ON_POSTGRESQL:
        return False
    return template.use(_test_database())


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_keepdb: bool) -> None:
    """Leave a copy of the migrated database to later runs, where there was none."""
    if not run_environment.ON_POSTGRESQL and not django_db_keepdb:
        template.keep(_test_database())


def _test_database() -> Path:
    return Path(str(connection.settings_dict["TEST"]["NAME"]))


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    cache.clear()


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
    """The whole service as `make run` starts it, in a clone."""
    with running(tmp_path_factory.mktemp("clone")) as service:
        yield service


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
    from tests.chromium import launched

    need("chromium", "Chromium")
    with launched() as browser:
        yield browser


@pytest.fixture
def site(live_server: LiveServer, settings: Settings) -> str:
    """The service, listening; its own idea of its address is the true one."""
    address: str = live_server.url.replace("127.0.0.1", "localhost")
    settings.BASE_URL = settings.CHECKOUT_URL = address
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
    settings.DEVELOPMENT_MODE = True


@pytest.fixture
def payment(merchant: "Merchant") -> "Payment":
    """A DYNAMIC_PAY of 12.50 BSD in test mode, just created."""
    from tests.factories import PaymentFactory

    return PaymentFactory(merchant=merchant)
