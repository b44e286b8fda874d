"""The five outboxes of before become messages, row by row, when the service is upgraded."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.mail import EmailMessage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.state import StateApps

from backoffice.models import SavedView
from core.clock import utc_now
from core.ids import new_id
from customers.services import find_or_create
from messages.models import Message
from messages.send_loop import send_due_messages
from payments.models import Payment
from tests.customers.texts import TextBox
from tests.factories import PaymentFactory
from tests.nights import RELEASED

pytestmark = [
    pytest.mark.slow,
    pytest.mark.night(RELEASED),
    pytest.mark.django_db(transaction=True),
]
BEFORE = [
    ("payments", "0001_initial"),
    ("refunds", "0001_initial"),
    ("customers", "0001_initial"),
    ("webhooks", "0002_unchanged_events"),
    ("backoffice", "0004_search_indexes"),
]
NOW = utc_now()
AGO, TOMORROW = NOW - timedelta(hours=1), NOW + timedelta(days=1)
ADDRESS, PHONE = "ann@example.com", "+12423591234"
WEBHOOK = new_id("wh", AGO)


def migrate(targets: list[tuple[str, str]]) -> StateApps:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return MigrationExecutor(connection).loader.project_state(targets).apps


def latest() -> list[tuple[str, str]]:
    return MigrationExecutor(connection).loader.graph.leaf_nodes()


@pytest.fixture
def payment() -> Payment:
    customer = find_or_create(phone=PHONE, now=AGO)
    return PaymentFactory(
        livemode=True, customer=customer, customer_email=ADDRESS, created_at=AGO, updated_at=AGO
    )


def add_mails_about_payments(old: StateApps, payment: Payment) -> None:
    for kind, status, due_at, sent_at in (
        ("invoice", "sent", AGO, NOW),
        ("reminder", "planned", TOMORROW, None),
        ("due", "sending", AGO, None),
        ("receipt", "failed", AGO, None),
    ):
        old.get_model("payments", "PaymentEmail").objects.create(
            payment_id=payment.pk,
            kind=kind,
            recipient=ADDRESS,
            status=status,
            due_at=due_at,
            sent_at=sent_at,
        )


def add_notices_of_refunds(old: StateApps, payment: Payment) -> None:
    for status, notified_at in (
        ("due", None),
        ("sending", None),
        ("sent", NOW),
        ("failed", None),
        ("not_needed", None),
    ):
        old.get_model("refunds", "Refund").objects.create(
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


def add_texts_about_security(old: StateApps, payment: Payment) -> None:
    old.get_model("customers", "Customer").objects.update(language="fr")
    for change, taken_at, sent_at in (
        ("pin_changed", None, None),
        ("passkey_added", AGO, None),
        ("passkey_removed", AGO, NOW),
    ):
        old.get_model("customers", "SecurityNotice").objects.create(
            customer_id=payment.customer_id,
            change=change,
            created_at=AGO,
            taken_at=taken_at,
            sent_at=sent_at,
        )


def add_alerts_to_merchants(old: StateApps, payment: Payment) -> None:
    webhook = old.get_model("webhooks", "Webhook").objects.create(
        id=WEBHOOK,
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


def add_what_staff_have_sent(old: StateApps, payment: Payment) -> None:
    user = old.get_model("auth", "User").objects.create(username="pat")
    for recipient, claimed_at, sent_at, failed_at in (
        ("a@example.com", None, None, None),
        ("b@example.com", AGO, None, None),
        ("c@example.com", AGO, NOW, None),
        ("d@example.com", AGO, None, NOW),
    ):
        old.get_model("backoffice", "Message").objects.create(
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
    old.get_model("backoffice", "SavedView").objects.create(
        name="Lost", path="/admin/payments/paymentemail/", owner_id=user.pk, created_at=AGO
    )


@pytest.fixture
def _upgraded(payment: Payment) -> None:
    """All five outboxes as they were, upgraded at once: going back takes half a minute."""
    try:
        old = migrate(BEFORE)
        add_mails_about_payments(old, payment)
        add_notices_of_refunds(old, payment)
        add_texts_about_security(old, payment)
        add_alerts_to_merchants(old, payment)
        add_what_staff_have_sent(old, payment)
    finally:  # whatever happens, the tables are as they should be
        migrate(latest())


def moved(**filters: str) -> dict[str, tuple[Any, ...]]:
    """Return what is known of each message, by its kind and status."""
    return {
        f"{message.kind} {message.status}": (
            message.channel,
            message.recipient,
            message.due_at,
            message.sent_at,
            message.livemode,
        )
        for message in Message.objects.filter(**filters)
    }


@pytest.mark.usefixtures("_upgraded")
def test_each_outbox_becomes_messages(
    payment: Payment, texts: TextBox, mailoutbox: list[EmailMessage]
) -> None:
    assert moved(about=payment.pk) == {
        "invoice sent": ("email", ADDRESS, AGO, NOW, True),
        "reminder planned": ("email", ADDRESS, TOMORROW, None, True),
        "due sending": ("email", ADDRESS, AGO, None, True),
        "receipt failed": ("email", ADDRESS, AGO, None, True),
    }
    refunds = moved(kind="refund")
    assert {(name, values[1], values[3]) for name, values in refunds.items()} == {
        ("refund planned", ADDRESS, None),
        ("refund sending", ADDRESS, None),
        ("refund sent", ADDRESS, NOW),
        ("refund failed", ADDRESS, None),
    }
    assert moved(about=str(payment.customer_id)) == {
        "pin_changed planned": ("sms", PHONE, AGO, None, True),
        "passkey_added sending": ("sms", PHONE, AGO, None, True),
        "passkey_removed sent": ("sms", PHONE, AGO, NOW, True),
    }
    merchant = payment.merchant
    assert moved(about=WEBHOOK) == {
        "gone planned": ("email", merchant.email, AGO, None, False),
        "failing sent": ("email", merchant.email, AGO, NOW, False),
    }
    assert moved(about=merchant.pk) == {
        "api_key planned": ("email", "a@example.com", AGO, None, True),
        "api_key sending": ("email", "b@example.com", AGO, None, True),
        "api_key sent": ("email", "c@example.com", AGO, NOW, True),
        "api_key failed": ("email", "d@example.com", AGO, None, True),
    }
    assert SavedView.objects.get().path == "/admin/messaging/message/"
    waiting = Message.objects.unsent(NOW).filter(about=payment.pk).order_by("kind")
    assert [message.kind for message in waiting] == ["due", "receipt"]

    assert send_due_messages(now=NOW) == 4  # one refund, text, alert and mail of staff
    assert send_due_messages(now=TOMORROW) == 0  # it has expired: no reminder is needed
    assert Message.objects.get(kind="reminder").status == "not_needed"
    assert "code PIN" in texts.texts[0]
    by_address = {mail.to[0]: mail for mail in mailoutbox}
    assert by_address["a@example.com"].subject == "Keys"
    assert f"/v1/webhooks/{WEBHOOK}/recover" in by_address[merchant.email].body
    assert ADDRESS in by_address
