"""manage.py listen"""

import io
import json
import re
import threading
import time
from urllib.parse import urlsplit

import pytest
from django.core.management import CommandError, call_command
from django.db import connections
from pytest_django import Settings

from core.clock import utc_now
from merchants.models import Merchant
from tests.factories import MerchantFactory
from tests.webhooks.dispatching import emit_event, send_due
from tests.webhooks.receiver import Receiver
from webhooks.cli.listener import Listener
from webhooks.delivery.signing import new_secret, signature_headers
from webhooks.event_types import EventType
from webhooks.management.commands.listen import DESCRIPTION
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
WAIT_SECONDS = 60  # where others have the machine


@pytest.fixture
def merchant() -> Merchant:
    return MerchantFactory.create()


def listen(*words: str) -> str:
    out = io.StringIO()
    timeout = ["--timeout", str(WAIT_SECONDS)]
    call_command("listen", *timeout, *words, stdout=out, stderr=io.StringIO())
    return out.getvalue().strip()


def meanwhile(merchant: Merchant, *types: EventType) -> threading.Thread:
    """Emit events, and send them, as soon as there is a listener."""

    def work() -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while not Webhook.objects.not_deleted().exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        for event_type in types:
            emit_event(merchant, event_type)
            send_due()
        connections.close_all()

    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_it_prints_events_until_the_one_it_waits_for(merchant: Merchant) -> None:
    sending = meanwhile(merchant, EventType.PAYMENT_CREATED, EventType.PAYMENT_COMPLETED)

    lines = listen("--exit-after", "payment.completed").splitlines()

    sending.join(WAIT_SECONDS)
    assert [line.split("  ")[0] for line in lines] == ["200", "200"]
    assert [line.split("  ")[2] for line in lines] == ["payment.created", "payment.completed"]
    assert set(Delivery.objects.values_list("status", flat=True)) == {DeliveryStatus.DELIVERED}
    assert Webhook.objects.not_deleted().count() == 0


def test_it_follows_every_merchant_and_says_whom(merchant: Merchant) -> None:
    other = MerchantFactory.create()
    sending = meanwhile(other, EventType.PAYMENT_CREATED)
    errors = io.StringIO()
    words = ("--timeout", str(WAIT_SECONDS), "--exit-after", "payment.created")
    call_command("listen", *words, stdout=io.StringIO(), stderr=errors)

    sending.join(WAIT_SECONDS)
    assert f"Listening for {merchant.name}. The secret: whsec_" in errors.getvalue()
    assert f"Listening for {other.name}. The secret: whsec_" in errors.getvalue()
    assert Webhook.objects.not_deleted().count() == 0


@pytest.mark.parametrize("status", [200, 500])
def test_what_it_passes_on_to_decides_the_answer(
    merchant: Merchant, receiver: Receiver, status: int
) -> None:
    url = receiver.url(f"/say/{status}/passed-on")
    before = len(receiver.received(url))
    sending = meanwhile(merchant, EventType.PAYMENT_CREATED)

    said = listen("--forward-to", url, "--json", "--exit-after", "payment.created")

    sending.join(WAIT_SECONDS)
    request = receiver.received(url)[before]
    assert json.loads(said) == json.loads(request.body)
    assert request.headers["webhook-id"] == json.loads(said)["id"]
    [attempt] = Delivery.objects.get().attempts.all()
    assert attempt.status == status


def test_one_that_is_named_is_followed_alone_and_once(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    MerchantFactory.create()
    monkeypatch.setattr("webhooks.management.commands.listen.LOOK_SECONDS", 0.05)

    with pytest.raises(CommandError):
        listen("--merchant", merchant.slug, "--timeout", "0.2")

    assert Webhook.objects.get().merchant == merchant


def test_in_time_or_not_at_all(merchant: Merchant) -> None:
    with pytest.raises(CommandError, match=r"Nothing more within 0.1 s"):
        listen("--timeout", "0.1")

    assert Webhook.objects.not_deleted().count() == 0


def test_what_a_killed_one_has_left_behind_goes(merchant: Merchant) -> None:
    with pytest.raises(CommandError):
        listen("--timeout", "0.1")
    Webhook.objects.update(deleted_at=None)

    with pytest.raises(CommandError):
        listen("--timeout", "0.1")

    assert Webhook.objects.filter(description=DESCRIPTION).count() == 2
    assert Webhook.objects.not_deleted().count() == 0


def test_it_needs_permission_to_be_on_this_machine(merchant: Merchant, settings: Settings) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = False

    with pytest.raises(CommandError, match="It needs WEBHOOK_ALLOW_PRIVATE"):
        listen()

    assert Webhook.objects.count() == 0


def test_it_names_the_merchant_that_has_no_room_for_it(
    merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("webhooks.endpoints.MAX_ENDPOINTS", 0)

    with pytest.raises(CommandError) as refused:
        listen()

    assert str(refused.value) == (
        f"{merchant.name}: There may be 0 webhooks at most: delete one first. "
        "With --merchant it listens for one merchant only."
    )


def test_it_believes_no_forged_request() -> None:
    with Listener() as listener:
        listener.secrets.append(new_secret())
        signed = signature_headers(
            event_id="evt_1", body=b"{}", at=utc_now(), secret=new_secret(), previous=None
        )
        headers = {name.lower(): value for name, value in signed.items()}

        received = listener.receive(headers, b"{}")

    assert (received.status, received.fault) == (
        401,
        "webhook-signature does not match the secret and body",
    )


def test_it_says_that_no_server_takes_what_it_passes_on() -> None:
    with Listener(forward_to="http://127.0.0.1:1024/") as listener:
        listener.secrets.append(new_secret())
        signed = signature_headers(
            event_id="evt_1", body=b"{}", at=utc_now(), secret=listener.secrets[0], previous=None
        )

        received = listener.receive({name.lower(): value for name, value in signed.items()}, b"{}")

    assert (received.status, received.fault) == (502, "not passed on: ConnectionError")


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--port", "99999"], "--port 99999: it must be from 1 to 65535. Without it any free port"),
        (["--forward-to", "localhost:3000"], "--forward-to must begin with http:// or https://."),
    ],
)
def test_it_says_which_address_it_cannot_use(
    merchant: Merchant, words: list[str], reason: str
) -> None:
    with pytest.raises(CommandError, match=re.escape(reason)):
        listen(*words)

    assert not Webhook.objects.exists()


def test_it_says_that_its_port_is_taken(merchant: Merchant) -> None:
    with Listener() as other:
        port = str(urlsplit(other.url).port)
        with pytest.raises(CommandError, match=f"--port {port}: Address already in use"):
            listen("--port", port)


def test_no_time_at_all_is_a_limit_too(merchant: Merchant) -> None:
    with pytest.raises(CommandError, match="Nothing more within 0 s"):
        listen("--timeout", "0")
