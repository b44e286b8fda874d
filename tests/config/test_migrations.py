"""The migrations make the tables that the models declare: columns, constraints and indexes."""

from contextlib import closing, nullcontext
from typing import Any

import pytest
from django.apps import apps
from django.core.management.base import CommandError
from django.db import ProgrammingError, connection, migrations
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from config.databases import POSTGRESQL_LIMITS
from core.models import TurnMark
from core.schema import AddConstraintOnline, AddIndexOnline, RemoveIndexOnline, without_limits
from core.signatures import signature_field
from tests.source_tree import ROOMS


def test_no_model_has_changed_without_a_migration() -> None:
    loader = MigrationLoader(None)
    declared = ProjectState.from_apps(apps)

    assert MigrationAutodetector(loader.project_state(), declared).changes(loader.graph) == {}


def test_one_without_a_transaction_can_be_run_again() -> None:
    """What it has added or removed by then is there, or not: it ended early, or behind a pooler.

    On PostgreSQL, `SchemaEditor` has the early ones repeated, too; see the tests below.
    """
    added = (migrations.AddField, migrations.AddConstraint, migrations.AddIndex)
    once = (*added, migrations.RemoveConstraint, migrations.RemoveIndex)
    again = (AddConstraintOnline, AddIndexOnline, RemoveIndexOnline)
    wrong = {
        name
        for name, migration in MigrationLoader(None).disk_migrations.items()
        if name[0] in ROOMS and not migration.atomic
        for each in migration.operations
        if isinstance(each, (*once, migrations.CreateModel)) and not isinstance(each, again)
    }

    assert wrong == {  # released before anyone looked
        ("ledger", "0009_tips"),
        ("payments", "0008_till"),
        ("webhooks", "0012_inquiries"),
    }


def test_the_log_notes_the_signatures_of_these() -> None:
    fields = {model.__name__: signature_field(model) for model in apps.get_models()}

    assert {name for name, field in fields.items() if field and field.in_log} == {
        *("BankAccount", "BankEntry", "Customer", "Event", "Instruction", "Merchant", "Payment"),
        *("Payout", "PayoutBatch", "Refund", "TopUp"),
    }


def test_no_form_of_a_model_has_its_signature() -> None:
    fields = [signature_field(model) for model in apps.get_models()]

    assert [str(field) for field in fields if field and field.editable] == []


@pytest.mark.postgres
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("options", "refusal"),
    [
        ({}, "DATABASE_POOLED=false"),  # as with that switch on, and where a pooler ignores them
        ({"options": POSTGRESQL_LIMITS}, ""),
    ],
)
def test_one_that_sets_limits_of_its_session_is_refused_behind_a_pooler(
    options: dict[str, str], refusal: str
) -> None:
    """There the next statement may have another session."""
    own: Any = connection.copy(alias="limited")
    own.settings_dict["OPTIONS"] |= {"pool": None, "options": "", **options}
    raised = pytest.raises(CommandError, match=refusal) if refusal else nullcontext()

    with closing(own), own.cursor() as cursor:
        with raised, without_limits(own.schema_editor()):
            assert cursor.execute("SHOW statement_timeout").fetchone() == ("0",)
        now = cursor.execute("SHOW statement_timeout").fetchone()

    assert now == (("0",) if refusal else ("5s",)), "as the session began"


@pytest.mark.postgres
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("key", "constraint"),
    [
        (("ledger", "0009_tips"), "transfer_kind_known"),
        (("webhooks", "0012_inquiries"), "event_type_known"),
    ],
)
def test_one_that_was_interrupted_after_removing_a_constraint_adds_it_again(
    key: tuple[str, str], constraint: str
) -> None:
    loader = MigrationLoader(None)
    migration, state = loader.disk_migrations[key], loader.project_state(key, at_end=False)
    removal = migration.operations[0]

    with connection.schema_editor(atomic=False) as editor:
        removal.database_forwards(key[0], editor, state, state.clone())
    with connection.schema_editor(atomic=False) as editor, connection.cursor() as cursor:
        migration.apply(state, editor)
        cursor.execute("SELECT convalidated FROM pg_constraint WHERE conname = %s", [constraint])
        assert cursor.fetchall() == [(True,)]


@pytest.mark.postgres
@pytest.mark.django_db
def test_one_that_was_interrupted_before_it_was_recorded_runs_again_from_end_to_end() -> None:
    """At each of its statements, what it makes is there: tables, columns, indexes, constraints."""
    key = ("payments", "0008_till")
    loader = MigrationLoader(None)
    state = loader.project_state(key, at_end=False)
    declared = schema_of("payments_till", "payments_ticket")

    with connection.schema_editor(atomic=False) as editor:
        for operation in loader.disk_migrations[key].operations:
            before = state.clone()
            operation.state_forwards(key[0], state)
            if not isinstance(operation, AddIndexOnline):  # drops it first, outside a transaction
                operation.database_forwards(key[0], editor, before, state)
        assert editor.deferred_sql

    assert schema_of("payments_till", "payments_ticket") == declared


@pytest.mark.postgres
@pytest.mark.django_db
def test_one_with_a_transaction_fails_where_its_table_is_there_already() -> None:
    """It left none behind: the table is not its own."""
    with pytest.raises(ProgrammingError, match="exists"), connection.schema_editor() as editor:
        editor.create_model(TurnMark)


@pytest.mark.postgres
@pytest.mark.django_db
def test_a_constraint_that_replaces_another_is_not_missing_in_between() -> None:
    """What no constraint refused meanwhile was found by the check of all rows: it failed."""
    loader = MigrationLoader(None)
    key = ("webhooks", "0025_payout_canceled")
    state = loader.project_state(key)
    [added] = (
        each
        for each in loader.disk_migrations[key].operations
        if isinstance(each, AddConstraintOnline)
    )

    with connection.schema_editor(atomic=False, collect_sql=True) as editor:
        added.database_forwards(key[0], editor, state, state)

    [dropping] = [line for line in editor.collected_sql if "DROP CONSTRAINT" in line]
    assert " ADD CONSTRAINT " in dropping
    assert dropping.endswith("NOT VALID;")


def schema_of(*tables: str) -> dict[str, Any]:
    with connection.cursor() as cursor:
        of = connection.introspection.get_constraints
        return {table: of(cursor, table) for table in tables}
