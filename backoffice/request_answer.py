"""What staff have requested for an object: what waits for approval, and what was declined."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from backoffice.formats import clock, money
from backoffice.models import AuditEntry, Instruction
from backoffice.resource.shown import actor_words, with_link
from backoffice.roles import InstructionKind
from backoffice.services.bank_entries import matched_with
from backoffice.services.instruction_kinds import (
    BANK_CREDIT,
    BANK_ENTRY,
    PAYOUT_FAILURE,
    PAYOUT_RETURN,
    REFUND,
    SET_ASIDE,
    UNDO_MATCH,
    WAIT_AGAIN,
    moves_later,
    title_of,
)
from backoffice.services.money import short_of
from backoffice.statuses import InstructionStatus
from core.clock import request_now
from core.durations import in_words
from core.signatures import is_altered
from customers.models import Customer
from customers.phones import masked
from funding.models import TopUp
from merchants.models import Merchant
from payments.models import Payment
from payouts.models import BankEntry, BankEntryState, Payout
from payouts.statuses import TRANSITIONS, PayoutStatus
from refunds.failures import GIVE_UP_AFTER
from refunds.models import Refund
from refunds.reserve import missing_for
from refunds.statuses import RefundStatus

ALTERED_ELSEWHERE = (
    "A request about this was changed in the database by something other than this service: do not"
    " rely on what it says, and tell the operators at once."
)
SHOWN_FOR = timedelta(days=7)
SHOWN = 5
# What a request names beside its subject, which is a payout, a run or a customer.
_ARGUMENTS = {"ben": "entry", "top": "top_up"}
# How a payout ends that is recorded so.
_ENDINGS = {PAYOUT_FAILURE: PayoutStatus.FAILED, PAYOUT_RETURN: PayoutStatus.RETURNED}
# The state of a bank entry in which each of these can be done, and what has come between.
_RESOLVES = dict.fromkeys((BANK_ENTRY, BANK_CREDIT, SET_ASIDE), BankEntryState.UNMATCHED) | {
    WAIT_AGAIN: BankEntryState.OTHER,
    UNDO_MATCH: BankEntryState.MATCHED,
}
_RESOLVED: dict[str, str] = {
    BankEntryState.UNMATCHED: "waits for an explanation now",
    BankEntryState.MATCHED: "has been matched since",
    BankEntryState.OTHER: "has been set aside since",
}
_OUTCOMES = {
    InstructionStatus.CARRIED_OUT: "was approved and carried out",
    InstructionStatus.DECLINED: "was declined",
    InstructionStatus.WITHDRAWN: "was withdrawn",
    InstructionStatus.EXPIRED: "expired, and nothing was done: no one had decided by",
}


def is_about(public_id: str) -> Q:
    """Return the condition for requests about an object, or that name it beside their subject."""
    about = Q(subject_id=public_id)
    argument = _ARGUMENTS.get(public_id.partition("_")[0])
    return about | Q(**{f"arguments__{argument}": public_id}) if argument else about


def requests_about(public_id: str, now: datetime, hidden: Sequence[str]) -> list[Instruction]:
    """Return the requests that wait, and those declined within a week; not for hidden tasks."""
    recent = Instruction.objects.filter(is_about(public_id), asked_at__gt=now - SHOWN_FOR)
    shown = recent.exclude(task__in=hidden).filter(
        status__in=[InstructionStatus.WAITING, InstructionStatus.DECLINED]
    )
    rows = shown.select_related("asked_by", "decided_by").order_by("-status", "-pk")
    found = list(with_names(rows)[:SHOWN])
    return [row for row in found if row.status_at(now) != InstructionStatus.EXPIRED]


def request_words(instruction: Instruction, public_id: str, now: datetime) -> str:
    """Say on the page of an object that a request about it waits, or was declined.

    Of one that was tampered with, nothing is repeated.
    """
    if is_altered(instruction):
        return with_link(ALTERED_ELSEWHERE, instruction)
    name = subject_of(instruction) if instruction.subject_id != public_id else ""
    what, asked = _asked_for(instruction, name), clock(instruction.asked_at, now)
    became = f" {asked}, waits for a colleague's approval: nothing has moved yet."
    if instruction.status == InstructionStatus.DECLINED:
        became = f", {outcome_words(instruction, now)}"
    return with_link(f"{what}{became}", instruction)


def sentence(instruction: Instruction) -> str:
    """Say what was requested, for whom, and by whom."""
    return f"{_asked_for(instruction, subject_of(instruction))}."


def done_words(entry: AuditEntry, now: datetime) -> str:
    """Say by whom, when and why something was done."""
    why = f": {entry.reason.rstrip('.')}" if entry.reason else ""
    return f"by {entry.actor}, {clock(entry.at, now)}{why}"


def _asked_for(instruction: Instruction, name: str) -> str:
    return f"{title_of(instruction, name)}, requested by {instruction.asked_by.get_username()}"


def with_names(rows: Any) -> Any:
    """Read with each row the names that `subject_of` needs."""
    merchants = Merchant.objects.filter(pk=OuterRef("merchant_id")).values("name")
    persons = Customer.objects.filter(pk=OuterRef("subject_id"), erased_at=None)
    adders = TopUp.objects.filter(pk=OuterRef("subject_id"), customer__erased_at=None)
    phones = Subquery(persons.values("phone")), Subquery(adders.values("customer__phone"))
    return rows.annotate(merchant_name=Subquery(merchants), customer_phone=Coalesce(*phones))


def subject_of(instruction: Instruction) -> str:
    """Return the colleague, merchant or customer concerned; `with_names` has read the name.

    Empty if it concerns no single one.
    """
    if instruction.kind == InstructionKind.STAFF:
        return instruction.subject_id
    phone = getattr(instruction, "customer_phone", None)
    return getattr(instruction, "merchant_name", None) or (masked(phone) if phone else "")


def warnings_of(instruction: Instruction) -> list[str]:
    """Return what to check twice before approving."""
    found = [_other_amount(instruction), _file_again(instruction)]
    found += [_ended(instruction), _resolved(instruction)]
    if instruction.task == REFUND:
        found += _of_refund(instruction, Payment.objects.get(pk=instruction.subject_id))
    return list(filter(None, found))


def _of_refund(instruction: Instruction, payment: Payment) -> list[str]:
    if short := short_of(instruction, payment):
        return [short]
    return [_refunded_since(instruction, payment), *refund_warnings(payment, instruction.amount)]


def overtaken(instruction: Instruction) -> str:
    """Say why what was requested cannot be done any more, nor be approved; empty if it can."""
    if instruction.task == REFUND:
        return short_of(instruction, Payment.objects.get(pk=instruction.subject_id))
    return _ended(instruction) or _resolved(instruction)


def _ended(instruction: Instruction) -> str:
    """Say that a payout has ended otherwise since it was to be recorded as failed or returned."""
    ending = _ENDINGS.get(instruction.task)
    if ending is None:
        return ""
    status = PayoutStatus(Payout.objects.get(pk=instruction.subject_id).status)
    if ending in TRANSITIONS[status]:
        return ""
    return f"The payout is {status.label.lower()} now: decline or withdraw this."


def _resolved(instruction: Instruction) -> str:
    """Say that a bank entry is no longer as it was when this was requested."""
    state = _RESOLVES.get(instruction.task)
    if state is None:
        return ""
    known = instruction.arguments.get("entry", instruction.subject_id)
    entry = BankEntry.objects.get(pk=known)
    found = entry.payout_id or entry.batch_id
    is_other = instruction.task == UNDO_MATCH and matched_with(instruction) != found
    if entry.state == state and not is_other:
        return ""
    return f"The bank entry {_RESOLVED[entry.state]}: decline or withdraw this."


def refund_warnings(payment: Payment, amount: int) -> list[str]:
    """Return what to consider before `amount` cents of a payment are refunded."""
    return list(filter(None, [_ownerless(payment), _uncovered(payment, amount)]))


def _ownerless(payment: Payment) -> str:
    """Warn that a refund reaches no one; empty unless who paid was erased."""
    if payment.customer is None or payment.customer.erased_at is None:
        return ""
    return (
        "The data of the customer who paid was erased: a refund goes to a wallet that no one can"
        " open, and Finance has to settle it (Adjust wallet)."
    )


def _uncovered(payment: Payment, amount: int) -> str:
    """Warn that the merchant's balance does not cover a refund of `amount` cents; empty if it does.

    As of now: until it is made, the balance may change.
    """
    missing = missing_for(payment, amount)
    if not missing:
        return ""
    words, lacks = (money(each, payment.currency) for each in (amount, missing))
    return (
        f"The merchant's balance does not cover {words} now: {lacks} is missing. Refunded now, it"
        " waits until the balance covers it, and fails if that takes longer than"
        f" {in_words(GIVE_UP_AFTER)}."
    )


def _refunded_since(instruction: Instruction, payment: Payment) -> str:
    """Warn of other refunds of the payment since, which may have been for the same."""
    since = Refund.objects.filter(payment=payment, created_at__gt=instruction.asked_at)
    others = since.exclude(status=RefundStatus.FAILED).order_by("-pk")[:SHOWN]
    made = "; ".join(map(_made, others))
    left = payment.amount_refundable
    if not made and left < instruction.arguments["expected_available"]:
        made = "see the payment's refunds"  # of a server whose clock is behind
    return (
        f"Refunded since this was requested: {made}. Make sure that this is not for the same;"
        f" {money(left, payment.currency)} can still be refunded."
        if made
        else ""
    )


def _made(refund: Refund) -> str:
    """Return the amount of a refund, when it was made, by whom and why."""
    amount, at = money(refund.amount, refund.currency), clock(refund.created_at, request_now())
    why = f" (“{refund.reason}”)" if refund.reason else ""
    is_shop = refund.created_by.startswith("key:")
    return f"{amount} {at} by {'the shop' if is_shop else actor_words(refund.created_by)}{why}"


def _file_again(instruction: Instruction) -> str:
    """Warn that a bank file has been imported before."""
    at = instruction.arguments.get("imported_before")
    kept = "its entries are not stored again; those that still wait are matched again."
    return f"This file was already imported on {at}: {kept}" if at else ""


def _other_amount(instruction: Instruction) -> str:
    """Warn that the amount received differs from that of the top-up to be credited."""
    named = instruction.arguments.get("top_up")
    top_up = TopUp.objects.filter(pk=named).first() if named else None
    if top_up is None or top_up.amount == instruction.amount:
        return ""
    asked, came = (money(each.amount, each.currency) for each in (top_up, instruction))
    return (
        f"The customer asked to add {asked}, and {came} came in: make sure that it was meant for"
        " this top-up."
    )


def approval_words(refund: Refund, now: datetime) -> list[str]:
    """Say who requested a refund and who approved it; empty if no member of staff did."""
    about = Instruction.objects.filter(subject_id=refund.payment_id, result_id=refund.pk)
    found = about.select_related("asked_by", "decided_by").first()
    if found is None:
        return []
    by, became = found.asked_by.get_username(), outcome_words(found, now)
    return [with_link(f"Requested by {by}, it {became}", found)]


def refund_words(instruction: Instruction) -> str:
    """Say that an approved refund has not been paid back yet, or never will be."""
    if not instruction.result_id.startswith("ref_"):
        return ""
    refund = Refund.objects.get(pk=instruction.result_id)
    if refund.status == RefundStatus.PENDING:
        return "Nothing has been refunded yet: the merchant's balance does not cover the refund."
    failed = refund.status == RefundStatus.FAILED
    return f"The refund failed: {refund.failure_reason.rstrip('.')}." if failed else ""


def outcome_words(instruction: Instruction, now: datetime) -> str:
    """Return the outcome of a request that no longer waits, as the end of a sentence."""
    by, note = instruction.decided_by, instruction.decision_note
    status = instruction.status_at(now)
    is_expired = status == InstructionStatus.EXPIRED
    at = clock(instruction.expires_at if is_expired else instruction.decided_at, now)
    later = moves_later(instruction)
    became = "was approved" if later else _OUTCOMES[status]
    words = f"{became} {at}" + (f" by {by.get_username()}" if by else "")
    if status == InstructionStatus.CARRIED_OUT and by is None:
        done = "initiated" if later else "carried out"
        words = f"was {done} {at} without a second person"
    return f"{words}: {note.rstrip('.')}." if note else f"{words}."
