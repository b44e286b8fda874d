"""The five outboxes of before become messages, row by row, when the service is upgraded."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps

from core.clock import utc_now
from core.ids import new_id
from customers.services import find_or_create
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.customers.texts import TextBox
from tests.factories import PaymentFactory

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
BEFORE = [
    ("payments", "0001_initial"),
    ("refunds", "0001_initial"),
    ("customers", "0001_initial"),
    ("webhooks", "0002_unchanged_events"),
    ("backoffice", "0004_search_indexes"),
]
NOW = utc_now()
AGO = NOW - timedelta(hours=1)
ADDRESS, PHONE = "ann@example.com", "+12423591234"


def migrate(targets: list[tuple[str, str]]) -> StateApps:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


def latest() -> list[tuple[str, str]]:
    return MigrationExecutor(connection).loader.graph.leaf_nodes()


@pytest.fixture
def old() -> Iterator[StateApps]:
    """The models as they were; whatever happens, the tables are as they should be afterwards."""
    yield migrate(BEFORE)
    migrate(latest())


@pytest.fixture
def payment():
    customer = find_or_create(phone=PHONE, now=AGO)
    return PaymentFactory(
        livemode=True, customer=customer, customer_email=ADDRESS, created_at=AGO, updated_at=AGO
    )


def moved() -> dict[str, tuple[Any, ...]]:
    """Return what is known of each message, by its kind and status."""
    migrate(latest())
    return {
        f"{message.kind} {message.status}": (
            message.channel,
            message.recipient,
            message.about,
            message.due_at,
            message.sent_at,
            message.livemode,
        )
        for message in Message.objects.all()
    }


def test_mails_about_payments(payment, old: StateApps) -> None:
    emails = old.get_model("payments", "PaymentEmail").objects
    tomorrow = NOW + timedelta(days=1)
    for kind, status, due_at, sent_at in (
        ("invoice", "sent", AGO, NOW),
        ("reminder", "planned", tomorrow, None),
        ("due", "sending", AGO, None),
        ("receipt", "failed", AGO, None),
    ):
        emails.create(
            payment_id=payment.pk,
            kind=kind,
            recipient=ADDRESS,
            status=status,
            due_at=due_at,
            sent_at=sent_at,
        )

    assert moved() == {
        "invoice sent": ("email", ADDRESS, payment.pk, AGO, NOW, True),
        "reminder planned": ("email", ADDRESS, payment.pk, tomorrow, None, True),
        "due sending": ("email", ADDRESS, payment.pk, AGO, None, True),
        "receipt failed": ("email", ADDRESS, payment.pk, AGO, None, True),
    }
    waiting = Message.objects.unsent(NOW).order_by("kind")
    assert [message.kind for message in waiting] == ["due", "receipt"]
    assert send_due_messages(now=NOW) == 0
    assert send_due_messages(now=tomorrow) == 0  # it has expired: no reminder is needed
    assert Message.objects.get(kind="reminder").status == "not_needed"


def test_notices_of_refunds(payment, old: StateApps) -> None:
    refunds = old.get_model("refunds", "Refund").objects
    for status, notified_at in (
        ("due", None),
        ("sending", None),
        ("sent", NOW),
        ("failed", None),
        ("not_needed", None),
    ):
        refunds.create(
            id=new_id("ref", NOW),
            payment_id=payment.pk,
            merchant_id=payment.merchant_id,
            livemode=True,
            amount=1,
            currency="BSD",
            status="succeeded",
            transaction_id=new_id("txn", NOW),
            created_by="key:x",
            created_at=AGO,
            updated_at=AGO,
            succeeded_at=AGO,
            notice_status=status,
            notified_at=notified_at,
        )

    assert {(name, values[1], values[4]) for name, values in moved().items()} == {
        ("refund planned", ADDRESS, None),
        ("refund sending", ADDRESS, None),
        ("refund sent", ADDRESS, NOW),
        ("refund failed", ADDRESS, None),
    }
    assert send_due_messages(now=NOW) == 1


def test_texts_about_security(payment, old: StateApps, texts: TextBox) -> None:
    notices = old.get_model("customers", "SecurityNotice").objects
    old.get_model("customers", "Customer").objects.update(language="fr")
    for change, taken_at, sent_at in (
        ("pin_changed", None, None),
        ("passkey_added", AGO, None),
        ("passkey_removed", AGO, NOW),
    ):
        notices.create(
            customer_id=payment.customer_id,
            change=change,
            created_at=AGO,
            taken_at=taken_at,
            sent_at=sent_at,
        )

    about = payment.customer_id
    assert moved() == {
        "pin_changed planned": ("sms", PHONE, about, AGO, None, True),
        "passkey_added sending": ("sms", PHONE, about, AGO, None, True),
        "passkey_removed sent": ("sms", PHONE, about, AGO, NOW, True),
    }
    assert send_due_messages(now=NOW) == 1
    assert "code PIN" in texts.texts[0]


def test_alerts_to_merchants(payment, old: StateApps, mailoutbox) -> None:
    webhook = old.get_model("webhooks", "Webhook").objects.create(
        id=new_id("wh", AGO),
        merchant_id=payment.merchant_id,
        livemode=False,
        url="https://shop.example/hook",
        events=["*"],
        secret_created_at=AGO,
        created_at=AGO,
        updated_at=AGO,
    )
    alerts = old.get_model("webhooks", "Alert").objects
    day = AGO.date()
    alerts.create(webhook=webhook, kind="gone", date=day, created_at=AGO, next_mail_at=AGO)
    alerts.create(webhook=webhook, kind="failing", date=day, created_at=AGO, mailed_at=NOW)

    email = payment.merchant.email
    assert moved() == {
        "gone planned": ("email", email, webhook.pk, AGO, None, False),
        "failing sent": ("email", email, webhook.pk, AGO, NOW, False),
    }
    assert send_due_messages(now=NOW) == 1
    assert "https://shop.example/hook" in mailoutbox[0].body


def test_what_staff_have_sent(payment, old: StateApps, django_user_model, mailoutbox) -> None:
    user = django_user_model.objects.create(username="pat")
    rows = old.get_model("backoffice", "Message").objects
    for recipient, claimed_at, sent_at, failed_at in (
        ("a@example.com", None, None, None),
        ("b@example.com", AGO, None, None),
        ("c@example.com", AGO, NOW, None),
        ("d@example.com", AGO, None, NOW),
    ):
        rows.create(
            channel="email",
            recipient=recipient,
            subject="Keys",
            text="A key was made.",
            about_id=payment.merchant_id,
            asked_by_id=user.pk,
            created_at=AGO,
            claimed_at=claimed_at,
            sent_at=sent_at,
            failed_at=failed_at,
        )
    view = old.get_model("backoffice", "SavedView").objects.create(
        name="Lost", path="/admin/payments/paymentemail/", owner_id=user.pk, created_at=AGO
    )

    about = payment.merchant_id
    assert moved() == {
        "api_key planned": ("email", "a@example.com", about, AGO, None, True),
        "api_key sending": ("email", "b@example.com", about, AGO, None, True),
        "api_key sent": ("email", "c@example.com", about, AGO, NOW, True),
        "api_key failed": ("email", "d@example.com", about, AGO, None, True),
    }
    view.refresh_from_db()
    assert view.path == "/admin/messaging/message/"
    assert send_due_messages(now=NOW) == 1
    assert (mailoutbox[0].to, mailoutbox[0].subject) == (["a@example.com"], "Keys")
