"""Resend webhooks: one, those of a payment or an event, or a whole list in the background."""

from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet

from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.delivery_filters import lookups_of
from backoffice.forms import ActionForm, CheckboxField, ReasonForm, TextInputField
from backoffice.models import ResendRun
from backoffice.roles import Right
from backoffice.services.webhooks import (
    ResendResult,
    count_for_run,
    deliveries_of_payment,
    resend_all,
    resend_and_wait,
    start_run,
)
from backoffice.webhook_answer import attempt_sentence
from payments.models import Payment
from webhooks.endpoints import update_webhook
from webhooks.models import Delivery, Event, Webhook
from webhooks.statuses import DeliveryStatus

Rows = QuerySet[Delivery]


class ResendForm(ActionForm):
    """Deliveries that have not arrived; with a tick, also those that have."""

    delivered_too = CheckboxField(required=False, label="Include those already delivered")

    def lines(self) -> list[str]:
        rows = _deliveries_about(self.row)
        arrived = rows.filter(status=DeliveryStatus.DELIVERED).count()
        return [
            f"{rows.count() - arrived} not delivered, {arrived} delivered.",
            "The newest of each endpoint is sent at once, and its answer is shown.",
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        rows = _deliveries_about(self.row)
        waiting = rows.exclude(status=DeliveryStatus.DELIVERED)
        if not cleaned.get("delivered_too") and rows.exists() and not waiting.exists():
            self.add_error("delivered_too", "All were delivered: tick this to send them again.")
        return cleaned


def _deliveries_about(row: Payment | Event) -> Rows:
    if isinstance(row, Payment):
        return deliveries_of_payment(row.pk)
    return Delivery.objects.filter(event=row)


def _resend(context: ActionContext) -> ResendResult:
    return resend_all(
        staff=context.staff,
        rows=_deliveries_about(context.row),
        delivered_too=context.data["delivered_too"],
        now=context.now,
    )


def _resent(resent: ResendResult) -> ActionResult:
    """Report what each endpoint just answered."""
    attempts = [(row, list(row.attempts.all())[-1:]) for row in resent.probed]
    words = [attempt_sentence(row, last[0]) for row, last in attempts if last]
    if resent.queued:
        words.append(f"{resent.queued} queued to be sent again.")
    if resent.refusals:
        words.append(f"{len(resent.refusals)} could not be sent: {resent.refusals[0]}")
    failed = any(row.status != DeliveryStatus.DELIVERED for row in resent.probed)
    return ActionResult(" ".join(words), is_warning=failed or bool(resent.refusals))


def _resend_action(title: str) -> Action:
    return Action(
        name="resend",
        title=title,
        right=Right.RESEND,
        form=ResendForm,
        service=_resend,
        message=_resent,
        icon="send",
        available=lambda row, now: _deliveries_about(row).exists(),
    )


RESEND_PAYMENT = _resend_action("Resend webhooks")
RESEND_EVENT = _resend_action("Resend")


class ResendOneForm(ActionForm):
    """One delivery; with a tick if it has arrived already."""

    sure = CheckboxField(label="It has been delivered; send it again anyway")

    def prepare(self) -> None:
        if self.row.status != DeliveryStatus.DELIVERED:
            del self.fields["sure"]


RESEND_ONE = Action(
    title="Resend",
    right=Right.RESEND,
    form=ResendOneForm,
    service=resend_and_wait,
    message=_resent,
    about="It is sent at once, and the answer is shown.",
    icon="send",
    main=True,
    available=lambda delivery, now: (
        delivery.webhook.is_active and delivery.webhook.deleted_at is None
    ),
)


class ResendListForm(ReasonForm):
    """The filtered list with its count, and a tick for deliveries that have arrived."""

    filters = TextInputField(max_length=1_000, required=False)
    delivered_too = CheckboxField(required=False, label="Include those already delivered")

    def prepare(self) -> None:
        self.fields["filters"].widget = self.fields["filters"].hidden_widget()
        self.fields["filters"].initial = self.query

    def lines(self) -> list[str]:
        query = str(self.data.get("filters") or self.query)
        lookups = lookups_of(query, self.now, delivered_too=True)
        every = count_for_run(lookups)
        waiting = count_for_run(lookups_of(query, self.now, delivered_too=False))
        return [
            f"{waiting:,} not delivered, {every - waiting:,} delivered.",
            "They are sent in the background, with an audit entry each.",
        ]


def _resend_list(context: ActionContext) -> ResendRun:
    query, delivered_too = context.data["filters"], context.data["delivered_too"]
    return start_run(
        staff=context.staff,
        lookups=lookups_of(query, context.now, delivered_too=delivered_too),
        reason=context.data["reason"],
        now=context.now,
    )


def _started(run: ResendRun) -> ActionResult:
    return ActionResult(f"{run.expected_count:,} are being sent again, in the background.")


RESEND_ALL = Action(
    name="resend",
    title="Resend all of this list",
    right=Right.RESEND,
    form=ResendListForm,
    service=_resend_list,
    message=_started,
    icon="send",
)


def _resend_failed(context: ActionContext) -> ResendRun:
    return start_run(
        staff=context.staff,
        lookups=_failed_at(context.row, context.now),
        reason="all that failed at the endpoint",
        now=context.now,
    )


FAILED_WITHIN = timedelta(days=30)


def _failed_at(webhook: Webhook, now: datetime) -> dict[str, Any]:
    """Return the look-ups of an endpoint's deliveries that have failed for good."""
    since = (now - FAILED_WITHIN).isoformat()
    failed = DeliveryStatus.FAILED.value
    return {"webhook_id": webhook.pk, "status": failed, "created_at__gte": since}


class FailedForm(ActionForm):
    def lines(self) -> list[str]:
        count = count_for_run(_failed_at(self.row, self.now))
        return [f"{count:,} failed for good in the last {FAILED_WITHIN.days} days."]


def _switch(title: str, message: str, *, on: bool, **more: Any) -> Action:
    return Action(
        title=title,
        right=Right.ENDPOINTS,
        service=update_webhook,
        given={"changes": {"is_active": on}},
        message=message,
        audited_as=f"switch endpoint {'on' if on else 'off'}",
        watches=("is_active", "disabled_reason"),
        available=lambda webhook, now: not webhook.deleted_at and webhook.is_active is not on,
        **more,
    )


SWITCH_OFF = _switch("Switch off", "The endpoint is off.", on=False, icon="toggle_off", danger=True)
ENDPOINT_ACTIONS = (
    Action(
        name="resend",
        title="Resend what failed",
        right=Right.RESEND,
        form=FailedForm,
        service=_resend_failed,
        message=_started,
        icon="send",
        main=True,
        available=lambda webhook, now: (
            webhook.is_active
            and not webhook.deleted_at
            and Delivery.objects.filter(**_failed_at(webhook, now)).exists()
        ),
    ),
    SWITCH_OFF,
    _switch("Switch on", "The endpoint is on.", on=True, icon="toggle_on"),
)
