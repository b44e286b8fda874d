"""The schema as evidence: what guards the rows, compared with what the migrations declare.

`declared/` holds the declarations, per database; a test compares them with a fresh schema.
"""

import json
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection

_HERE = Path(__file__).parent / "declared"
_POSTGRESQL = {
    "table": """
        SELECT relname::text, concat_ws(', ', relkind, relpersistence,
            CASE WHEN relrowsecurity THEN 'row security' END,
            CASE WHEN relforcerowsecurity THEN 'forced' END,
            (SELECT 'inherited by ' || string_agg(inhrelid::regclass::text, ' ')
                FROM pg_inherits WHERE inhparent = pg_class.oid),
            string_agg(
                concat_ws(' ', attname, format_type(atttypid, atttypmod),
                    CASE WHEN attnotnull THEN 'NOT NULL' END, attidentity, attgenerated,
                    'DEFAULT ' || pg_get_expr(adbin, adrelid)),
                ', ' ORDER BY attname::text COLLATE "C"))
        FROM pg_class
        JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
        LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
        WHERE relname = ANY(%s) AND relnamespace = current_schema()::regnamespace
        GROUP BY pg_class.oid
    """,
    "constraint": """
        SELECT relname::text || '.' || conname::text,
            pg_get_constraintdef(pg_constraint.oid)
                || CASE WHEN convalidated THEN '' ELSE ' NOT VALID' END
        FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
        WHERE relname = ANY(%s) AND connamespace = current_schema()::regnamespace
            AND contype <> 'n'
    """,
    "trigger": """
        SELECT relname::text || '.' || tgname::text,
            pg_get_triggerdef(pg_trigger.oid) || ' ' || tgenabled::text
        FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
        WHERE relnamespace = current_schema()::regnamespace
            AND (NOT tgisinternal OR tgenabled <> 'O') AND %s::text[] IS NOT NULL
    """,
    "function": """
        SELECT proname::text || '(' || pg_get_function_identity_arguments(pg_proc.oid) || ')',
            pg_get_functiondef(pg_proc.oid)
        FROM pg_proc WHERE pronamespace = current_schema()::regnamespace AND prokind <> 'a'
            AND %s::text[] IS NOT NULL
    """,
    "unique index": """
        SELECT tablename::text || '.' || indexname::text, indexdef FROM pg_indexes
        WHERE tablename = ANY(%s) AND schemaname = current_schema()
            AND indexdef LIKE 'CREATE UNIQUE%%'
    """,
    "rule": """
        SELECT tablename::text || '.' || rulename::text, definition FROM pg_rules
        WHERE schemaname = current_schema() AND %s::text[] IS NOT NULL
    """,
    "policy": """
        SELECT tablename::text || '.' || policyname::text,
            COALESCE(qual, '') || COALESCE(with_check, '')
        FROM pg_policies WHERE tablename = ANY(%s) AND schemaname = current_schema()
    """,
}
_SQLITE = """
    SELECT type, COALESCE(tbl_name || '.', '') || name, sql FROM sqlite_master
    WHERE (tbl_name IN (SELECT value FROM json_each(%s)) OR type IN ('trigger', 'view'))
        AND sql IS NOT NULL
        AND (type <> 'index' OR sql LIKE 'CREATE UNIQUE%%')
"""
_SHADOWED = """
    SELECT name FROM unnest(%s::text[]) AS name JOIN pg_class ON relname = name
    WHERE relnamespace = current_schema()::regnamespace
        AND to_regclass(quote_ident(name)) <> pg_class.oid
    ORDER BY name
"""
_REPLICA = """
    SELECT COALESCE(rolname::text, 'every role') FROM pg_db_role_setting
    LEFT JOIN pg_roles ON pg_roles.oid = setrole
    CROSS JOIN unnest(setconfig) AS config
    WHERE config LIKE 'session_replication_role=%' AND setdatabase IN (
        0, (SELECT oid FROM pg_database WHERE datname = current_database())
    )
"""

Schema = dict[str, str]


def check_schema() -> Iterator[str]:
    """Name each definition that is not as the migrations declare it."""
    declared, found = declared_schema(), present_schema()
    for name in sorted(declared.keys() | found.keys()):
        if name not in found:
            yield f"The {name} is missing."
        elif name not in declared:
            yield f"The {name} is in no migration."
        elif declared[name] != found[name]:
            yield f"The {name} was changed."
    if connection.vendor == "postgresql":
        yield from _check_shadows()
        yield from _check_replication_role()


def declared_file() -> Path:
    """Return where the schema of this kind of database is declared."""
    return _HERE / f"{connection.vendor}.json"


def declared_schema() -> Schema:
    """Return the schema that the migrations make."""
    declared: Schema = json.loads(declared_file().read_text())
    return declared


def present_schema() -> Schema:
    """Return the schema of the database, by kind and name, with spacing normalized."""
    with connection.cursor() as cursor:
        rows: list[tuple[str, str, str]] = []
        if connection.vendor == "postgresql":
            for kind, statement in _POSTGRESQL.items():
                cursor.execute(statement, [_tables()])
                rows += [(kind, name, text) for name, text in cursor.fetchall()]
            rows += _event_triggers()
        else:
            cursor.execute(_SQLITE, [json.dumps(_tables())])
            rows += cursor.fetchall()
    return {f"{kind} {name}": " ".join(text.split()) for kind, name, text in rows}


def _event_triggers() -> list[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT evtname, evtevent FROM pg_event_trigger")
        return [("event trigger", name, event) for name, event in cursor.fetchall()]


def _tables() -> list[str]:
    """Return the tables of our own rooms."""
    ours = {
        app.label for app in apps.get_app_configs() if Path(app.path).parent == settings.BASE_DIR
    }
    return sorted(
        model._meta.db_table
        for model in apps.get_models(include_auto_created=True)
        if model._meta.app_label in ours
    )


def _check_shadows() -> Iterator[str]:
    """Name each of our tables that another one of the same name hides."""
    with connection.cursor() as cursor:
        cursor.execute(_SHADOWED, [_tables()])
        for (name,) in cursor.fetchall():
            yield f"The table {name} is hidden by another of its name."


def _check_replication_role() -> Iterator[str]:
    """Name each setting under which triggers do not fire: any role but `origin`."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW session_replication_role")
        ((role,),) = cursor.fetchall()
        if role != "origin":
            yield f"session_replication_role is {role}: no trigger fires."
        cursor.execute(_REPLICA)
        for (who,) in cursor.fetchall():
            yield f"session_replication_role is set for {who}: no trigger may fire."
