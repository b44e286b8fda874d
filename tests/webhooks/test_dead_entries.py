"""A backlog that was worked off leaves large indexes: no statement of a claim turns to another."""

import pytest
from django.db import connection
from django.db.models import QuerySet

from core.clock import utc_now
from webhooks.delivery.backlog import FEW
from webhooks.delivery.order import WINDOW
from webhooks.models import Delivery
from webhooks.statuses import DeliveryStatus

OF_ENDPOINT = Delivery.objects.pending().filter(webhook="wh_1")
INDEXES = ("delivery_due_at_endpoint", "delivery_next_due", "delivery_pending")
pytestmark = [pytest.mark.django_db, pytest.mark.postgres]


@pytest.mark.parametrize(
    ("index", "rows"),
    [
        ("delivery_due_at_endpoint", OF_ENDPOINT.order_by("next_attempt_at", "id")[:WINDOW]),
        ("delivery_next_due", Delivery.objects.due(utc_now()).order_by("next_attempt_at")[:FEW]),
        (
            "delivery_pending",
            Delivery.objects.filter(webhook="wh_1", status=DeliveryStatus.PENDING)[:20],
        ),
    ],
)
def test_an_index_of_what_is_pending_serves_its_own_statements_alone(
    index: str, rows: QuerySet
) -> None:
    """The smallest was read instead of the right one, with all that waits, and sorted."""
    # Those of all deliveries serve any of them: of tables that statistics call empty, as well.
    drop("delivery_newest")
    drop_constraint("delivery_once_per_endpoint")
    found = plan_without(rows)
    drop(index)

    left = plan_without(rows)

    assert index in found
    assert not [name for name in INDEXES if name in left]


def drop(index: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {index}")


def drop_constraint(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE webhooks_delivery DROP CONSTRAINT {name}")


def plan_without(rows: QuerySet) -> str:
    """Return the plan where a table is not read from end to end, as it may be while small."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
    return rows.values("id").explain()


def test_deliveries_are_vacuumed_after_so_many_changes_and_their_indexes_too() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT reloptions FROM pg_class WHERE oid = 'webhooks_delivery'::regclass")
        ((settings,),) = cursor.fetchall()

    assert sorted(settings) == [
        "autovacuum_vacuum_scale_factor=0",
        "autovacuum_vacuum_threshold=100000",
        "vacuum_index_cleanup=on",
    ]
