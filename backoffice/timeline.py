"""Everything that happened to a payment or a customer, in one line of time."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from backoffice import formats
from backoffice.models import AuditEntry, Instruction, Note
from backoffice.page_parts import TimelineEntry
from backoffice.request_answer import request_title
from backoffice.resource.display_fields import actor_words
from backoffice.resource.page_urls import page_of
from backoffice.services.payments import masked_address
from backoffice.webhook_answer import attempt_outcome
from checkout.models import VerificationTry
from customers.models import Customer
from customers.phones import masked
from funding.models import TopUpTransition
from messages.models import Channel, Message
from payments.models import Payment, PaymentTransition
from payments.statuses import PaymentStatus
from refunds.models import Refund
from webhooks.models import Attempt, Delivery, Webhook

SHOWN = 100
S = PaymentStatus
_SAID = {
    S.PENDING: ("person", "The customer opened the payment"),
    S.REQUIRES_ACTION: ("pin", "A PIN or passkey was asked for"),
    S.PROCESSING: ("sync", "Payment began"),
    S.COMPLETED: ("check_circle", "Paid"),
    S.FAILED: ("cancel", "Failed"),
    S.CANCELED: ("block", "Canceled"),
    S.EXPIRED: ("timer_off", "Expired"),
}
_TONES = {S.COMPLETED: "good", S.FAILED: "bad", S.PROCESSING: "wait"}
_MESSAGES = {
    "invoice": "Invoice",
    "reminder": "Reminder",
    "due": "Reminder on the day",
    "receipt": "Receipt",
    "refund": "Notice",
    "inquiry": "Answer",
    "top_up": "Receipt",
}


def timeline_of(payment: Payment) -> list[TimelineEntry]:
    """Return what happened, newest first; each source is read with one bounded statement.

    Each source yields its newest first, so that what happened in one instant keeps its order.
    """
    refunds = list(Refund.objects.filter(payment=payment).order_by("-pk")[:SHOWN])
    resources = [payment.pk, *(refund.pk for refund in refunds)]
    deliveries = Delivery.objects.filter(event__resource_id__in=resources).order_by("-pk")
    moments = [
        *_moves(payment),
        *_tries(payment),
        *_refunds(refunds),
        *_top_ups(payment),
        *_attempts(deliveries),
        *messages_about(payment.pk),
        *_decisions(payment.pk),
        *_acts(payment.pk, *deliveries.values_list("pk", flat=True)[:SHOWN]),
        *_notes(payment.pk),
    ]
    return sorted(moments, key=lambda moment: moment.at, reverse=True)


def timeline_of_row(row: Any) -> list[TimelineEntry]:
    """Return what happened to a row of any kind that has a public id, newest first."""
    moments = [*messages_about(row.pk), *_decisions(row.pk), *_acts(row.pk), *_notes(row.pk)]
    if hasattr(row, "transitions"):
        moments += _transitions(row)
    if isinstance(row, Webhook) and row.failing_since:
        words = "It began to fail"
        moments.append(TimelineEntry(row.failing_since, "webhook", words, tone="bad"))
    if getattr(row, "created_at", None):
        who = actor_words(getattr(row, "created_by", "") or "")
        moments.append(TimelineEntry(row.created_at, "add_circle", "Created", who))
    return sorted(moments, key=lambda moment: moment.at, reverse=True)


def timeline_of_customer(customer: Customer) -> list[TimelineEntry]:
    """Return what was done to a customer's account and told about it, newest first."""
    pk = customer.pk
    moments = [*_changes(customer), *messages_about(pk), *_decisions(pk), *_acts(pk)]
    return sorted(moments, key=lambda moment: moment.at, reverse=True)


def _changes(customer: Customer) -> Iterator[TimelineEntry]:
    """Yield what was done by others than staff, whose actions the audit trail has."""
    by_others = customer.changes.exclude(actor__startswith="staff:")
    for change in by_others.order_by("-pk")[:SHOWN]:
        words = f"Account {change.get_change_display().lower()}"
        who, why = actor_words(change.actor), (change.cause,)
        yield TimelineEntry(change.at, "ac_unit", words, who, details=why, tone="bad")


def _moves(payment: Payment) -> Iterator[TimelineEntry]:
    moves = PaymentTransition.objects.filter(payment=payment).order_by("-pk")[:SHOWN]
    for move in moves:
        status = PaymentStatus(move.to_status)
        kind, words = _SAID.get(status, ("circle", status))
        yield TimelineEntry(
            move.at,
            kind,
            words,
            actor=actor_words(move.actor),
            details=(move.cause,),
            tone=_TONES.get(status, "quiet"),
        )
    yield TimelineEntry(payment.created_at, "add_circle", "Created", payment.payment_mode)


def _tries(payment: Payment) -> Iterator[TimelineEntry]:
    tries = VerificationTry.objects.filter(payment_id=payment.pk).order_by("-tried_at")
    for tried in tries[:SHOWN]:
        kind = "passkey" if tried.method == "passkey" else "pin"
        name = "Passkey" if kind == "passkey" else "PIN"
        yield TimelineEntry(
            tried.tried_at,
            kind,
            f"{name} wrong" if tried.error_code else f"{name} right",
            actor_words(tried.actor),
            tried.address,
            details=(tried.error_code,),
            tone="bad" if tried.error_code else "good",
        )


def _refunds(refunds: Iterable[Refund]) -> Iterator[TimelineEntry]:
    for refund in refunds:
        amount = formats.money(refund.amount, refund.currency)
        reason = (refund.reason and f"Reason: {refund.reason}",)
        who = actor_words(refund.created_by)
        if refund.succeeded_at:
            yield TimelineEntry(refund.succeeded_at, "undo", f"{amount} refunded", who, tone="good")
        if refund.failed_at:
            why = (refund.failure_reason,)
            yield TimelineEntry(
                refund.failed_at, "undo", f"Refund of {amount} failed", who, details=why, tone="bad"
            )
        yield TimelineEntry(
            refund.created_at, "undo", f"Refund of {amount} requested", who, details=reason
        )


def _top_ups(payment: Payment) -> Iterator[TimelineEntry]:
    """Yield how money that was added for this payment came in."""
    added = TopUpTransition.objects.filter(top_up__payment=payment).select_related("top_up")
    for move in added.order_by("-pk")[:SHOWN]:
        top_up = move.top_up
        amount = formats.money(top_up.amount_received or top_up.amount, top_up.currency)
        state = "on its way" if move.to_status == "pending" else move.to_status
        words = f"Top-up of {amount} by {top_up.get_way_display()}: {state}"
        yield TimelineEntry(
            move.at,
            "add_card",
            formats.link(words, page_of(top_up)),
            actor_words(move.actor),
            tone=formats.tone(move.to_status),
        )


def _attempts(deliveries: QuerySet[Delivery]) -> Iterator[TimelineEntry]:
    attempts = Attempt.objects.filter(delivery__in=deliveries.order_by())
    related = attempts.select_related("delivery__event", "delivery__webhook")
    for attempt in related.order_by("-attempted_at")[:SHOWN]:
        delivery = attempt.delivery
        arrived = attempt.status is not None and 200 <= attempt.status < 300 and not attempt.error
        yield TimelineEntry(
            attempt.attempted_at,
            "webhook",
            formats.link(
                f"Webhook {delivery.event.type}: {'arrived' if arrived else 'failed'}",
                reverse("admin:webhooks_delivery_change", args=[delivery.pk]),
            ),
            details=(f"Attempt {attempt.number}, {attempt_outcome(attempt)}",),
            address=formats.short_text(delivery.webhook.url, 60),
            tone="good" if arrived else "bad",
        )


def messages_about(public_id: str) -> Iterator[TimelineEntry]:
    """Yield what was told to people about an object, and what is still to be."""
    for message in Message.objects.filter(about=public_id).order_by("-pk")[:SHOWN]:
        kind = _MESSAGES.get(message.kind, message.kind.replace("_", " ").capitalize())
        to = masked_recipient(message)
        words = f"{kind} to {to}: {message.status.replace('_', ' ')}"
        tone = "bad" if formats.tone(message.status) == "bad" else "quiet"
        yield TimelineEntry(message.sent_at or message.due_at, "mail", words, tone=tone)


def masked_recipient(message: Message) -> str:
    """Return an address or number as it may be shown."""
    by_text = message.channel == Channel.SMS
    return masked(message.recipient) if by_text else masked_address(message.recipient)


def _decisions(public_id: str) -> Iterator[TimelineEntry]:
    """Yield what colleagues have decided about what was asked for."""
    decided = Instruction.objects.filter(subject_id=public_id, decided_by__isnull=False)
    related = decided.select_related("asked_by", "decided_by")
    for row in related.order_by("-pk")[:SHOWN]:
        yield TimelineEntry(
            row.decided_at or row.asked_at,
            "how_to_reg",
            formats.link(f"{request_title(row)}: {row.get_status_display()}", page_of(row)),
            actor=row.decided_by.get_username() if row.decided_by else "",
            details=(row.decision_note,),
            tone=formats.tone(row.status),
        )


def _acts(*public_ids: str) -> Iterator[TimelineEntry]:
    entries = AuditEntry.objects.filter(subject_id__in=public_ids).exclude(act="note")
    for entry in entries.order_by("-sequence")[:SHOWN]:
        yield TimelineEntry(
            entry.at,
            "badge",
            f"Staff: {entry.act} — {entry.get_outcome_display()}",
            actor=entry.actor,
            address=entry.address,
            details=(entry.reason and f"Reason: {entry.reason}", entry.error),
            tone="bad" if entry.error else "quiet",
        )


def _notes(public_id: str) -> Iterator[TimelineEntry]:
    notes = Note.objects.filter(subject_id=public_id).select_related("author").order_by("-pk")
    for note in notes[:SHOWN]:
        yield TimelineEntry(
            note.created_at, "sticky_note_2", note.text, actor=note.author.get_username()
        )


def _transitions(row: Any) -> list[TimelineEntry]:
    """Return how a refund, a payout or a top-up came to its status, newest first."""
    return [
        TimelineEntry(
            move.at,
            "circle",
            move.to_status.replace("_", " ").capitalize(),
            actor_words(move.actor),
            details=(getattr(move, "cause", ""),),
            tone=formats.tone(move.to_status),
        )
        for move in row.transitions.order_by("-pk")[:SHOWN]
    ]
