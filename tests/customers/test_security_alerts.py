"""Customers are told, once and in their language, that how their money is protected has changed."""

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from django.conf import settings

from core.errors import RateLimited
from customers import security_alerts
from customers.account_changes import AccountChange, record_change
from customers.models import Customer, CustomerSession
from customers.passkey_removal import remove_passkey, revoke_passkey
from customers.pins import change_pin, replace_pin, set_pin
from customers.security_alerts import SecurityChange, plan_notice, stop_link
from customers.services import freeze_by_owner
from messages import sms
from messages.errors import MessageNotSent
from messages.models import Channel, Message
from messages.send_loop import send_due_messages
from messages.tasks import send_messages
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.conftest import LIVE_PHONE
from tests.customers.enrolment import enrol, proven
from tests.customers.guessing import ADDRESS, OTHER_PIN, PIN
from tests.customers.texts import TextBox
from tests.messages.conftest import plan

pytestmark = pytest.mark.django_db
PIN_CHANGED = (
    "Your PIN for Payments was changed. If that was not you, freeze your wallet at once: "
    "http://testserver/not-me/cus_"
)


def planned() -> list[str]:
    return list(Message.objects.order_by("pk").values_list("kind", flat=True))


@pytest.fixture
def changed(holder: Customer, now: datetime) -> Customer:
    Message.objects.all().delete()  # of the first PIN
    change_pin(customer_id=holder.id, pin=PIN, new_pin=OTHER_PIN, address=ADDRESS, now=now)
    return holder


def test_an_address_that_is_denied_is_removed_in_the_record_and_told_of_nothing(
    payer: Customer, now: datetime
) -> None:
    Customer.objects.update(email="thief@example.net")
    record_change(payer.pk, AccountChange.EMAIL_SET, actor="", now=now)

    freeze_by_owner(customer_id=payer.pk, since=now, now=now)

    recorded = payer.changes.order_by("pk").values_list("change", flat=True)
    assert list(recorded) == ["email_set", "frozen", "email_removed"]
    assert [message.channel for message in Message.objects.all()] == [Channel.SMS]


@pytest.mark.usefixtures("changed")
def test_a_changed_pin_is_told_once(texts: TextBox) -> None:
    assert [send_messages() for _ in range(2)] == [1, 0]

    assert texts.to == [LIVE_PHONE]
    [text] = texts.texts
    assert text.startswith(PIN_CHANGED)
    assert Message.objects.get().sent_at is not None


def test_a_first_pin_is_told_on_every_channel(
    payer: Customer, texts: TextBox, now: datetime
) -> None:
    Customer.objects.update(email="ada@example.com")

    set_pin(customer_id=payer.id, pin=PIN, now=now)

    told = {message.channel: message.text for message in Message.objects.filter(kind="pin_set")}
    assert set(told) == {Channel.SMS, Channel.EMAIL}
    for text in told.values():
        assert text.startswith("A PIN was set for your Payments wallet. If that was not you")
        assert stop_link(payer.id).partition(payer.id)[0] in text


def test_passkeys_that_come_and_go_are_told(
    session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    passkey = session.customer.passkeys.get()
    session.passkey_verified_at = now
    remove_passkey(session=session, passkey_id=passkey.pk, now=now)

    assert sorted(planned()) == ["passkey_added", "passkey_removed"]


@pytest.mark.usefixtures("device")
def test_what_staff_remove_is_told_too(session: CustomerSession, now: datetime) -> None:
    revoke_passkey(passkey_id=session.customer.passkeys.get().pk, now=now)

    assert sorted(planned()) == ["passkey_added", "passkey_removed"]


def test_in_test_mode_no_one_is_told(tester: Customer, now: datetime) -> None:
    change_pin(customer_id=tester.id, pin="1234", new_pin=PIN, address=ADDRESS, now=now)
    enrol(proven(tester, now), VirtualAuthenticator(), now)

    assert planned() == []


@pytest.mark.parametrize("language", ["es", "fr", "ht"])
@pytest.mark.parametrize("change", SecurityChange)
def test_it_speaks_the_customers_language(
    payer: Customer, texts: TextBox, now: datetime, language: str, change: SecurityChange
) -> None:
    for spoken in ("", language):
        payer.language = spoken
        plan_notice(payer, change, now=now)
        send_due_messages(now=now)

    english, translated = texts.texts
    assert english != translated
    assert "Payments" in translated


def test_a_text_that_cannot_be_sent_holds_up_no_other(
    changed: Customer, texts: TextBox, monkeypatch: pytest.MonkeyPatch, now: datetime
) -> None:
    def refuse(**text: str) -> None:
        raise MessageNotSent

    with monkeypatch.context() as away:
        away.setattr(sms, "send", refuse)
        assert send_due_messages(now=now) == 0

    plan_notice(changed, SecurityChange.PASSKEY_ADDED, now=now)
    assert send_due_messages(now=now) == 1
    sent = dict(Message.objects.values_list("kind", "sent_at"))
    assert sent == {"pin_changed": None, "passkey_added": now}


@pytest.fixture
def one_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    one = replace(security_alerts.CHANGES, times=1)
    monkeypatch.setattr(security_alerts, "CHANGES", one)


@pytest.mark.usefixtures("one_a_day")
def test_a_change_beyond_the_days_is_refused_and_no_warning_left_out(
    holder: Customer, now: datetime
) -> None:
    """One session that went to and fro sent texts without end."""
    change_pin(customer_id=holder.id, pin=PIN, new_pin=OTHER_PIN, address=ADDRESS, now=now)
    with pytest.raises(RateLimited) as refusal:
        change_pin(customer_id=holder.id, pin=OTHER_PIN, new_pin=PIN, address=ADDRESS, now=now)

    assert refusal.value.headers["Retry-After"] == "86400"
    assert sorted(planned()) == ["pin_changed", "pin_set"]
    tomorrow = now + timedelta(days=1)
    change_pin(customer_id=holder.id, pin=OTHER_PIN, new_pin=PIN, address=ADDRESS, now=tomorrow)


@pytest.mark.usefixtures("one_a_day")
def test_passkeys_and_pins_are_counted_together(
    holder: Customer, session: CustomerSession, device: VirtualAuthenticator, now: datetime
) -> None:
    session.passkey_verified_at = now
    passkey = holder.passkeys.get()
    with pytest.raises(RateLimited):
        remove_passkey(session=session, passkey_id=passkey.pk, now=now)
    with pytest.raises(RateLimited):
        enrol(session, VirtualAuthenticator(), now)

    assert holder.passkeys.usable().get() == passkey
    assert sorted(planned()) == ["passkey_added", "pin_set"]


@pytest.mark.usefixtures("one_a_day")
def test_who_has_used_up_the_changes_keeps_no_one_from_help(
    holder: Customer, device: VirtualAuthenticator, now: datetime
) -> None:
    """Neither staff who take the thief's passkey away, nor the owner with a code."""
    revoke_passkey(passkey_id=holder.passkeys.get().pk, now=now)
    replace_pin(holder, OTHER_PIN, now=now, is_new_proof=True)

    assert sorted(planned()) == ["passkey_added", "passkey_removed", "pin_changed", "pin_set"]


def test_a_warning_leaves_before_older_messages(
    holder: Customer, texts: TextBox, now: datetime
) -> None:
    plan(now - timedelta(hours=1), channel=Channel.SMS, recipient=LIVE_PHONE)

    assert send_due_messages(now=now) == 2
    assert "A PIN was set" in texts.texts[0]


def test_every_change_is_urgent() -> None:
    assert set(settings.URGENT_MESSAGES) == {change.name.lower() for change in SecurityChange}


def test_only_an_email_has_a_subject(payer: Customer, now: datetime) -> None:
    payer.email, payer.language = "ada@example.com", "es"
    plan_notice(payer, SecurityChange.PIN_SET, now=now)

    told = Message.objects.values_list("channel", "recipient", "subject", "language", "livemode")
    assert set(told) == {
        ("sms", LIVE_PHONE, "", "es", True),
        ("email", "ada@example.com", "Un cambio en su billetera de Payments", "es", True),
    }
