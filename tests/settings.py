"""The settings of the test run: the service's own, with what makes a run quick and repeatable."""

from typing import Any

from tests import run_environment

run_environment.apply()

from config.settings import *  # noqa: E402, F403  # the environment must stand first
from config.settings import DATABASES  # noqa: E402

_default: dict[str, Any] = DATABASES["default"]
if run_environment.ON_POSTGRESQL:
    from tests.lasting_statements import keep_prepared

    keep_prepared()
    # Races hold more connections at once than a web process does. Where others have the machine,
    # the last of twenty waits for a lock longer than a request may.
    _default["OPTIONS"]["pool"] = {"min_size": 0, "max_size": 80, "timeout": 30}
    _default["OPTIONS"]["options"] = "-c lock_timeout=20000 -c statement_timeout=30000"
    _default["OPTIONS"]["connect_timeout"] = 30
    # The next test sends most of what this one does.
    _default["OPTIONS"]["prepare_threshold"] = 1
else:
    # A file, not memory: threads need connections of their own. It need not survive the machine.
    _default["TEST"] = {"NAME": str(run_environment.DIRECTORY / "tests.sqlite3")}
    _init = _default["OPTIONS"]["init_command"]
    _default["OPTIONS"]["init_command"] = _init.replace("synchronous=FULL", "synchronous=OFF")
    # The next test sends most of what this one does; SQLite keeps 128 statements otherwise.
    _default["OPTIONS"]["cached_statements"] = 2_000

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
# Files are found where they are, whether they have been collected or not.
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = True
# All tests come from one network, browsers with several requests at once.
REGISTRATIONS_PER_NETWORK = VISITOR_SECONDS_PER_NETWORK = 0
