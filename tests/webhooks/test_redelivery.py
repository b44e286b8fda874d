"""What a redelivery, a recovery and the end of an endpoint change, and what they leave alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import pytest

from core.clock import utc_now
from core.database_clock import database_now
from merchants.callers import Caller
from merchants.models import Merchant
from tests.webhooks.dispatching import endpoint_of, told, waiting
from webhooks import redelivery
from webhooks.models import Delivery, Webhook, WebhookQuerySet
from webhooks.redelivery import (
    close_undeliverable,
    continue_recoveries,
    request_recovery,
    retry_delivery,
)
from webhooks.tasks import tidy_webhooks

pytestmark = pytest.mark.django_db
HOUR, MOMENT = timedelta(hours=1), timedelta(milliseconds=1)
FIELDS = (
    *("status", "next_attempt_at", "round_attempts", "ended_at", "lease_token", "paused_until"),
    *("recover_since", "recover_until"),
)


@pytest.fixture
def now() -> datetime:
    return database_now()


@pytest.fixture
def endpoints(merchant: Merchant) -> tuple[Webhook, Webhook]:
    """Two endpoints, both paused."""
    made = [endpoint_of(merchant, f"https://{name}.example.com/") for name in ("a", "b")]
    Webhook.objects.update(paused_until=utc_now() + HOUR)
    for webhook in made:
        webhook.refresh_from_db()
    return made[0], made[1]


@pytest.fixture
def caller(merchant: Merchant) -> Caller:
    return Caller(merchant, livemode=False, actor="tests")


def _rows() -> dict[str, dict[str, Any]]:
    rows: list[dict[str, Any]] = [*Delivery.objects.values(), *Webhook.objects.values()]  # type: ignore[list-item]  # as typed dicts
    return {row["id"]: {name: row[name] for name in FIELDS if name in row} for row in rows}


@contextmanager
def changing() -> Iterator[dict[str, dict[str, Any]]]:
    """Note which rows are changed meanwhile, with all that they say of it afterwards."""
    before, changes = _rows(), dict[str, dict[str, Any]]()
    yield changes
    changes |= {key: row for key, row in _rows().items() if row != before[key]}


def again(row: dict[str, Any], since: datetime) -> bool:
    """Return whether a delivery begins a new round at once."""
    due = row.pop("next_attempt_at")
    fresh = {"status": "pending", "round_attempts": 0, "ended_at": None, "lease_token": ""}
    return row == fresh and since <= due <= database_now()


def test_one_is_sent_again_and_the_others_are_left_alone(
    caller: Caller, endpoints: tuple[Webhook, Webhook], now: datetime
) -> None:
    mine, other = endpoints
    chosen = told(mine, "1", now - HOUR)
    told(mine, "2", now - HOUR)
    told(other, "3", now - HOUR)

    with changing() as changes:
        shown = retry_delivery(caller=caller, webhook_id=mine.pk, delivery_id=chosen, now=now)

    assert changes.keys() == {chosen, mine.pk}
    assert shown.next_attempt_at == changes[chosen]["next_attempt_at"]
    assert again(changes[chosen], now)
    assert changes[mine.pk]["paused_until"] is None


@pytest.mark.parametrize(("made", "counted"), [(0, 0), (1, 0), (4, 3)])
def test_one_that_waits_keeps_its_scheduled_attempts(
    caller: Caller, endpoints: tuple[Webhook, Webhook], now: datetime, made: int, counted: int
) -> None:
    options = waiting(now + HOUR) | {"round_attempts": made}
    chosen = told(endpoints[0], "1", now - HOUR, **options)

    retry_delivery(caller=caller, webhook_id=endpoints[0].pk, delivery_id=chosen, now=now)

    row = Delivery.objects.get()
    assert (row.status, row.round_attempts, row.ended_at) == ("pending", counted, None)
    assert row.next_attempt_at is not None
    assert row.next_attempt_at <= database_now()


def test_a_recovery_sends_what_failed_since_and_nothing_else(
    caller: Caller, endpoints: tuple[Webhook, Webhook], now: datetime
) -> None:
    mine, other = endpoints
    since = now - HOUR
    wanted = {told(mine, "1", since), told(mine, "2", now - MOMENT)}
    told(mine, "3", since - MOMENT)
    told(mine, "4", now, ended_at=now + HOUR)
    told(mine, "5", now, is_test=True)
    told(mine, "6", now, status="delivered")
    told(other, "7", now)

    with changing() as changes:
        asked = [
            request_recovery(caller=caller, webhook_id=mine.pk, since=at, now=now)
            for at in (since, now)
        ]

    assert [count for _, count in asked] == [2, 2]
    assert changes.keys() == {mine.pk}
    row = changes[mine.pk]
    assert (row["paused_until"], row["recover_since"]) == (None, since)
    assert asked[1][0].recover_until == row["recover_until"] >= now
    with changing() as changes:
        assert continue_recoveries(now=now) == 2
    assert changes.keys() == {*wanted, mine.pk}
    assert all(again(changes[pk], now) for pk in wanted)
    assert (changes[mine.pk]["recover_since"], changes[mine.pk]["recover_until"]) == (None, None)
    assert continue_recoveries(now=now) == 0


def test_a_recovery_goes_on_as_fast_as_it_goes_out(
    caller: Caller,
    endpoints: tuple[Webhook, Webhook],
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redelivery, "RECOVERY_BATCH", 2)
    mine, other = endpoints
    told(mine, "5", now - HOUR)
    told(mine, "4", now - HOUR + MOMENT)
    told(mine, "3", now)
    for number in range(3):
        told(other, f"other{number}", now, **waiting(now))
    request_recovery(caller=caller, webhook_id=mine.pk, since=now - HOUR, now=now)

    assert [continue_recoveries(now=database_now()) for _ in range(2)] == [2, 0]
    assert set(Delivery.objects.exhausted().values_list("pk", flat=True)) == {"dlv_3"}
    Delivery.objects.filter(pk="dlv_4").delete()
    assert continue_recoveries(now=database_now()) == 1
    Delivery.objects.filter(webhook=mine).delete()
    assert continue_recoveries(now=database_now()) == 0


def test_what_waits_for_later_holds_no_recovery_up(
    endpoints: tuple[Webhook, Webhook],
    caller: Caller,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redelivery, "RECOVERY_BATCH", 2)
    mine, _ = endpoints
    for number in range(2):
        told(mine, f"later{number}", now, **waiting(now + HOUR))
    told(mine, "failed", now)
    request_recovery(caller=caller, webhook_id=mine.pk, since=now - HOUR, now=now)

    assert continue_recoveries(now=database_now()) == 1
    mine.refresh_from_db()
    assert mine.recover_since is None


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"is_active": False, "disabled_reason": "requested"}, "failed"),
        ({"deleted_at": utc_now()}, "canceled"),
    ],
)
def test_where_an_endpoint_has_ended_what_waits_ends_with_it(
    endpoints: tuple[Webhook, Webhook], now: datetime, change: dict[str, Any], status: str
) -> None:
    mine, other = endpoints
    Webhook.objects.filter(pk=mine.pk).update(**change)
    later = waiting(now + HOUR)
    leased: dict[str, Any] = {"lease_token": "x"}
    ended = {
        told(mine, "1", now - HOUR, **later),
        told(mine, "2", now - HOUR, **waiting(now), **leased),
        told(mine, "3", now - HOUR, is_test=True, **waiting(now)),
    }
    told(mine, "4", now - HOUR, **later, **leased)
    told(mine, "5", now - HOUR, is_test=True, **later)
    told(mine, "6", now - HOUR, status="delivered")
    told(other, "7", now - HOUR, **waiting(now))

    with changing() as changes:
        assert close_undeliverable(now=now) == 3

    assert changes.keys() == ended
    row = {
        "status": status, "next_attempt_at": None, "round_attempts": 5, "ended_at": now,
        "lease_token": "",
    }  # fmt: skip
    assert list(changes.values()) == [row] * 3


def test_only_so_many_end_at_a_time(
    endpoints: tuple[Webhook, Webhook], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redelivery, "CLOSE_BATCH", 2)
    Webhook.objects.filter(pk=endpoints[0].pk).update(deleted_at=now)
    for number in range(3):
        told(endpoints[0], str(number), now, **waiting(now))

    assert [close_undeliverable(now=now) for _ in range(3)] == [2, 1, 0]


def before_the_lock(monkeypatch: pytest.MonkeyPatch, **values: object) -> None:
    """Let another process change the endpoint while this one waits for its lock."""
    lock = WebhookQuerySet.select_for_update

    def lock_after(rows: WebhookQuerySet, **how: Any) -> WebhookQuerySet:
        Webhook.objects.update(**values)
        return lock(rows, **how)

    monkeypatch.setattr(WebhookQuerySet, "select_for_update", lock_after)


def test_a_recovery_that_another_process_has_ended_sends_nothing(
    endpoints: tuple[Webhook, Webhook], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(endpoints[0], "1", now - HOUR)
    Webhook.objects.filter(pk=endpoints[0].pk).update(recover_since=now - HOUR, recover_until=now)
    before_the_lock(monkeypatch, recover_since=None, recover_until=None)

    assert continue_recoveries(now=now) == 0

    assert Delivery.objects.get().status == "failed"


def test_of_an_endpoint_that_is_on_again_meanwhile_nothing_ends(
    endpoints: tuple[Webhook, Webhook], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(endpoints[0], "1", now, **waiting(now))
    Webhook.objects.update(is_active=False, disabled_reason="requested")
    before_the_lock(monkeypatch, is_active=True, disabled_reason="")

    assert close_undeliverable(now=now) == 0

    assert Delivery.objects.get().status == "pending"


def test_a_turn_tells_how_many_were_sent_again_and_ended(
    caller: Caller, endpoints: tuple[Webhook, Webhook], now: datetime
) -> None:
    mine, other = endpoints
    told(mine, "1", now - HOUR)
    for number in (2, 3):
        told(other, str(number), now, **waiting(now))
    request_recovery(caller=caller, webhook_id=mine.pk, since=now - HOUR, now=now)
    Webhook.objects.filter(pk=other.pk).update(deleted_at=now)

    assert tidy_webhooks() == 3
