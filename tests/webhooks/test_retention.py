"""manage.py prune"""

import io
import json
from datetime import timedelta

import pytest
import time_machine
from django.core.management import CommandError, call_command

from core.clock import utc_now
from ledger.sealing import log_rows
from merchants.models import Merchant
from tests.client import Api
from tests.ledger.funding import problems
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import Thing, emit_event, endpoint_of, send_due, told
from webhooks import retention
from webhooks.event_types import EventType
from webhooks.models import Attempt, Delivery, Event
from webhooks.outbox import write_event
from webhooks.statuses import DeliveryStatus
from webhooks.tasks import forget_deliveries


def prune(*words: str) -> int:
    out = io.StringIO()
    call_command("prune", "--json", *words, stdout=out)
    count: int = json.loads(out.getvalue())["deliveries"]
    return count


def tell_days_ago(merchant: Merchant, days: int) -> Event:
    with time_machine.travel(utc_now() - timedelta(days=days)):
        event = emit_event(merchant)
        Delivery.objects.filter(event=event).update(next_attempt_at=utc_now())
    return event


def test_old_deliveries_go_with_their_attempts_and_events_stay(
    merchant: Merchant, endpoint: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    endpoint()
    for _ in range(5):
        tell_days_ago(merchant, 91)
    young = tell_days_ago(merchant, 89)
    while send_due():
        pass

    assert prune("--dry-run") == 5
    assert Delivery.objects.count() == 6
    assert prune() == 5

    assert [delivery.event_id for delivery in Delivery.objects.all()] == [young.id]
    assert Attempt.objects.count() == 1
    assert Event.objects.count() == 6
    assert prune() == 0
    assert prune("--days", "30") == 1


def test_what_is_still_on_its_way_stays_however_old(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    endpoint("/say/500")
    tell_days_ago(merchant, 400)
    send_due()

    assert prune() == 0
    assert Delivery.objects.get().status == DeliveryStatus.PENDING


def test_old_samples_go_for_good(api: Api, merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint()
    with time_machine.travel(utc_now() - timedelta(days=91)):
        api(merchant).post("/v1/webhooks/test", {"webhook_id": webhook.id})
    fact = emit_event(merchant)

    assert prune() == 1

    assert [event.id for event in Event.objects.all()] == [fact.id]


def test_a_sample_stays_while_another_endpoint_has_it(merchant: Merchant) -> None:
    at = utc_now() - timedelta(days=91)
    first, other = (endpoint_of(merchant, f"https://{name}.example.com/") for name in "ab")
    gone, kept = (
        Delivery.objects.get(pk=told(first, f"0{name}", at, is_test=True)).event for name in "12"
    )
    Delivery.objects.create(
        id="dlv_03", event=kept, webhook=other, next_attempt_at=at, created_at=at
    )
    fact = Delivery.objects.get(pk=told(first, "04", at)).event
    about = Thing(merchant.id)
    unsent = write_event(
        EventType.PAYMENT_COMPLETED, about=about, data={}, now=utc_now(), is_test=True
    )
    log_rows(now=utc_now())

    assert prune() == 3

    left = {event.pk for event in Event.objects.all()}
    assert left == {kept.pk, fact.pk, unsent.pk}
    assert Delivery.objects.get().pk == "dlv_03"
    log_rows(now=utc_now())
    assert gone.pk not in " ".join(problems())


def test_how_many_have_gone_is_told_batch_by_batch(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    webhook, told_so_far = endpoint_of(merchant, "https://a.example.com/"), list[int]()
    for number in range(5):
        told(webhook, f"0{number}", utc_now() - timedelta(days=91))

    count = retention.prune_deliveries(before=utc_now(), progress=told_so_far.append)

    assert (count, told_so_far) == (5, [2, 4, 5])


def test_what_is_young_stays_whatever_its_id(merchant: Merchant) -> None:
    told(endpoint_of(merchant, "https://a.example.com/"), "00", utc_now())

    assert prune() == 0


def test_the_schedule_deletes_what_is_over_some_at_a_time(
    merchant: Merchant, endpoint: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "BATCH", 1)
    monkeypatch.setattr(retention, "MOST_A_TURN", 2)
    endpoint()
    for days in (92, 91, 91, 89):
        tell_days_ago(merchant, days)
    while send_due():
        pass

    assert [forget_deliveries() for _ in range(3)] == [2, 1, 0]

    assert Delivery.objects.count() == 1
    assert Event.objects.count() == 4


@pytest.mark.parametrize("days", ["6", "0", "-1", "many"])
def test_what_is_young_is_not_pruned(days: str) -> None:
    with pytest.raises(CommandError, match="must be 7 or more"):
        call_command("prune", "--days", days)


@pytest.mark.django_db
def test_it_says_what_it_did() -> None:
    out = io.StringIO()

    call_command("prune", stdout=out)

    assert out.getvalue().startswith("0 deliveries from before ")
    assert out.getvalue().endswith("are gone.\n")
