"""The environment of every test run: nothing of the developer's own reaches the tests."""

import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SERVER = os.environ.get("TEST_DATABASE", "sqlite")
ON_POSTGRESQL = SERVER == "postgres"


def _keep_compiled() -> None:
    """Keep compiled modules where the environment wants none.

    Each process, and each that a test starts, would compile them anew: two seconds of a start.
    """
    sys.dont_write_bytecode = False
    os.environ["PYTHONDONTWRITEBYTECODE"] = ""


def _own_directory() -> str:
    """Make the directory of this run, named after its process; remove those of killed runs."""
    for left in Path(tempfile.gettempdir()).glob("payments-test-*"):
        process = re.match(r"payments-test-(\d+)-", left.name)
        if process and not _is_alive(int(process[1])):
            shutil.rmtree(left, ignore_errors=True)
    return tempfile.mkdtemp(prefix=f"payments-test-{os.getpid()}-")


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's
        pass
    return True


# One directory per run, shared by its xdist workers, short enough for a socket's name.
DIRECTORY = Path(os.environ.get("TEST_DIRECTORY") or _own_directory())
# A server for each worker: transactions have numbers of their server, and what waits for older
# ones to end would wait for those of the other worker's tests.
POSTGRESQL_SOCKETS = DIRECTORY / f"postgresql{os.environ.get('PYTEST_XDIST_WORKER', '')}"

_DATABASE_URLS = {
    "sqlite": f"sqlite:///{DIRECTORY}/db.sqlite3",
    "postgres": f"postgres://postgres@/payments?host={POSTGRESQL_SOCKETS}",
}

VALUES = {
    "DATABASE_URL": _DATABASE_URLS[SERVER],
    "BASE_URL": "http://testserver",
    "EMAIL_URL": "memorymail://",
    "CHECKPOINT_KEY": "PRIVATE+KEY+testserver/ledger+63086570"
    "+AXRoZSBzZWVkIG9mIHRoZSB0ZXN0czogMzIgYnl0ZXMh",
    "BOUND_SECRETS_ONLY": "true",
    "ENCRYPTION_KEY": "dGVzdHMgbmVlZCAzMiBieXRlcyBvZiBrZXkgaGVyZSE=",
    "LEDGER_KEY": "dGhlIHRlc3RzIG5lZWQgYSBrZXkgdGhhdCBzaWducyE=",
    "GATHER_SECONDS": "0",
    "LOG_LEVEL": "WARNING",
    "PIN_PEPPER": "the pepper of the tests, thirty-two bytes or more",
    "REQUIRE_VERIFIED_MERCHANTS": "false",
    "SECRET_KEY": "the secret key of the tests, fifty characters or more of it",
}


def apply() -> None:
    """Make the environment that of the tests, before the settings are read."""
    _keep_compiled()
    os.environ["DEVELOPMENT_FILE"] = ""
    os.environ["TEST_DIRECTORY"] = str(DIRECTORY)
    from config.environment import VARIABLES

    for name in VARIABLES:
        os.environ.pop(name, None)
    os.environ.update(VALUES)
