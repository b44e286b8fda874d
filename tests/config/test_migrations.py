"""The migrations make the tables that the models declare: columns, constraints and indexes."""

from django.apps import apps
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from core.signatures import signature_field


def test_no_model_has_changed_without_a_migration() -> None:
    loader = MigrationLoader(None)
    declared = ProjectState.from_apps(apps)

    assert MigrationAutodetector(loader.project_state(), declared).changes(loader.graph) == {}


def test_the_log_notes_the_signatures_of_these() -> None:
    fields = {model.__name__: signature_field(model) for model in apps.get_models()}

    assert {name for name, field in fields.items() if field and field.in_log} == {
        *("BankAccount", "BankEntry", "Customer", "Event", "Instruction", "Merchant", "Payment"),
        *("Payout", "PayoutBatch", "Refund", "TopUp"),
    }
