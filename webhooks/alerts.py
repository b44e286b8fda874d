"""What a merchant has to hear by e-mail, and staff see: one alert of a kind per endpoint a day."""

import logging
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import connection, transaction
from django.template.loader import render_to_string

from core.durations import in_words
from webhooks.models import Alert, Delivery
from webhooks.statuses import SWITCH_OFF_AFTER, AlertKind

logger = logging.getLogger(__name__)

BATCH = 50
# Longer than the mail server may take; whoever dies while sending is followed by another.
MAIL_LEASE = timedelta(minutes=2)
MAIL_RETRY = timedelta(minutes=10)

SUBJECTS = {
    AlertKind.EXHAUSTED: "Your webhook endpoint is not answering",
    AlertKind.GONE: "Your webhook endpoint has been switched off",
    AlertKind.FAILING: "Your webhook endpoint has been switched off",
}


def raise_alert(
    kind: AlertKind, webhook_id: str, *, delivery: Delivery | None, now: datetime
) -> None:
    """Record an alert, to be mailed after commit; the second of a day is the first one again."""
    alert = Alert(
        webhook_id=webhook_id,
        kind=kind,
        date=now.date(),
        delivery=delivery,
        created_at=now,
        next_mail_at=now,
    )
    Alert.objects.bulk_create([alert], ignore_conflicts=True)


def send_due_alerts(*, now: datetime) -> int:
    """Mail the alerts that have not been mailed; return how many went out.

    A mail is marked as sent after it was sent: a crash in between repeats it, and loses none.
    """
    return sum(_send(alert, now) for alert in _claim(now))


@transaction.atomic
def _claim(now: datetime) -> list[Alert]:
    due = Alert.objects.filter(mailed_at=None, next_mail_at__lte=now).order_by("next_mail_at")
    if connection.features.has_select_for_update_skip_locked:
        due = due.select_for_update(skip_locked=True)
    ids = list(due.values_list("pk", flat=True)[:BATCH])
    Alert.objects.filter(pk__in=ids).update(next_mail_at=now + MAIL_LEASE)
    return list(Alert.objects.filter(pk__in=ids).select_related("webhook__merchant", "delivery"))


def _send(alert: Alert, now: datetime) -> bool:
    try:
        _message(alert).send()
    except Exception:
        # Whatever is wrong with this one, those behind it must not wait for it.
        logger.exception("alert not mailed", extra={"webhook_id": alert.webhook_id})
        Alert.objects.filter(pk=alert.pk).update(next_mail_at=now + MAIL_RETRY)
        return False
    Alert.objects.filter(pk=alert.pk).update(mailed_at=now, next_mail_at=None)
    return True


def _message(alert: Alert) -> EmailMessage:
    webhook = alert.webhook
    context = {
        "alert": alert,
        "webhook": webhook,
        "service_name": settings.SERVICE_NAME,
        "switch_off_after": in_words(SWITCH_OFF_AFTER),
    }
    return EmailMessage(
        subject=SUBJECTS[AlertKind(alert.kind)],
        body=render_to_string(f"webhooks/{alert.kind}.txt", context),
        to=[webhook.merchant.email],
        headers={"X-Entity-Ref-ID": f"{webhook.id}:{alert.kind}:{alert.date}"},
    )
