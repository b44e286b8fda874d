"""Schema changes for large tables in use: none blocks other work for more than a moment.

Migrations that use one need `atomic = False`. On PostgreSQL they may be repeated after an
interruption.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.management.base import CommandError
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import AddConstraint, AddIndex, RemoveIndex
from django.db.migrations.operations.base import Operation

from core.counts import KEY, CountedList, day_of
from core.recounting import correct_counts, correct_period_counts, correct_totals


class AddIndexOnline(AddIndex):
    """Add an index without blocking writers, however long it takes."""

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        how = {"concurrently": True} if schema_editor.connection.vendor == "postgresql" else {}
        with without_limits(schema_editor):
            _drop(schema_editor, self.index.name)  # from an interrupted run
            schema_editor.add_index(model, self.index, **how)

    def database_backwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        _drop(schema_editor, self.index.name)


class RemoveIndexOnline(RemoveIndex):
    """Remove an index without blocking writers; on the way back it is built as it was."""

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        with without_limits(schema_editor):
            _drop(schema_editor, self.name)

    def database_backwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        index = states[1].models[app_label, self.model_name_lower].get_index_by_name(self.name)
        added = AddIndexOnline(self.model_name, index)
        added.database_forwards(app_label, schema_editor, *states)


class AddConstraintOnline(AddConstraint):
    """Add a constraint without blocking writers, replacing any of the same name.

    New rows must satisfy it at once, existing ones are validated afterwards. SQLite rebuilds the
    table, without its triggers.
    """

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        table, name = f'ALTER TABLE "{model._meta.db_table}"', f'"{self.constraint.name}"'
        added = self.constraint.create_sql(model, schema_editor)  # drops it first, in one statement
        schema_editor.execute(f"{added} NOT VALID", params=None)
        with without_limits(schema_editor):
            schema_editor.execute(f"{table} VALIDATE CONSTRAINT {name}", params=None)


class BeyondModels(Operation):
    """A change by SQL that models do not know of. Going back does nothing by default."""

    def state_forwards(self, app_label: str, state: Any) -> None:
        pass

    def database_forwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        self.forwards(schema_editor)

    def database_backwards(self, app_label: str, schema_editor: Any, *states: Any) -> None:
        self.backwards(schema_editor)

    def forwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        raise NotImplementedError

    def backwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        pass


class CreateIndexOnline(BeyondModels):
    """Create an index that models cannot express, by SQL, without blocking writers."""

    def __init__(self, name: str, on: str) -> None:
        self.name, self.on = name, on

    def forwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        with without_limits(schema_editor):
            _drop(schema_editor, self.name)  # from an interrupted run
            how = _concurrently(schema_editor)
            schema_editor.execute(f"CREATE INDEX {how}{self.name} ON {self.on}", params=None)

    def backwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        _drop(schema_editor, self.name)

    def describe(self) -> str:
        return f"Create the index {self.name}"


class CreateSearchIndexOnline(CreateIndexOnline):
    """Create an index of a kind that only PostgreSQL has, without blocking writers."""

    def forwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().forwards(schema_editor)


class DropIndexOnline(BeyondModels):
    """Drop an index by its name: what Django does for a field may rebuild the table.

    Reversing it does not restore the index: a release is rolled back without its migrations.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def forwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        with without_limits(schema_editor):
            _drop(schema_editor, self.name)

    def describe(self) -> str:
        return f"Drop the index {self.name}"


class KeepCount(BeyondModels):
    """Keep the count of a list by triggers from now on, and count the existing rows."""

    by_day = False

    def __init__(self, counted: CountedList) -> None:
        self.counted = counted

    def forwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        _create_triggers(schema_editor, self.counted, by_day=self.by_day)
        # Writers from before the triggers are done by now: creating the triggers waited for them.
        with without_limits(schema_editor):
            correct_counts(self.counted)

    def backwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        on_postgresql = schema_editor.connection.vendor == "postgresql"
        name, table = self.counted.name, self.counted.table
        for event in EVENTS:
            of_table = f" ON {table}" if on_postgresql else ""
            schema_editor.execute(f"DROP TRIGGER count_{name}_{event}{of_table}", params=None)
            if on_postgresql:
                schema_editor.execute(f"DROP FUNCTION count_{name}_{event}()", params=None)
        schema_editor.execute(
            f"DELETE FROM core_countentry WHERE list = '{name}'",  # noqa: S608  # our own name
            params=None,
        )

    def describe(self) -> str:
        return f"Keep the count of {self.counted.name}"


class KeepCountByDay(KeepCount):
    """Also keep the count of a list by the day of creation, and count the days past."""

    by_day = True

    def forwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        super().forwards(schema_editor)
        with without_limits(schema_editor):
            correct_period_counts(self.counted)

    def backwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        _create_triggers(schema_editor, self.counted, by_day=False)
        schema_editor.execute(
            f"DELETE FROM core_periodcount WHERE list = '{self.counted.name}'",  # noqa: S608  # our own name
            params=None,
        )

    def describe(self) -> str:
        return f"Keep the count of {self.counted.name} by day"


class CountTotals(BeyondModels):
    """Add the sums that there are to the totals of all owners, which triggers keep from now on."""

    def forwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        with without_limits(schema_editor):
            correct_totals()

    def describe(self) -> str:
        return "Count the totals of all owners"


# What a trigger writes for each event: which row, and by how much it changes its count.
EVENTS = {
    "insert": (("NEW", "1"),),
    "update": (("OLD", "-1"), ("NEW", "1")),
    "delete": (("OLD", "-1"),),
}


def _create_triggers(
    schema_editor: BaseDatabaseSchemaEditor, counted: CountedList, *, by_day: bool
) -> None:
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    for statement in (_postgresql if on_postgresql else _sqlite)(counted, by_day):
        schema_editor.execute(statement, params=None)


def _sqlite(counted: CountedList, by_day: bool) -> Iterator[str]:
    for event, changes in EVENTS.items():
        yield f"DROP TRIGGER IF EXISTS count_{counted.name}_{event}"
        yield f"""
            CREATE TRIGGER count_{counted.name}_{event} AFTER {event} ON {counted.table}
            FOR EACH ROW WHEN {_condition(counted, event)}
            BEGIN {_insert(counted, changes, by_day)}; END
        """


def _postgresql(counted: CountedList, by_day: bool) -> Iterator[str]:
    for event, changes in EVENTS.items():
        name = f"count_{counted.name}_{event}"
        yield f"""
            CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN {_insert(counted, changes, by_day)}; RETURN NULL; END $$
        """
        yield f"""
            CREATE OR REPLACE TRIGGER {name} AFTER {event} ON {counted.table}
            FOR EACH ROW WHEN ({_condition(counted, event)}) EXECUTE FUNCTION {name}()
        """


def _condition(counted: CountedList, event: str) -> str:
    if event != "update":
        return counted.applies_to("NEW" if event == "insert" else "OLD")
    old, new = (", ".join(counted.key_of(row)) for row in ("OLD", "NEW"))
    return f"({old}) <> ({new}) AND {counted.applies_to('NEW')}"


def _insert(counted: CountedList, changes: tuple[tuple[str, str], ...], by_day: bool) -> str:
    columns, values = ", ".join(KEY), []
    for row, change in changes:
        day = f", {day_of(row)}" if by_day else ""
        values.append(f"({', '.join(counted.key_of(row))}, {change}, false{day})")
    columns += ", change, is_sum" + (", day" if by_day else "")
    return f"INSERT INTO core_countentry ({columns}) VALUES {', '.join(values)}"  # noqa: S608  # no part of it comes from outside


def _drop(schema_editor: BaseDatabaseSchemaEditor, name: str) -> None:
    how = _concurrently(schema_editor)
    schema_editor.execute(f'DROP INDEX {how}IF EXISTS "{name}"', params=None)


def _concurrently(schema_editor: BaseDatabaseSchemaEditor) -> str:
    return "CONCURRENTLY " if schema_editor.connection.vendor == "postgresql" else ""


@contextmanager
def without_limits(schema_editor: BaseDatabaseSchemaEditor) -> Iterator[None]:
    """Lift PostgreSQL's timeouts for a statement: none of these blocks others."""
    if schema_editor.connection.vendor != "postgresql":
        yield
        return
    if not _keeps_its_session(schema_editor):
        raise CommandError("Migrate past the pooler, with DATABASE_POOLED=false.")
    limits = ("statement_timeout", "lock_timeout")
    for name in limits:
        schema_editor.execute(f"SET {name} = 0", params=None)
    yield
    for name in limits:
        schema_editor.execute(f"RESET {name}", params=None)


def _keeps_its_session(schema_editor: BaseDatabaseSchemaEditor) -> bool:
    """Return whether no pooler is in between: none passes on the limits of a session's start."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT source FROM pg_settings WHERE name = 'statement_timeout'")
        return bool(cursor.fetchone() == ("client",))
