"""Resend webhooks: a few at once, with their results; many in the background."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet

from backoffice.audit import (
    AuditAction,
    AuditRecord,
    append_entry,
    append_forbidden,
    audited,
    lock_actor,
    snapshot,
)
from backoffice.errors import Forbidden, NothingToSend
from backoffice.models import AuditEntry, AuditOutcome, ResendRun
from backoffice.roles import Right
from backoffice.staff import Staff, rights_of
from core.errors import ApiError, Conflict, RateLimited
from core.ids import new_id
from payments.models import Payment
from refunds.models import Refund
from webhooks.attempt_now import attempt_now, waiting_slot
from webhooks.models import Delivery
from webhooks.redelivery import retry_delivery
from webhooks.statuses import DeliveryStatus

RESEND_MANY = "resend webhooks"  # in the audit trail
BATCH = 100
MOST_IN_A_RUN = 50_000
MOST_AT_ONCE = 50
MOST_PROBED = 3
Lookups = Mapping[str, Any]


@dataclass
class ResendResult:
    """The result of resending: `probed` with their attempts, how many were queued, and refusals."""

    probed: list[Delivery] = field(default_factory=list)
    queued: int = 0
    refusals: list[str] = field(default_factory=list)


def resend_and_wait(*, staff: Staff, delivery_id: str, now: datetime) -> ResendResult:
    """Resend one delivery while the caller waits. Raises as `resend_delivery` does."""
    before = Delivery.objects.one(delivery_id).attempt_count
    resend_delivery(staff=staff, delivery_id=delivery_id, now=now)
    try:
        with waiting_slot(staff.actor):
            return ResendResult(probed=[attempt_now(delivery_id, after=before)])
    except (RateLimited, Conflict):
        return ResendResult(queued=1)  # the dispatcher makes the attempt


def resend_delivery(*, staff: Staff, delivery_id: str, now: datetime) -> Delivery:
    """Resend one delivery. Raises Forbidden, DeliveryNotFound, ValidationFailed, Conflict."""
    delivery = Delivery.objects.select_related("webhook").one(delivery_id)
    with audited(staff=staff, action=_resending(delivery.pk), now=now) as record:
        record.before = snapshot(delivery, "status")
        again = _retry(staff, delivery, now)
        record.after = snapshot(again, "status")
    return again


def deliveries_of_payment(payment_id: str) -> QuerySet[Delivery]:
    """Return the deliveries about a payment and its refunds, by one statement."""
    refunds = Refund.objects.filter(payment_id=payment_id).values("pk")
    resources = Payment.objects.filter(pk=payment_id).values("pk").union(refunds)
    return Delivery.objects.filter(event__resource_id__in=resources)


def resend_all(
    *, staff: Staff, rows: QuerySet[Delivery], delivered_too: bool, now: datetime
) -> ResendResult:
    """Resend a few deliveries, each with its own audit entry; the newest per endpoint at once.

    Raises Forbidden, NothingToSend.
    """
    wanted = rows if delivered_too else rows.exclude(status=DeliveryStatus.DELIVERED)
    found = list(wanted.order_by("-pk").values_list("pk", "webhook_id")[:MOST_AT_ONCE])
    if not found:
        raise NothingToSend
    newest = {webhook_id: pk for pk, webhook_id in reversed(found)}
    probed = set(list(newest.values())[:MOST_PROBED])
    resent = ResendResult()
    for delivery_id, _ in sorted(found, key=lambda pair: pair[0] in probed):
        _resend(resent, staff, delivery_id, is_probed=delivery_id in probed, now=now)
    return resent


def count_for_run(lookups: Lookups) -> int:
    """Count what a run would resend, up to one more than it may."""
    return Delivery.objects.filter(**lookups)[: MOST_IN_A_RUN + 1].count()


def start_run(*, staff: Staff, lookups: Lookups, reason: str, now: datetime) -> ResendRun:
    """Resend all that matches a filter, in the background. Raises Forbidden, NothingToSend."""
    action = AuditAction(RESEND_MANY, Right.RESEND, "delivery", "", reason=reason)
    with audited(staff=staff, action=action, now=now) as record:
        lock_actor(staff)  # or the end of the account would miss this run
        rows = Delivery.objects.filter(**lookups)
        last = rows.order_by("-pk").first()
        count = count_for_run(lookups)
        if last is None:
            raise NothingToSend
        if count > MOST_IN_A_RUN:
            raise NothingToSend(f"There are more than {MOST_IN_A_RUN:,}: narrow the list down.")
        run = ResendRun.objects.create(
            id=new_id("run", now),
            lookups=dict(lookups),
            through_id=last.pk,
            expected_count=count,
            asked_by_id=staff.user_id,
            reason=reason,
            created_at=now,
        )
        record.after = {"run": run.pk, "count": count}
    return run


def continue_runs(*, now: datetime) -> int:
    """Resend some of what each run has left; return how many were put on their way."""
    open_runs = ResendRun.objects.filter(finished_at=None).order_by("created_at", "pk")
    return sum(_continue(pk, now) for pk in list(open_runs.values_list("pk", flat=True)))


def stop_runs(user: User, *, now: datetime) -> list[str]:
    """End the runs that an account has begun, which may be a thief's; return their ids."""
    runs = ResendRun.objects.select_for_update(of=("self",)).select_related("asked_by")
    begun = list(runs.filter(asked_by=user, finished_at=None).order_by("pk"))
    for run in begun:
        _end_unauthorized(run, now)
    return [run.pk for run in begun]


def was_stopped(run: ResendRun) -> bool:
    """Return whether a run has ended because its requester's account or right to resend has."""
    refusals = AuditEntry.objects.filter(subject_id=run.pk, outcome=AuditOutcome.FORBIDDEN)
    return refusals.filter(act=RESEND_MANY).exists()


def _resend(
    resent: ResendResult, staff: Staff, delivery_id: str, *, is_probed: bool, now: datetime
) -> None:
    try:
        if is_probed:
            one = resend_and_wait(staff=staff, delivery_id=delivery_id, now=now)
            resent.probed += one.probed
            resent.queued += one.queued
        else:
            resend_delivery(staff=staff, delivery_id=delivery_id, now=now)
            resent.queued += 1
    except Forbidden:
        raise
    except ApiError as refusal:
        resent.refusals.append(f"{refusal.message} {refusal.details}".strip())


def _continue(run_id: str, now: datetime) -> int:
    run = ResendRun.objects.select_related("asked_by").get(pk=run_id)
    if Right.RESEND not in rights_of(run.asked_by):
        _end_unauthorized(run, now)
        return 0
    rest = Delivery.objects.filter(**run.lookups, pk__gt=run.after_id, pk__lte=run.through_id)
    ids = list(rest.order_by("pk").values_list("pk", flat=True)[:BATCH])
    sent = sum(_next_of_run(run_id, delivery_id, now) for delivery_id in ids)
    if len(ids) < BATCH:
        ResendRun.objects.filter(pk=run_id, finished_at=None).update(finished_at=now)
    return sent


@transaction.atomic
def _end_unauthorized(run: ResendRun, now: datetime) -> None:
    """End a run whose requester has lost the right or the access: it goes on for no one."""
    if ResendRun.objects.filter(pk=run.pk, finished_at=None).update(finished_at=now):
        staff = Staff(run.asked_by_id, run.asked_by.get_username(), frozenset(), request_id=run.pk)
        action = AuditAction(RESEND_MANY, Right.RESEND, "resendrun", run.pk)
        append_forbidden(staff=staff, action=action, now=now)


@transaction.atomic
def _next_of_run(run_id: str, delivery_id: str, now: datetime) -> bool:
    """Resend one, unless another worker did or the run was ended: it is locked meanwhile."""
    locked = ResendRun.objects.select_for_update(of=("self",)).select_related("asked_by")
    run = locked.get(pk=run_id)
    if run.finished_at is not None or run.after_id >= delivery_id:
        return False
    staff = Staff(run.asked_by_id, run.asked_by.get_username(), frozenset(), request_id=run.pk)
    error = _refusal(staff, delivery_id, now)
    run.after_id = delivery_id
    run.sent_count += not error
    run.skipped_count += bool(error)
    run.save(update_fields=["after_id", "sent_count", "skipped_count"])
    record = AuditRecord(outcome=AuditOutcome.REFUSED if error else AuditOutcome.DONE)
    action = _resending(delivery_id)
    append_entry(staff=staff, action=action, record=record, now=now, error=error)
    return not error


def _refusal(staff: Staff, delivery_id: str, now: datetime) -> str:
    """Put a delivery on its way again; return the reason if that is not possible."""
    try:
        with transaction.atomic():
            _retry(staff, Delivery.objects.select_related("webhook").one(delivery_id), now)
    except ApiError as refusal:
        return f"{refusal.code}: {refusal.details}"
    return ""


def _retry(staff: Staff, delivery: Delivery, now: datetime) -> Delivery:
    caller = staff.caller(livemode=delivery.webhook.livemode)
    return retry_delivery(
        caller=caller, webhook_id=delivery.webhook_id, delivery_id=delivery.pk, now=now
    )


def _resending(delivery_id: str) -> AuditAction:
    return AuditAction("resend webhook", Right.RESEND, "delivery", delivery_id)
