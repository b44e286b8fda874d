"""What a claim changes of a delivery, what giving it back does, and no other row."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from pytest_django import Settings

from core.database_clock import database_now
from core.sealed import seal
from merchants.models import Merchant
from outbound.policy import policy_for
from outbound.results import HttpResult
from tests.webhooks.dispatching import MANY, emit_event, endpoint_of, told, waiting
from webhooks import numbering
from webhooks.delivery import attempts, backlog, order
from webhooks.delivery.lanes import Lane
from webhooks.delivery.leases import (
    _lease,
    claim_delivery,
    claim_due_deliveries,
    postpone,
    release,
    waiting_endpoints,
)
from webhooks.delivery.order import next_in_turn
from webhooks.delivery.signing import new_secret
from webhooks.models import Delivery, FeedEntry, Webhook
from webhooks.numbering import number_events

pytestmark = pytest.mark.django_db
MOMENT = timedelta(milliseconds=1)
OURS = ("X-Service-", "webhook-")
Row = tuple[str, datetime | None, int, int]


def rows() -> dict[str, Row]:
    names = ("lease_token", "next_attempt_at", "attempt_count", "round_attempts")
    return {pk: tuple(row) for pk, *row in Delivery.objects.values_list("pk", *names)}


@pytest.fixture
def now() -> datetime:
    return database_now()


@pytest.fixture
def due(merchant: Merchant, now: datetime) -> list[str]:
    """A delivery of each of three endpoints, of which two are due."""
    made = [endpoint_of(merchant, f"https://{name}.example.com/") for name in "abc"]
    later = now + MOMENT
    return [
        told(webhook, str(number), now, **waiting(at))
        for number, (webhook, at) in enumerate(zip(made, (now, now, later), strict=True))
    ]


def test_a_claim_is_of_what_is_due_and_given_back_by_itself(
    due: list[str], now: datetime, settings: Settings
) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = 10
    before = rows()

    claims = {one.delivery.pk: one for one in claim_due_deliveries(free=MANY, now=now).taken}

    assert claims.keys() == set(due[:2])
    [token] = {one.token for one in claims.values()}
    assert len(token) == 32
    held = (token, now + timedelta(seconds=30), 1, 6)
    assert rows() == before | dict.fromkeys(due[:2], held)
    release(replace(claims[due[0]], token="another"))  # no secret
    assert rows() == before | dict.fromkeys(due[:2], held)
    release(claims[due[0]])
    assert rows() == before | {due[1]: held}
    postpone(claims[due[1]])
    assert rows() == before | {due[1]: ("", now + timedelta(minutes=1), 0, 5)}


def test_by_name_only_what_is_named_is_claimed(due: list[str], now: datetime) -> None:
    before = rows()

    claim = claim_delivery(due[2], now=now)

    assert claim is not None
    assert claim.delivery.pk == due[2]
    assert rows().keys() == before.keys()
    assert [pk for pk, row in rows().items() if row != before[pk]] == [due[2]]
    assert claim_delivery(due[2], now=now) is None
    assert claim_delivery(told(claim.delivery.webhook, "over", now), now=now) is None


def test_what_was_claimed_by_name_since_it_was_found_keeps_its_lease(
    due: list[str], now: datetime
) -> None:
    assert claim_delivery(due[0], now=now)
    before = rows()

    _lease(due[:2], now)

    assert [pk for pk, row in rows().items() if row != before[pk]] == [due[1]]


@pytest.mark.parametrize(("left", "signatures"), [(timedelta(0), 1), (MOMENT, 2)])
def test_a_request_says_who_asks_and_is_signed_as_of_its_instant(
    due: list[str],
    now: datetime,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    left: timedelta,
    signatures: int,
) -> None:
    settings.WEBHOOK_TIMEOUT_SECONDS = 7
    for webhook in Webhook.objects.all():
        seal(webhook, "previous_secret", new_secret())
        webhook.previous_secret_expires_at = now + left
        webhook.save()
    claim = claim_delivery(due[0], now=now)
    assert claim is not None
    asked: list[tuple[str, dict[str, Any]]] = []

    def post(url: str, **request: Any) -> HttpResult:
        asked.append((url, request))
        return HttpResult(ms=1, status=200)

    monkeypatch.setattr(attempts, "post", post)
    attempts.attempt(claim)

    [(url, request)] = asked
    headers = request.pop("headers")
    assert url == "https://a.example.com/"
    assert request == {
        "body": claim.delivery.event.payload,
        "policy": policy_for(livemode=False),
        "seconds": 7,
    }
    assert len(headers.pop("webhook-signature").split(" ")) == signatures
    assert {name: value for name, value in headers.items() if not name.startswith(OURS)} == {
        "Content-Type": "application/json",
        "User-Agent": "payments-webhooks/1",
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "Connection": "close",
    }


def test_each_merchant_mode_and_object_has_numbers_of_its_own(
    merchant: Merchant, stranger: Merchant
) -> None:
    owners = [(merchant, False), (merchant, True), (stranger, False)]
    for ahead, (owner, livemode) in enumerate(owners):
        for _ in range(ahead):
            emit_event(owner, livemode=livemode, about="pay_0")
    number_events()
    for _ in range(2):
        for about in ("pay_1", "pay_2"):
            for owner, livemode in owners:
                emit_event(owner, livemode=livemode, about=about)
        number_events()

    columns = ("resource_id", "sequence", "previous_sequence")
    for ahead, (owner, livemode) in enumerate(owners):
        entries = FeedEntry.objects.filter(merchant=owner, livemode=livemode)
        assert list(entries.order_by("sequence").values_list(*columns))[ahead:] == [
            ("pay_1", ahead + 1, None),
            ("pay_2", ahead + 2, None),
            ("pay_1", ahead + 3, ahead + 1),
            ("pay_2", ahead + 4, ahead + 2),
        ]
    assert number_events() == 0


def test_who_has_something_due_is_looked_at_and_where_that_is_many_who_waits_at_all(
    due: list[str], now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {webhook.pk: webhook.url[8] for webhook in Webhook.objects.all()}
    for few, looked_at in ((100, "ab"), (3, "ab"), (2, None), (1, None)):
        monkeypatch.setattr(backlog, "FEW", few)

        found = backlog.few_with_due(now)

        assert (found and "".join(sorted(names[pk] for pk in found))) == looked_at
        waits = [names[each.webhook_id] for each in waiting_endpoints(now)]
        assert sorted(waits) == ["a", "b"]


def test_each_endpoint_has_the_time_of_its_own_next_and_what_is_under_way(
    due: list[str], now: datetime
) -> None:
    later = now + timedelta(minutes=1)
    Delivery.objects.filter(pk=due[1]).update(lease_token="x", next_attempt_at=later)
    Delivery.objects.filter(pk=due[2]).update(lease_token="x", next_attempt_at=now)

    rows = backlog.with_backlog(Webhook.objects.order_by("url"), now)

    found = list(rows.values_list("due_at", "in_flight"))
    assert found == [(now, 0), (later, 1), (now, 0)]


@pytest.mark.parametrize(
    ("threads", "taken", "left", "full"),
    [
        (0, 0, "ab", {Lane.NEW, Lane.CAREFUL}),
        (1, 1, "b", {Lane.NEW, Lane.CAREFUL}),
        (2, 2, "", {Lane.NEW, Lane.CAREFUL}),
        (3, 2, "", {Lane.CAREFUL}),
    ],
)
def test_a_batch_says_who_has_more_and_which_lanes_are_full(
    due: list[str], now: datetime, threads: int, taken: int, left: str, full: set[Lane]
) -> None:
    names = {webhook.pk: webhook.url[8] for webhook in Webhook.objects.all()}
    Webhook.objects.filter(url="https://a.example.com/").update(created_at=now)

    free = {Lane.QUICK: 1, Lane.NEW: threads, Lane.CAREFUL: 0}
    batch = claim_due_deliveries(free=free, now=now)

    assert len(batch.taken) == taken
    assert len(batch.left) == len(left)
    assert {names[each] for each in batch.left} <= {"a", "b"}
    assert batch.full_lanes == full


FIRST: list[tuple[dict[str, Any], bool]] = [
    ({"attempt_count": 0}, True),
    ({"attempt_count": 1, "lease_token": "x"}, True),
    ({"attempt_count": 1}, False),
    ({"attempt_count": 2, "lease_token": "x"}, False),
    ({"status": "delivered", "next_attempt_at": None, "attempt_count": 0}, False),
]


@pytest.mark.parametrize(("first", "holds"), FIRST)
@pytest.mark.parametrize("is_other", [False, True])
@pytest.mark.parametrize("attempts_before", [0, 1])
def test_what_has_not_left_yet_holds_up_the_first_attempt_of_the_next_about_its_object(
    merchant: Merchant,
    now: datetime,
    first: dict[str, Any],
    holds: bool,
    is_other: bool,
    attempts_before: int,
) -> None:
    webhook, other = (endpoint_of(merchant, f"https://{name}.example.com/") for name in "ab")
    row = waiting(now + MOMENT) | first
    row["ended_at"] = None if row["status"] == "pending" else now
    told(other if is_other else webhook, "1", now, **row)
    told(webhook, "2", now, **waiting(now), attempt_count=attempts_before)
    number_events()
    held = holds and not is_other and not attempts_before

    found = next_in_turn(webhook.pk, 4, now=now)

    assert found == (([], True) if held else (["dlv_2"], False))


@pytest.mark.parametrize(("back", "leaves"), [(1, True), (2, False)])
def test_the_latest_before_it_are_looked_at(
    merchant: Merchant, now: datetime, monkeypatch: pytest.MonkeyPatch, back: int, leaves: bool
) -> None:
    monkeypatch.setattr(order, "LOOK_BACK", back)
    monkeypatch.setattr(order, "_window", order._window.__wrapped__)  # prepared for another
    webhook = endpoint_of(merchant, "https://a.example.com/")
    told(webhook, "1", now, **waiting(now + MOMENT), attempt_count=0)
    told(webhook, "2", now, status="delivered")
    told(webhook, "3", now, **waiting(now), attempt_count=0)
    number_events()

    found, _ = next_in_turn(webhook.pk, 4, now=now)

    assert found == ["dlv_3"] * leaves


@pytest.mark.parametrize("is_free", [True, False])
@pytest.mark.parametrize("patient", [True, False])
def test_who_numbers_waits_for_another_only_if_asked_to(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch, is_free: bool, patient: bool
) -> None:
    asked: list[dict[str, Any]] = []
    emit_event(merchant)

    def hold(number: int, **how: Any) -> bool:
        asked.append({"number": number} | how)
        return is_free

    monkeypatch.setattr(numbering, "hold_lock", hold)

    how = {"patient": True} if patient else {}
    assert number_events(**how) == int(is_free)
    # Other releases number at the same time: the number of the lock stays.
    assert asked == [{"number": 1_936_618_852, "patient": patient}]
