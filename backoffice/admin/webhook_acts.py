"""Send webhooks again: one, those of a payment or an event, or a whole list in the background."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet
from django.http import QueryDict
from django.utils import timezone

from backoffice.acts import Act, Done, Work
from backoffice.admin.filters import days_asked, days_of, id_at, mode_of, start_of
from backoffice.forms import ActForm, ConfirmForm, Line, ReasonForm, Tick
from backoffice.roles import Right
from backoffice.services.webhooks import (
    count_for_run,
    deliveries_of_payment,
    resend_all,
    resend_delivery,
    start_run,
    switch_endpoint,
)
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus

Rows = QuerySet[Delivery]


class ResendForm(ActForm):
    """Those that have not arrived; those that have only on a tick."""

    delivered_too = Tick(required=False, label="Also those that have arrived already")

    def lines(self) -> list[str]:
        rows = _ROWS_OF[type(self.row).__name__](self.row)
        arrived = rows.filter(status=DeliveryStatus.DELIVERED).count()
        return [f"{rows.count() - arrived} have not arrived, {arrived} have."]


_ROWS_OF: dict[str, Callable[[Any], Rows]] = {
    "Payment": lambda payment: deliveries_of_payment(payment.pk),
    "Event": lambda event: Delivery.objects.filter(event=event),
}


def _resend(work: Work) -> Done:
    sent, not_sent = resend_all(
        staff=work.staff,
        rows=_ROWS_OF[type(work.row).__name__](work.row),
        delivered_too=work.data["delivered_too"],
        now=work.now,
    )
    rest = f" {not_sent} could not be sent: look at them." if not_sent else ""
    return Done(f"{sent} on the way again.{rest}")


def _act(title: str) -> Act:
    return Act(
        name="resend",
        title=title,
        right=Right.RESEND,
        form=ResendForm,
        carry_out=_resend,
        icon="send",
    )


RESEND_PAYMENT = _act("Resend webhooks")
RESEND_EVENT = _act("Resend")


class ResendOneForm(ActForm):
    """One delivery; a tick where it has arrived already."""

    sure = Tick(required=False, label="It has arrived; send it again all the same")

    def prepare(self) -> None:
        arrived = self.row.status == DeliveryStatus.DELIVERED
        self.fields["sure"].required = arrived
        if not arrived:
            del self.fields["sure"]


def _resend_one(work: Work) -> Done:
    resend_delivery(staff=work.staff, delivery_id=work.row.pk, now=work.now)
    return Done("On the way again.")


DELIVERY_ACTS = (
    Act(
        name="resend",
        title="Resend",
        right=Right.RESEND,
        form=ResendOneForm,
        carry_out=_resend_one,
        icon="send",
        main=True,
    ),
)


class ResendListForm(ActForm):
    """The list as it was filtered, with its count, and a tick for those that have arrived."""

    filters = Line(max_length=1_000, required=False)
    delivered_too = Tick(required=False, label="Also those that have arrived already")
    reason = Line(max_length=500)

    def prepare(self) -> None:
        self.fields["filters"].widget = self.fields["filters"].hidden_widget()
        self.fields["filters"].initial = self.query

    def lines(self) -> list[str]:
        query = str(self.data.get("filters") or self.query)
        lookups = lookups_of(query, self.now, delivered_too=True)
        every = count_for_run(lookups)
        waiting = count_for_run({**lookups, "status__in": _NOT_ARRIVED})
        return [
            f"{waiting:,} have not arrived, {every - waiting:,} have.",
            "They are sent in the background, one line in the audit trail each.",
        ]


_NOT_ARRIVED = [status.value for status in DeliveryStatus if status != DeliveryStatus.DELIVERED]


def lookups_of(query: str, now: datetime, *, delivered_too: bool) -> dict[str, Any]:
    """Read the filters of a list of deliveries as look-ups that a run can keep."""
    chosen = QueryDict(query)
    lookups: dict[str, Any] = {}
    mode = mode_of(chosen.get("mode", ""))
    if mode != "both":
        lookups["webhook__livemode"] = mode == "live"
    for name, field in (("status", "status"), ("endpoint", "webhook_id"), ("event", "event_id")):
        if chosen.get(name):
            lookups[field] = chosen[name]
    days = days_asked(*(chosen.get(name, "") for name in ("day", "day_from", "day_to")))
    span = days_of(days, timezone.localtime(now).date())
    if span is not None:
        lookups["id__gte"] = id_at("dlv", start_of(span[0]))
        lookups["id__lt"] = id_at("dlv", start_of(span[1]))
    if not delivered_too:
        lookups["status__in"] = _NOT_ARRIVED
    return lookups


def _resend_list(work: Work) -> Done:
    run = start_run(
        staff=work.staff,
        lookups=lookups_of(
            work.data["filters"], work.now, delivered_too=work.data["delivered_too"]
        ),
        reason=work.data["reason"],
        now=work.now,
    )
    return Done(f"{run.expected_count:,} are being sent again, in the background.")


RESEND_ALL = Act(
    name="resend",
    title="Resend all of this list",
    right=Right.RESEND,
    form=ResendListForm,
    carry_out=_resend_list,
    icon="send",
)


def _switch(on: bool) -> Callable[[Work], Done]:
    def carry_out(work: Work) -> Done:
        switch_endpoint(
            staff=work.staff,
            webhook_id=work.row.pk,
            on=on,
            reason=work.data["reason"],
            now=work.now,
        )
        return Done("The endpoint is on again." if on else "Nothing is sent there any more.")

    return carry_out


def _resend_failed(work: Work) -> Done:
    run = start_run(
        staff=work.staff,
        lookups={
            "webhook_id": work.row.pk,
            "status": DeliveryStatus.FAILED.value,
            "created_at__gte": (work.now - FAILED_WITHIN).isoformat(),
        },
        reason="all that failed at the endpoint",
        now=work.now,
    )
    return Done(f"{run.expected_count:,} are being sent again, in the background.")


FAILED_WITHIN = timedelta(days=30)


class FailedForm(ConfirmForm):
    def lines(self) -> list[str]:
        failed = Delivery.objects.filter(
            webhook=self.row,
            status=DeliveryStatus.FAILED,
            created_at__gte=self.now - FAILED_WITHIN,
        )
        return [f"{failed.count():,} were given up in the last {FAILED_WITHIN.days} days."]


def _is_on(webhook: Webhook, now: datetime) -> bool:
    return webhook.is_active


ENDPOINT_ACTS = (
    Act(
        name="resend",
        title="Resend what failed",
        right=Right.RESEND,
        form=FailedForm,
        carry_out=_resend_failed,
        icon="send",
        main=True,
        offered=_is_on,
    ),
    Act(
        name="switch-off",
        title="Switch off",
        right=Right.ENDPOINTS,
        form=ReasonForm,
        carry_out=_switch(on=False),
        icon="toggle_off",
        danger=True,
        offered=_is_on,
    ),
    Act(
        name="switch-on",
        title="Switch on",
        right=Right.ENDPOINTS,
        form=ReasonForm,
        carry_out=_switch(on=True),
        icon="toggle_on",
        offered=lambda webhook, now: not webhook.is_active,
    ),
)
