"""What a merchant hears by e-mail."""

from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from pytest_django import Settings

from core.clock import utc_now
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.races import at_once
from tests.webhooks.conftest import MakeEndpoint
from tests.webhooks.dispatching import endpoint_of
from webhooks.alerts import raise_alert
from webhooks.models import Delivery, Webhook
from webhooks.statuses import AlertKind


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (AlertKind.EXHAUSTED, "All scheduled attempts have failed"),
        (AlertKind.GONE, "It answered 410 Gone"),
        (AlertKind.FAILING, "No attempt has received a 2xx response for 5 days"),
    ],
)
def test_a_mail_says_what_happened_and_what_to_do(
    merchant: Merchant, endpoint: MakeEndpoint, kind: AlertKind, says: str
) -> None:
    webhook = endpoint()
    raise_alert(kind, webhook.id, delivery=None, now=utc_now())

    assert send_due_messages(now=utc_now()) == 1

    [message] = mail.outbox
    body = str(message.body)
    assert message.to == [merchant.email]
    assert says in body
    assert f"\n{urlsplit(webhook.url).hostname} ({webhook.id}, " in body
    assert webhook.url not in body
    assert f"POST /v1/webhooks/{webhook.id}/recover" in body
    assert "whsec_" not in body


def test_what_was_lost_is_named_and_when_it_ends(merchant: Merchant) -> None:
    webhook, lost = endpoint_of(merchant, "https://a.example.com/"), Delivery(id="dlv_1")
    lost.event_id = "evt_1"
    raise_alert(AlertKind.EXHAUSTED, webhook.id, delivery=lost, now=utc_now())

    lines = Message.objects.get().text.strip().splitlines()
    assert "The event is evt_1, its delivery dlv_1." in lines
    assert "An endpoint without a success for 5 days is switched off." in lines
    assert lines[-1] == "Payments"


def test_one_mail_of_a_kind_per_endpoint_and_day(
    merchant: Merchant, endpoint: MakeEndpoint
) -> None:
    first, second = endpoint(), endpoint()
    at = utc_now().replace(hour=10)
    for _ in range(3):
        raise_alert(AlertKind.EXHAUSTED, first.id, delivery=None, now=at)
    raise_alert(AlertKind.EXHAUSTED, second.id, delivery=None, now=at)
    raise_alert(AlertKind.FAILING, first.id, delivery=None, now=at)
    assert send_due_messages(now=at) == 3

    raise_alert(AlertKind.EXHAUSTED, first.id, delivery=None, now=at)
    assert send_due_messages(now=at) == 0
    raise_alert(AlertKind.EXHAUSTED, first.id, delivery=None, now=at + timedelta(days=1))
    assert send_due_messages(now=at + timedelta(days=1)) == 1


@pytest.mark.parametrize("kind", list(AlertKind))
def test_no_bystander_is_mailed_what_who_registered_them_has_named(
    merchant: Merchant, endpoint: MakeEndpoint, settings: Settings, kind: AlertKind
) -> None:
    """Where unverified merchants sell, anyone registers one with any address, and its endpoint."""
    settings.REQUIRE_VERIFIED_MERCHANTS = False
    lure = Webhook.objects.get(pk=endpoint().pk)
    Webhook.objects.update(livemode=True, url="https://pay.example/your-account-is-locked-call-us")
    unverified = Merchant.objects.filter(pk=merchant.pk)
    unverified.update(status=MerchantStatus.UNVERIFIED, email_confirmed_at=None)
    raise_alert(kind, lure.id, delivery=None, now=utc_now())
    assert not Message.objects.exists()

    unverified.update(email_confirmed_at=utc_now())
    raise_alert(kind, lure.id, delivery=None, now=utc_now())

    message = Message.objects.get()
    assert (message.recipient, message.livemode) == (merchant.email, True)
    assert "pay.example" in message.text
    assert "locked" not in message.text


def test_a_mail_server_that_is_away_is_asked_again(
    endpoint: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = utc_now()
    raise_alert(AlertKind.GONE, endpoint().id, delivery=None, now=at)

    def refuse(*_: object) -> int:
        raise ConnectionRefusedError

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", refuse)
        assert send_due_messages(now=at) == 0
    assert send_due_messages(now=at + timedelta(seconds=59)) == 0

    assert send_due_messages(now=at + timedelta(minutes=1)) == 1
    assert Message.objects.get().sent_at == at + timedelta(minutes=1)


def test_a_mail_that_cannot_be_written_holds_up_no_other(
    merchant: Merchant, stranger: Merchant, endpoint: MakeEndpoint
) -> None:
    Merchant.objects.filter(pk=merchant.pk).update(email="owner@example.com\nBcc: all@example.com")
    raise_alert(AlertKind.GONE, endpoint().id, delivery=None, now=utc_now())
    other = endpoint()
    Webhook.objects.filter(pk=other.pk).update(merchant=stranger)
    raise_alert(AlertKind.GONE, other.id, delivery=None, now=utc_now())

    assert send_due_messages(now=utc_now()) == 1

    assert [message.to for message in mail.outbox] == [[stranger.email]]


def test_a_process_that_dies_while_mailing_is_followed_by_another(
    endpoint: MakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = utc_now()
    raise_alert(AlertKind.GONE, endpoint().id, delivery=None, now=at)

    def die(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(EmailBackend, "send_messages", die)
        with pytest.raises(KeyboardInterrupt):
            send_due_messages(now=at)

    assert send_due_messages(now=at + timedelta(minutes=2)) == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_many_workers_send_each_mail_once(receiver) -> None:
    from tests.factories import MerchantFactory

    merchant = MerchantFactory.create()
    for number in range(10):
        webhook = endpoint_of(merchant, f"https://shop{number}.example.com/")
        raise_alert(AlertKind.GONE, webhook.id, delivery=None, now=utc_now())

    sent = at_once([lambda: send_due_messages(now=utc_now())] * 4)

    assert sum(count for count in sent if isinstance(count, int)) == 10
    assert len(mail.outbox) == 10
