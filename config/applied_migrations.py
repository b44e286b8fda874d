"""Which migrations of this release the database lacks."""

from functools import cache
from pathlib import Path
from pkgutil import iter_modules

from django.apps import apps
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder

_applied: set[str] = set()


def missing_migrations() -> list[str]:
    """Return the migrations of this release that the database lacks, in order.

    Once there are none, the database is not asked again: migrations are not undone under a running
    release. Those of a newer release do not matter: this one can read what they leave.
    """
    if not _of_this_release() <= _applied:
        _applied.update(_of_the_database())
    return sorted(_of_this_release() - _applied)


@cache
def _of_this_release() -> frozenset[str]:
    """Return the names of the migrations, without loading them.

    What Django does not take for one is left out: a package, or a name that begins with `_` or `~`.
    """
    return frozenset(
        f"{app.label}.{module.name}"
        for app in apps.get_app_configs()
        for module in iter_modules([str(Path(app.path) / "migrations")])
        if not module.ispkg and module.name[0] not in "_~"
    )


def _of_the_database() -> set[str]:
    applied = MigrationRecorder(connection).applied_migrations()
    return {f"{app}.{name}" for app, name in applied}
