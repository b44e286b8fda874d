"""A table that SQLite makes anew keeps its triggers, also if that is interrupted."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, connections, models
from pytest_django import DjangoDbBlocker

from config.sqlite.base import DatabaseWrapper
from core.models import IdempotencyKey

pytestmark = pytest.mark.sqlite

ALIAS = "remade"
TABLE = IdempotencyKey._meta.db_table
STATUS_KNOWN = models.CheckConstraint(condition=models.Q(status__gte=100), name="status_known")


@pytest.fixture
def remade(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[DatabaseWrapper]:
    """A database with one table, a trigger of it, and one of another table that names it."""
    settings = {**connection.settings_dict, "NAME": str(tmp_path / "db.sqlite3")}
    with django_db_blocker.unblock():
        database = DatabaseWrapper(settings, ALIAS)
        connections[ALIAS] = database
        with database.schema_editor() as editor:
            editor.create_model(IdempotencyKey)
        with database.cursor() as cursor:
            cursor.execute("CREATE TABLE others (id integer)")
            for name, on in (("own", TABLE), ("naming", "others")):
                cursor.execute(
                    f"CREATE TRIGGER {name} AFTER INSERT ON {on} BEGIN DELETE FROM {TABLE}; END"
                )
        yield database
        database.close()
        del connections[ALIAS]


def triggers(database: DatabaseWrapper) -> list[str]:
    with database.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")
        return [name for (name,) in cursor.fetchall()]


@pytest.mark.parametrize("atomic", [True, False])
def test_a_table_made_anew_has_its_triggers_and_those_that_name_it(
    remade: DatabaseWrapper, atomic: bool
) -> None:
    with remade.schema_editor(atomic=atomic) as editor:
        editor.add_constraint(IdempotencyKey, STATUS_KNOWN)

    assert triggers(remade) == ["naming", "own"]


def test_a_change_that_is_interrupted_can_be_repeated(
    remade: DatabaseWrapper, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*args: Any, **kwargs: Any) -> None:
        raise KeyboardInterrupt

    editor = remade.schema_editor(atomic=False)
    with monkeypatch.context() as interrupted:
        interrupted.setattr("config.sqlite.base.DatabaseSchemaEditor.alter_db_table", interrupt)
        with pytest.raises(KeyboardInterrupt), editor:
            editor.add_constraint(IdempotencyKey, STATUS_KNOWN)
    assert triggers(remade) == ["naming", "own"]

    with remade.schema_editor(atomic=False) as editor:
        editor.add_constraint(IdempotencyKey, STATUS_KNOWN)
    assert triggers(remade) == ["naming", "own"]


def test_a_table_has_its_triggers_before_what_may_be_interrupted_next(
    remade: DatabaseWrapper,
) -> None:
    with remade.schema_editor(atomic=False) as editor:
        editor.add_constraint(IdempotencyKey, STATUS_KNOWN)
        assert triggers(remade) == ["naming", "own"]


def test_a_trigger_that_the_migration_drops_itself_does_not_come_back(
    remade: DatabaseWrapper,
) -> None:
    with remade.schema_editor(atomic=False) as editor:
        editor.add_constraint(IdempotencyKey, STATUS_KNOWN)
        editor.execute("DROP TRIGGER own", params=None)

    assert triggers(remade) == ["naming"]
