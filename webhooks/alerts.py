"""Alerts that merchants get by e-mail: one of each kind per endpoint and day."""

from datetime import datetime
from urllib.parse import urlsplit

from django.conf import settings
from django.template.loader import render_to_string

from core.durations import in_words
from merchants.owner_notices import has_unproven_email
from messages.models import Channel
from messages.planning import plan_message
from webhooks.models import Delivery, Webhook
from webhooks.statuses import SWITCH_OFF_AFTER, AlertKind

SUBJECTS = {
    AlertKind.UNHEALTHY: "Your webhook endpoint is failing",
    AlertKind.EXHAUSTED: "Your webhook endpoint is not answering",
    AlertKind.GONE: "Your webhook endpoint has been switched off",
    AlertKind.FAILING: "Your webhook endpoint has been switched off",
}


def raise_alert(
    kind: AlertKind, webhook_id: str, *, delivery: Delivery | None, now: datetime
) -> None:
    """Plan an alert, to be mailed after commit; a second one on the same day is dropped.

    It is the only notice that events are being lost: a crash repeats it rather than lose it. It
    names the endpoint by its host alone: the rest is the wording of its author. In live mode no
    bystander gets it (`has_unproven_email`); in test mode the address has to be confirmed anyway.
    """
    webhook = Webhook.objects.select_related("merchant").get(pk=webhook_id)
    if webhook.livemode and has_unproven_email(webhook.merchant):
        return
    context = {
        "webhook": webhook,
        "host": urlsplit(webhook.url).hostname,
        "delivery": delivery,
        "service_name": settings.SERVICE_NAME,
        "switch_off_after": in_words(SWITCH_OFF_AFTER),
    }
    plan_message(
        channel=Channel.EMAIL,
        kind=kind,
        recipient=webhook.merchant.email,
        about=webhook.id,
        merchant_id=webhook.merchant_id,
        livemode=webhook.livemode,
        subject=SUBJECTS[kind],
        text=render_to_string(f"webhooks/{kind}.txt", context),
        key=f"{webhook.id}:{kind}:{now.date()}",
        repeatable=True,
        now=now,
    )
