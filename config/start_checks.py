"""What each process that serves or works checks before it starts."""

from django.contrib.staticfiles.apps import StaticFilesConfig
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import staticfiles_storage

from config.checks import UnsafeConfiguration, refuse_unsafe
from config.key_check import refuse_missing_keys
from config.statement_limits import warn_of_missing_limits


def check_start() -> None:
    """Raise UnsafeConfiguration if the process must not start. Leaves no connection open."""
    refuse_unsafe()
    warn_of_missing_limits()
    refuse_missing_keys()  # last: it closes the connection that both have used


def check_web_start() -> None:
    """Check the start of a web process: its pages need the static files of its release, too."""
    refuse_uncollected_files()
    check_start()


def refuse_uncollected_files() -> None:
    """Raise UnsafeConfiguration if `collectstatic` has not seen a file: its pages would fail."""
    collected: dict[str, str] | None = getattr(staticfiles_storage, "hashed_files", None)
    if collected is None:
        return  # in development, each is served from where it is
    left_out = StaticFilesConfig.ignore_patterns
    found = {path for finder in get_finders() for path, _ in finder.list(left_out)}
    if missing := sorted(found - collected.keys()):
        raise UnsafeConfiguration(
            f"Static files are not collected, such as {missing[0]}: "
            "run manage.py collectstatic --no-input."
        )
