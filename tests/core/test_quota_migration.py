"""The counts of attempts outlive their move from one room to another."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core.models import Quota
from tests.nights import RELEASED

BEFORE = [("core", "0001_initial"), ("customers", "0002_move_security_notices")]
AFTER = [("core", "0002_quota"), ("customers", "0003_quota_in_core")]


@pytest.fixture
def as_before() -> Iterator[None]:
    """Give the table back to the customers, and take it again whatever happens."""
    MigrationExecutor(connection).migrate(BEFORE)
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.mark.slow
@pytest.mark.night(RELEASED)
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_before")
def test_counts_that_were_there_still_count() -> None:
    ends_at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    before = MigrationExecutor(connection).loader.project_state(BEFORE).apps
    before.get_model("customers", "Quota").objects.create(
        key="wrong-pin:everywhere", used=7, ends_at=ends_at
    )

    MigrationExecutor(connection).migrate(AFTER)

    assert Quota.objects.values_list("key", "used", "ends_at").get() == (
        "wrong-pin:everywhere",
        7,
        ends_at,
    )
