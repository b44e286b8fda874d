"""The migrations make the tables that the models declare: columns, constraints and indexes."""

from unittest.mock import Mock

import pytest
from django.apps import apps
from django.core.management.base import CommandError
from django.db.migrations.autodetector import MigrationAutodetector
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from core.schema import _no_limits
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


def test_no_form_of_a_model_has_its_signature() -> None:
    fields = [signature_field(model) for model in apps.get_models()]

    assert [str(field) for field in fields if field and field.editable] == []


def test_one_that_sets_limits_of_its_session_is_refused_behind_a_pooler() -> None:
    """There the next statement may have another session."""
    limits = {"DISABLE_SERVER_SIDE_CURSORS": True}
    pooled = Mock(connection=Mock(vendor="postgresql", settings_dict=limits))

    with pytest.raises(CommandError, match="DATABASE_POOLED=false"), _no_limits(pooled):
        pass

    pooled.execute.assert_not_called()
