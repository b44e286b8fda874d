"""The migrations make the tables that the models declare: columns, constraints and indexes."""

from django.apps import apps
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState


def test_no_model_has_changed_without_a_migration() -> None:
    loader = MigrationLoader(None)
    declared = ProjectState.from_apps(apps)

    assert MigrationAutodetector(loader.project_state(), declared).changes(loader.graph) == {}
