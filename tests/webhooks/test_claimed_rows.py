"""What a claim changes of a delivery, what giving it back does, and no other row."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from pytest_django import Settings

from core.database_clock import database_now
from core.sealed import seal
from merchants.models import Merchant
from outbound.http_client import HttpResult
from outbound.policy import policy_for
from tests.webhooks.dispatching import MANY, emit_event, endpoint_of, told, waiting
from webhooks.delivery import attempts
from webhooks.delivery.leases import claim_delivery, claim_due_deliveries, postpone, release
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
    for _ in range(2):
        for about in ("pay_1", "pay_2"):
            for owner, livemode in owners:
                emit_event(owner, livemode=livemode, about=about)
        number_events()

    columns = ("resource_id", "sequence", "previous_sequence")
    for owner, livemode in owners:
        entries = FeedEntry.objects.filter(merchant=owner, livemode=livemode)
        assert list(entries.order_by("sequence").values_list(*columns)) == [
            ("pay_1", 1, None),
            ("pay_2", 2, None),
            ("pay_1", 3, 1),
            ("pay_2", 4, 2),
        ]
    assert number_events() == 0
