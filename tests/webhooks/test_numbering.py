"""Numbers are given after the commit: none is left out, none given twice, cause before effect."""

import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from django.db import DatabaseError, connection, connections, transaction
from django.db.migrations.executor import MigrationExecutor

from core.advisory_locks import hold_lock
from core.clock import utc_now
from merchants.models import Merchant
from tests.factories import MerchantFactory
from tests.nights import RELEASED
from tests.races import at_once
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery, send_due
from tests.webhooks.receiver import Receiver
from webhooks.event_types import EventType
from webhooks.models import Event, FeedEntry, UnnumberedEvent
from webhooks.numbering import number_events
from webhooks.outbox import write_event

WAIT_SECONDS = 40  # where others have the machine


def numbered(merchant: Merchant) -> list[tuple[int, str]]:
    entries = FeedEntry.objects.filter(merchant=merchant).order_by("sequence")
    return list(entries.values_list("sequence", "event_id"))


def test_what_was_undone_leaves_no_gap(merchant: Merchant) -> None:
    first = emit_event(merchant)
    with transaction.atomic():
        emit_event(merchant)
        transaction.set_rollback(True)
    last = emit_event(merchant)

    assert number_events() == 2
    assert numbered(merchant) == [(1, first.id), (2, last.id)]
    assert not UnnumberedEvent.objects.exists()


def test_numbering_again_changes_nothing(merchant: Merchant) -> None:
    emit_event(merchant)
    number_events()
    before = numbered(merchant)

    assert (number_events(), numbered(merchant)) == (0, before)


def test_what_another_process_has_numbered_meanwhile_keeps_its_number(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = emit_event(merchant)

    def wait_for_the_other(lock: int, *, patient: bool) -> bool:
        monkeypatch.setattr("webhooks.numbering.hold_lock", hold_lock)
        assert number_events() == 1
        return True

    monkeypatch.setattr("webhooks.numbering.hold_lock", wait_for_the_other)

    assert number_events(patient=True) == 0
    assert numbered(merchant) == [(1, event.id)]


def test_more_than_a_batch_is_numbered_in_order(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webhooks.numbering.BATCH", 2)
    events = [emit_event(merchant, about="pay_1") for _ in range(5)]

    assert number_events() == 5

    assert [event_id for _, event_id in numbered(merchant)] == [event.id for event in events]
    previous = FeedEntry.objects.order_by("sequence").values_list("previous_sequence", flat=True)
    assert list(previous) == [None, 1, 2, 3, 4]


def test_a_sample_has_no_number(merchant: Merchant) -> None:
    sample = write_event(
        EventType.PAYOUT_PAID, about=emit_event(merchant), data={}, now=utc_now(), is_test=True
    )

    number_events()

    assert not FeedEntry.objects.filter(event=sample).exists()


def test_nothing_is_sent_before_it_has_its_number(
    merchant: Merchant, endpoint: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = endpoint()
    emit_event(merchant)
    with monkeypatch.context() as without:
        asked: list[dict[str, bool]] = []
        without.setattr("webhooks.delivery.leases.number_events", lambda **how: asked.append(how))
        assert send_due() == 0
        assert asked == [{"patient": True}]

    assert send_due() == 1
    assert only_delivery(webhook).event.sequence == 1


@pytest.mark.django_db(transaction=True)
def test_what_could_not_be_numbered_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    merchant = MerchantFactory.create()
    event = emit_event(merchant)
    with monkeypatch.context() as broken:
        broken.setattr("webhooks.numbering._NUMBER", "SELECT 1 FROM gone WHERE id IN ({places})")
        assert number_events() == 0
        with pytest.raises(DatabaseError), transaction.atomic():  # which cannot go on
            number_events()
    assert numbered(merchant) == []

    assert (number_events(), numbered(merchant)) == (1, [(1, event.id)])


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_one_that_commits_late_is_numbered_late(merchant: Merchant) -> None:
    """The later of two is not held up, and the earlier is not passed over."""
    written, go_on = threading.Event(), threading.Event()
    late: list[Event] = []

    def write_slowly() -> None:
        try:
            with transaction.atomic():
                late.append(emit_event(merchant))
                written.set()
                go_on.wait(WAIT_SECONDS)
        finally:
            connections.close_all()

    slow = threading.Thread(target=write_slowly)
    slow.start()
    assert written.wait(WAIT_SECONDS)
    quick = emit_event(merchant)
    assert number_events() == 1
    go_on.set()
    slow.join(WAIT_SECONDS)

    assert number_events() == 1
    assert numbered(merchant) == [(1, quick.id), (2, late[0].id)]


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("patient", [True, False])
def test_many_write_and_number_at_once(patient: bool) -> None:
    merchant = MerchantFactory.create()
    each = 15

    def writer(name: str) -> Callable[[], object]:
        """Write events about one object, each after the one before was committed."""
        return lambda: [emit_event(merchant, about=name) and number_events() for _ in range(each)]

    def numberer() -> object:
        return [number_events(patient=patient) for _ in range(each)]

    results = at_once([*(writer(f"pay_{n}") for n in range(4)), numberer, numberer])
    number_events(patient=True)

    assert not [result for result in results if isinstance(result, Exception)]
    assert [sequence for sequence, _ in numbered(merchant)] == list(range(1, 4 * each + 1))
    for n in range(4):
        _is_in_order(f"pay_{n}")


def _is_in_order(about: str) -> None:
    """Check that the events of an object are numbered as they were written, each after the last."""
    entries = FeedEntry.objects.filter(resource_id=about).order_by("sequence")
    numbers = [entry.sequence for entry in entries]
    written = [entry.event.created_at for entry in entries.select_related("event")]
    assert written == sorted(written)
    assert [entry.previous_sequence for entry in entries] == [None, *numbers[:-1]]


# First attempts


def test_events_about_one_object_leave_one_after_the_other(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint()
    webhook.last_success_at = utc_now()
    webhook.save(update_fields=["last_success_at"])
    events = [emit_event(merchant, about="pay_1") for _ in range(3)]

    sent = [send_due(), send_due(), send_due()]

    assert sent == [1, 1, 1]
    received = [request.headers["webhook-id"] for request in receiver.received(webhook.url)]
    assert received == [event.id for event in events]


def test_other_objects_are_not_held_up(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint()
    webhook.last_success_at = utc_now()
    webhook.save(update_fields=["last_success_at"])
    for about in ("pay_1", "pay_1", "pay_2", "pay_3"):
        emit_event(merchant, about=about)

    assert (send_due(), send_due()) == (3, 1)


def test_a_retry_may_be_overtaken(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint("/say/500,200")
    first, second = (emit_event(merchant, about="pay_1") for _ in range(2))

    assert (send_due(), send_due()) == (1, 1)

    received = [request.headers["webhook-id"] for request in receiver.received(webhook.url)]
    assert received == [first.id, second.id]
    assert {each.event_id: each.status for each in webhook.deliveries.all()} == {
        first.id: "pending",
        second.id: "delivered",
    }


# What was there before

BEFORE = [("webhooks", "0009_feed")]
AT = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture
def as_before() -> Iterator[None]:
    MigrationExecutor(connection).migrate(BEFORE)
    yield
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


@pytest.mark.slow
@pytest.mark.night(RELEASED)
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("as_before")
def test_events_that_were_there_are_numbered_by_their_time(merchant: Merchant) -> None:
    names = ("z.created", "y.completed", "x.refunded", "other")
    types = (EventType.REFUND_CREATED, EventType.REFUND_COMPLETED, EventType.PAYMENT_REFUNDED)
    for name, event_type in zip(names, types, strict=False):
        _event(merchant, f"evt_{name}", event_type)
    _event(merchant, "evt_sample", EventType.PAYOUT_PAID, is_test=True)
    UnnumberedEvent.objects.all().delete()
    _event(merchant, "evt_since", EventType.PAYOUT_PAID)

    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())

    assert [event_id for _, event_id in numbered(merchant)] == [f"evt_{n}" for n in names[:3]]
    previous = FeedEntry.objects.order_by("sequence").values_list("previous_sequence", flat=True)
    assert list(previous) == [None, 1, 2]
    assert number_events() == 1
    assert numbered(merchant)[-1] == (4, "evt_since")


def _event(merchant: Merchant, pk: str, event_type: EventType, *, is_test: bool = False) -> None:
    Event.objects.create(
        id=pk,
        merchant=merchant,
        livemode=False,
        type=event_type,
        resource_id="ref_1",
        body=b"{}",
        is_test=is_test,
        created_at=AT,
    )
