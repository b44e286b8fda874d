"""Everything that happened to a payment, or to any other object, on one timeline."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import chain, islice
from operator import or_
from typing import Any

from django.db.models import Q
from django.utils.safestring import SafeString

from backoffice import formats
from backoffice.customer_timeline import changes_of, codes_of, inquiry_entries
from backoffice.endpoint_timeline import outages_met_by, outages_of
from backoffice.message_words import kind_words, masked_recipient, status_words, with_payment_ended
from backoffice.models import AuditEntry, AuditOutcome, Instruction, Note
from backoffice.page_parts import NOTE, TimelineEntry
from backoffice.payout_answer import reason_of
from backoffice.request_answer import is_about
from backoffice.resource.page_urls import page_of
from backoffice.resource.shown import actor_words
from backoffice.roles import viewing_right
from backoffice.services.instruction_kinds import TASKS, moves_later, outcome_of, title_of
from backoffice.services.statements import days_of_statement
from backoffice.statuses import InstructionStatus
from backoffice.webhook_answer import attempt_outcome
from checkout.models import VerificationAttempt
from core.clock import request_now
from core.signatures import is_altered
from customers.models import Customer
from funding.models import TopUpTransition
from funding.statuses import TopUpStatus
from merchants.models import Merchant
from messages.models import Message
from payments.failures import failure_of
from payments.models import Payment
from payments.statuses import PaymentStatus
from payouts.models import PayoutTransition
from refunds.models import Inquiry, Refund, RefundTransition
from refunds.statuses import RefundStatus
from webhooks.endpoint_outages import with_outages_met
from webhooks.models import Attempt, Delivery, Webhook

SHOWN = 100
S = PaymentStatus
_MOVES = {
    S.PENDING: ("person", "The customer opened the payment"),
    S.REQUIRES_ACTION: ("pin", "A PIN or passkey was asked for"),
    S.PROCESSING: ("sync", "Payment began"),
    S.COMPLETED: ("check_circle", "Paid"),
    S.FAILED: ("cancel", "Failed"),
    S.CANCELED: ("block", "Canceled"),
    S.EXPIRED: ("timer_off", "Expired"),
}
_STAMPS = {
    "ended_at": ("flag", "Ended"),
    "sent_at": ("mail", "Sent"),
    "deleted_at": ("delete", "Deleted by its merchant"),
    "created_at": ("add_circle", "Created"),
}
# By the act, as the audit trail names what was requested.
_VIEWING_RIGHTS = {task.title.lower(): viewing_right(name) for name, task in TASKS.items()}


def timeline_of(payment: Payment) -> list[TimelineEntry]:
    """Return what happened, newest first; each source is read in one bounded statement.

    Each source yields its newest first, so that simultaneous entries keep their order.
    """
    refunds = list(Refund.objects.filter(payment=payment).order_by("-pk")[:SHOWN])
    inquiry = getattr(payment, "inquiry", None)
    about = [row.pk for row in (payment, *refunds, inquiry) if row is not None]
    refunded = RefundTransition.objects.filter(refund__in=refunds).select_related("refund")
    added = TopUpTransition.objects.filter(top_up__payment=payment).select_related("top_up")
    deliveries = Delivery.objects.filter(event__resource_id__in=about)
    newest = with_outages_met(deliveries).select_related("webhook").order_by("-pk")[:SHOWN]
    attempts = Attempt.objects.filter(delivery__in=deliveries)
    related = attempts.select_related("delivery__event", "delivery__webhook")
    sent = list(related.order_by("-attempted_at", "-pk")[:SHOWN])
    return _in_order(
        _transitions(payment.transitions, lambda move: _MOVES[PaymentStatus(move.to_status)]),
        _verification_attempts(payment),
        _transitions(refunded, _refunded),
        map(_requested, refunds),
        _transitions(added, _added),
        islice(outages_met_by(newest, SHOWN), SHOWN),
        map(_attempted, sent),
        inquiry_entries(inquiry, SHOWN, page_of(inquiry)) if inquiry else (),
        *_around(*about, sent={attempt.delivery_id for attempt in sent}),
        _stamps(payment),
    )


def timeline_of_row(row: Any) -> list[TimelineEntry]:
    """Return what happened to any row with a public id, newest first."""
    own: Iterable[TimelineEntry] = ()
    if isinstance(row, Customer):
        own = chain(changes_of(row, SHOWN), codes_of(row, SHOWN))
    elif isinstance(row, Webhook | Merchant):
        own = islice(outages_of(row, SHOWN), SHOWN)
    elif isinstance(row, Inquiry):
        own = inquiry_entries(row, SHOWN)
    elif hasattr(row, "transitions"):
        own = _transitions(row.transitions, lambda move: ("circle", _status(move).capitalize()))
    return _in_order(own, *_around(row.pk), _stamps(row))


def _in_order(*sources: Iterable[TimelineEntry]) -> list[TimelineEntry]:
    """Merge the sources, newest first; the last line says where one of them was cut off."""
    entries = [list(source) for source in sources]
    moments = sorted(chain(*entries), key=lambda moment: moment.at, reverse=True)
    if any(len(each) >= SHOWN for each in entries):
        words = f"Of each kind, the newest {SHOWN} are shown"
        moments.append(TimelineEntry(moments[-1].at, "more_horiz", words))
    return moments


def _around(*public_ids: str, sent: Iterable[str] = ()) -> Iterator[Iterator[TimelineEntry]]:
    """Yield messages about objects, and what staff did, decided and noted."""
    audited = AuditEntry.objects.filter(subject_id__in=[*public_ids, *sent]).exclude(act="note")
    acts = list(audited.order_by("-sequence")[:SHOWN])
    requests = _requests(public_ids, acts)
    yield _messages(public_ids)
    yield islice(_decisions(requests), SHOWN)
    yield _acts(acts, requests)
    yield _notes(public_ids)


def _transitions(
    moves: Any, describe: Callable[[Any], tuple[str, SafeString | str]]
) -> Iterator[TimelineEntry]:
    """Yield transitions; `describe` returns the icon and the words of each."""
    for move in moves.order_by("-pk")[:SHOWN]:
        icon, words = describe(move)
        yield TimelineEntry(
            move.at,
            icon,
            words,
            actor_words(move.actor),
            details=(_cause(move),),
            tone=formats.tone(move.to_status),
        )


def _cause(move: Any) -> str:
    """Return the cause; that of a failure in words instead of its code, or beside the bank's."""
    cause = getattr(move, "cause", "")
    if isinstance(move, PayoutTransition) and cause and cause == move.payout.failure_code:
        return reason_of(move.payout)
    known = failure_of(cause)
    return known.message if known.code == cause else cause


def _status(move: Any) -> str:
    return str(move.to_status).replace("_", " ")


def _refunded(move: RefundTransition) -> tuple[str, str]:
    refund = move.refund
    amount = formats.money(refund.amount, refund.currency)
    if move.to_status == RefundStatus.SUCCEEDED:
        return "undo", f"{amount} refunded"
    return "undo", f"Refund of {amount} failed: {refund.failure_reason}"


def _requested(refund: Refund) -> TimelineEntry:
    words = f"Refund of {formats.money(refund.amount, refund.currency)} initiated"
    reason = (refund.reason and f"Reason: {refund.reason}",)
    who = actor_words(refund.created_by)
    return TimelineEntry(refund.created_at, "undo", words, who, details=reason)


def _added(move: TopUpTransition) -> tuple[str, SafeString]:
    """Describe how money that was added for a payment came in."""
    top_up = move.top_up
    is_ordered = move.to_status == TopUpStatus.PENDING
    came = None if is_ordered else top_up.amount_received
    amount = formats.money(came or top_up.amount, top_up.currency)
    state = "ordered" if is_ordered else move.to_status
    words = f"Top-up of {amount} by {top_up.get_way_display()}: {state}"
    return "add_card", formats.link(words, page_of(top_up))


def _stamps(row: Any) -> Iterator[TimelineEntry]:
    """Yield the instants that a row itself records, with the actor if it has one."""
    for name, (icon, words) in _STAMPS.items():
        if at := getattr(row, name, None):
            who = actor_words(getattr(row, name.removesuffix("_at") + "_by", "") or "")
            yield TimelineEntry(at, icon, words, who)


def _verification_attempts(payment: Payment) -> Iterator[TimelineEntry]:
    attempts = VerificationAttempt.objects.filter(payment_id=payment.pk)
    for each in attempts.order_by("-attempted_at", "-pk")[:SHOWN]:
        kind = "passkey" if each.method == "passkey" else "pin"
        name = "Passkey" if kind == "passkey" else "PIN"
        yield TimelineEntry(
            each.attempted_at,
            kind,
            f"{name} wrong" if each.error_code else f"{name} right",
            actor_words(each.actor),
            each.address,
            details=(each.error_code,),
            tone="bad" if each.error_code else "good",
        )


def _attempted(attempt: Attempt) -> TimelineEntry:
    delivery = attempt.delivery
    arrived = attempt.status is not None and 200 <= attempt.status < 300 and not attempt.error
    words = f"Webhook {delivery.event.type}: {'arrived' if arrived else 'failed'}"
    return TimelineEntry(
        attempt.attempted_at,
        "webhook",
        formats.link(words, page_of(delivery)),
        details=(f"Attempt {attempt.number}, {attempt_outcome(attempt)}",),
        address=formats.short_text(delivery.webhook.url, 60),
        tone="good" if arrived else "bad",
    )


def _messages(public_ids: Sequence[str]) -> Iterator[TimelineEntry]:
    now = request_now()
    rows = with_payment_ended(Message.objects.filter(about__in=public_ids), now)
    for message in rows.order_by("-pk")[:SHOWN]:
        to, status = masked_recipient(message), status_words(message, now)
        words = f"{kind_words(message)} to {to}: {status}"
        tone = "bad" if message.waits_for_staff(now) else "quiet"
        yield TimelineEntry(message.sent_at or message.due_at, "mail", words, tone=tone)


def _requests(public_ids: Sequence[str], acts: Sequence[AuditEntry]) -> list[Instruction]:
    """Return the newest requests that were decided or expired, and those that an act has made."""
    done_alone = Q(status=InstructionStatus.CARRIED_OUT, decided_by=None)
    waiting = Q(status=InstructionStatus.WAITING, expires_at__gt=request_now())
    asked = Instruction.objects.filter(
        ~(done_alone | waiting) | Q(asked_at__in={entry.at for entry in acts}),
        reduce(or_, map(is_about, public_ids)),
    )
    return list(asked.select_related("decided_by").order_by("-pk")[: 2 * SHOWN])


def _decisions(requests: Sequence[Instruction]) -> Iterator[TimelineEntry]:
    """Yield the outcomes of requests, decided by colleagues or expired."""
    now = request_now()
    for row in requests:
        status = row.status_at(now)
        is_done_alone = status == InstructionStatus.CARRIED_OUT and row.decided_by is None
        if is_done_alone or status == InstructionStatus.WAITING:
            continue
        became = outcome_of(row, now)
        yield TimelineEntry(
            row.decided_at or row.expires_at,
            "how_to_reg",
            formats.link(f"{_title(row)}: {became}", page_of(row)),
            actor=row.decided_by.get_username() if row.decided_by else "",
            details=(row.decision_note,),
            tone=formats.tone(status),
            right=viewing_right(row.task),
        )


def _title(request: Instruction) -> str:
    return (
        "A request that was changed in the database" if is_altered(request) else title_of(request)
    )


def _acts(acts: Sequence[AuditEntry], requests: Sequence[Instruction]) -> Iterator[TimelineEntry]:
    """Yield what staff did; for what moves money, as it was requested, with the amount."""
    requested = {(row.subject_id, row.asked_at): row for row in requests if not is_altered(row)}
    # One act on several deliveries has an entry of each.
    for entry in {(act.at, act.act, act.actor, act.outcome): act for act in acts}.values():
        request = requested.get((entry.subject_id, entry.at))
        did = title_of(request) if request else entry.act
        why = entry.reason and f"Reason: {entry.reason}"
        yield TimelineEntry(
            entry.at,
            "badge",
            f"Staff: {did[0].lower()}{did[1:]} — {_became(entry, request)}",
            actor=entry.actor,
            address=entry.address,
            details=(days_of_statement(entry.after), why, entry.error),
            tone="bad" if entry.error else "quiet",
            right=_VIEWING_RIGHTS.get(entry.act),
        )


def _became(entry: AuditEntry, request: Instruction | None) -> str:
    """Return the outcome at that time; the answer above says what has become of it since."""
    if entry.outcome == AuditOutcome.ASKED:
        return "approval requested"
    return "initiated" if request and moves_later(request) else entry.get_outcome_display()


def _notes(public_ids: Sequence[str]) -> Iterator[TimelineEntry]:
    notes = Note.objects.filter(subject_id__in=public_ids).select_related("author")
    for note in notes.order_by("-pk")[:SHOWN]:
        yield TimelineEntry(note.created_at, NOTE, note.text, actor=note.author.get_username())
