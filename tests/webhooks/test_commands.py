"""manage.py trigger and resend"""

import io
import json
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from merchants.models import Merchant
from tests.client import Api
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import emit_event, only_delivery, send_due
from tests.webhooks.receiver import Receiver
from webhooks.event_types import EventType
from webhooks.models import Delivery, Event
from webhooks.samples import sample_of
from webhooks.statuses import DeliveryStatus


def run(*words: str) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue().strip()


def run_json(*words: str) -> Any:
    return json.loads(run(*words, "--json"))


def test_trigger_sends_a_sample_to_those_who_listen_for_it(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhook = endpoint(events=("refund.*",))
    endpoint(events=("payment.*",))

    shown = run_json("trigger", "refund.created")

    assert send_due() == 1
    assert shown["data"] == sample_of(EventType.REFUND_CREATED, merchant_id=merchant.id)
    assert json.loads(receiver.received(webhook.url)[0].body) == shown
    assert api(merchant).get("/v1/events").json()["events"] == []


def test_what_was_triggered_is_tried_once(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    webhook = endpoint("/say/500")

    said = run("trigger", "payment.failed", "--merchant", merchant.slug)
    send_due()

    assert said == f"{Event.objects.get().id} is on its way to 1 endpoint."
    assert only_delivery(webhook).status == DeliveryStatus.FAILED
    webhook.refresh_from_db()
    assert webhook.failures == 0


def test_trigger_says_that_no_endpoint_is_subscribed(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    endpoint(events=("refund.*",))

    with pytest.raises(CommandError, match=r"^No endpoint subscribes to payment\.failed\. Add one"):
        run("trigger", "payment.failed", "--merchant", merchant.slug)


def test_trigger_as_json_fails_if_no_endpoint_is_subscribed(
    merchant: Merchant, endpoint: MakeEndpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    """A script took the event for one that was on its way, and waited for it."""
    endpoint(events=("refund.*",))

    with pytest.raises(CommandError, match=r"^No endpoint subscribes to payment\.failed\."):
        call_command("trigger", "payment.failed", "--json")

    assert json.loads(capsys.readouterr().out)["type"] == "payment.failed"


def test_values_can_be_put_into_the_sample(merchant: Merchant, endpoint: MakeEndpoint) -> None:
    endpoint()
    original = sample_of(EventType.PAYMENT_COMPLETED)

    shown = run_json(
        "trigger",
        "payment.completed",
        "--override",
        "data.amount=500",
        "--override",
        "data.metadata.order=A=7",
        "--override",
        "data.new.deep=[1]",
    )

    assert shown["data"]["amount"] == 500
    assert shown["data"]["metadata"] == {"sample": True, "order": "A=7"}
    assert shown["data"]["new"] == {"deep": [1]}
    assert sample_of(EventType.PAYMENT_COMPLETED) == original


def test_a_sample_can_begin_as_an_event_that_was(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    endpoint()
    event = emit_event(merchant, data={"payment_id": "pay_1", "amount": 5})

    shown = run_json(
        "trigger", "payment.completed", "--from", event.id, "--override", "data.amount=6"
    )

    assert shown["data"] == {"payment_id": "pay_1", "amount": 6}
    assert shown["id"] != event.id


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["payment.paid"], "invalid choice"),
        (["payment.failed", "--override", "amount=5"], "must look like data.amount=500"),
        (["payment.failed", "--override", "data.amount"], "must look like data.amount=500"),
        (["payment.failed", "--override", "data.amount.cents=5"], "amount holds no object"),
        (["payment.failed", "--from", "evt_1"], "no payment.failed event evt_1"),
        (["payment.failed", "--merchant", "nobody"], "There is no such merchant"),
    ],
)
def test_trigger_refuses_what_it_cannot_send(
    merchant: Merchant, words: list[str], said: str
) -> None:
    with pytest.raises(CommandError, match=said):
        run("trigger", *words)

    assert Event.objects.count() == 0


@pytest.mark.django_db
def test_trigger_needs_a_merchant() -> None:
    with pytest.raises(CommandError, match="There is no merchant"):
        run("trigger", "payment.failed")


def test_resend_sends_an_event_again_to_all_who_had_it(
    merchant: Merchant, endpoint: MakeEndpoint, receiver: Receiver
) -> None:
    webhooks = [endpoint(), endpoint()]
    event = emit_event(merchant)
    send_due()

    said = run_json("resend", event.id)

    assert set(said["deliveries"]) == set(Delivery.objects.values_list("id", flat=True))
    assert send_due() == 2
    for webhook in webhooks:
        first, second = receiver.received(webhook.url)
        assert first.body == second.body


def test_resend_can_name_one_delivery_or_one_endpoint(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    first, second = endpoint(), endpoint()
    event = emit_event(merchant)
    send_due()

    said = run("resend", only_delivery(first).id)
    assert said == f"{only_delivery(first).id}  on its way to {first.url}"
    assert send_due() == 1
    run("resend", event.id, "--webhook", second.id)
    assert only_delivery(second).status == DeliveryStatus.PENDING
    assert only_delivery(first).status == DeliveryStatus.DELIVERED


def test_resend_says_what_does_not_go_out(
    api: Api, merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    webhook = endpoint()
    event = emit_event(merchant)
    api(merchant).patch(f"/v1/webhooks/{webhook.id}", {"is_active": False})

    assert "VALIDATION_FAILED is_active: must be true" in run("resend", event.id)
    api(merchant).delete(f"/v1/webhooks/{webhook.id}")
    for known in (event.id, only_delivery(webhook).id):
        with pytest.raises(CommandError, match="not sent to any endpoint that still exists"):
            run("resend", known)
    for unknown in ("evt_1", "dlv_1"):
        with pytest.raises(CommandError, match=f"^There is no event or delivery {unknown}\\.$"):
            run("resend", unknown)
