"""What PostgreSQL knows of the values of an expression, to expect as many rows as there are."""

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from core.schema import BeyondModels, without_limits


class KeepStatistics(BeyondModels):
    """Keep statistics of an expression: of a partial index PostgreSQL uses none.

    They are made at once: a large table is next analyzed after a tenth of it has changed.
    """

    def __init__(self, name: str, table: str, expression: str) -> None:
        self.name, self.table, self.expression = name, table, expression

    def forwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        if schema_editor.connection.vendor != "postgresql":
            return
        self.backwards(schema_editor)  # from an interrupted run
        of = f"({self.expression}) FROM {self.table}"
        with without_limits(schema_editor):
            schema_editor.execute(f"CREATE STATISTICS {self.name} ON {of}", params=None)
            schema_editor.execute(f"ANALYZE {self.table}", params=None)

    def backwards(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP STATISTICS IF EXISTS {self.name}", params=None)

    def describe(self) -> str:
        return f"Keep the statistics {self.name}"
