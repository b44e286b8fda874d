"""The audit trail: every action of staff, and every failed attempt, in a hash chain.

An entry is chained when it is written: the head is locked last in a transaction, until the commit,
so that actions of staff wait for each other only as long as a commit takes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from django.db import transaction
from django.db.models import Q

from backoffice.errors import ActionLimitReached, Forbidden, IdentityNotProven, RowAltered
from backoffice.models import AuditEntry, AuditHead, AuditOutcome
from backoffice.roles import Right
from backoffice.staff import Staff, lock_accounts, roles_now
from core.attempt_limits import AttemptLimit, count_attempt, uncount_attempt
from core.clock import iso, request_now
from core.errors import ApiError, RateLimited
from core.hash_chain import FIRST_HASH, chain_hash
from core.signatures import AlteredRow

HEAD = 1
HOUR = timedelta(hours=1)
MOST_AN_HOUR = 30
# The acts that compare a caller's answers. Wrong answers are counted by their entries, so that the
# answers of one caller at a time are compared. An instruction is audited under the title of its
# task, in small letters, as is "remove passkey".
UNLOCK, LET_PAY = "unlock PIN", "unfreeze customer"
PROVEN = (UNLOCK, "remove passkey", LET_PAY)
COMPARED = AttemptLimit("caller-compared", 1, timedelta(minutes=1))

# What the hash of an entry covers, in this order, for ever: `verify_audit` computes it again.
CHAINED_FIELDS = (
    *("sequence", "at", "actor", "roles", "act", "outcome", "subject_type", "subject_id"),
    *("before", "after", "reason", "note", "error", "address", "request_id"),
)

State = Mapping[str, Any]
logger = structlog.get_logger(__name__)


@dataclass(frozen=True)
class AuditAction:
    """An action about to be done: its name, the required right, its subject and its reason.

    `limited`: a member of staff may do at most thirty of these in an hour.
    """

    act: str
    right: Right
    subject_type: str
    subject_id: str
    reason: str = ""
    note: str = ""
    limited: bool = False


@dataclass
class AuditRecord:
    """What an action fills in as it runs: the state before and after, and the outcome.

    `refuse_late` is called last, when the head of the chain is locked, so that no other action can
    commit before this one. If it raises, the action is rolled back.
    """

    before: State = field(default_factory=dict)
    after: State = field(default_factory=dict)
    outcome: AuditOutcome = AuditOutcome.DONE
    refuse_late: Callable[[], None] = field(default=lambda: None, repr=False)


@contextmanager
def audited(*, staff: Staff, action: AuditAction, now: datetime) -> Iterator[AuditRecord]:
    """Carry out one action of staff in a transaction and record it; a refusal is recorded too.

    Raises Forbidden without the right, or if by the time of the entry the account has been closed,
    reset or lost a role; ActionLimitReached; IdentityNotProven while another caller's answers are
    being compared; RowAltered, logged as an error, if a row to be changed was tampered with; and
    whatever the action raises.
    """
    if not staff.may(action.right):
        append_forbidden(staff=staff, action=action, now=now)
        raise Forbidden(right=f"is missing: {action.right.value}")
    record = AuditRecord()
    with _one_at_a_time(action, now):
        try:
            with transaction.atomic():
                if action.limited:
                    _limit_rate(staff, action.act, now)
                yield record
                head = _lock_head()
                _refuse_ended(staff)
                record.refuse_late()
                _append(head, staff=staff, action=action, record=record, now=now)
        except ApiError as error:
            _write_failure(staff, action, AuditOutcome.REFUSED, error, now)
            raise
        except AlteredRow as found:
            logger.error("row_altered", row=str(found), request_id=staff.request_id)
            _write_failure(staff, action, AuditOutcome.REFUSED, RowAltered(), now)
            raise RowAltered from None


def last_done(
    act: str, subject_id: str, outcome: AuditOutcome = AuditOutcome.DONE
) -> AuditEntry | None:
    """Return the newest entry of an act that was done to a subject, or had another outcome."""
    done = AuditEntry.objects.filter(act=act, outcome=outcome, subject_id=subject_id)
    return done.order_by("-sequence").first()


@transaction.atomic
def append_entry(
    *, staff: Staff, action: AuditAction, record: AuditRecord, now: datetime, error: str = ""
) -> AuditEntry:
    """Append an entry to the chain. Nothing else may be locked afterwards."""
    return _append(_lock_head(), staff=staff, action=action, record=record, now=now, error=error)


def _append(
    head: AuditHead,
    *,
    staff: Staff,
    action: AuditAction,
    record: AuditRecord,
    now: datetime,
    error: str = "",
) -> AuditEntry:
    before, after = changed(record.before, record.after)
    entry = AuditEntry(
        sequence=head.sequence + 1,
        at=now,
        actor=staff.username,
        roles=", ".join(sorted(role.value for role in staff.roles)),
        act=action.act,
        outcome=record.outcome,
        subject_type=action.subject_type,
        subject_id=action.subject_id,
        before=before,
        after=after,
        reason=action.reason,
        note=action.note,
        error=error,
        address=staff.address,
        request_id=staff.request_id,
    )
    entry.hash = entry_hash(head.hash, [getattr(entry, name) for name in CHAINED_FIELDS])
    entry.save(force_insert=True)
    head.sequence, head.hash = entry.sequence, entry.hash
    head.save(update_fields=["sequence", "hash"])
    _log_head(entry)
    return entry


def entry_hash(previous: str, values: Iterable[object]) -> str:
    return chain_hash(previous, values, written=iso)


def changed(before: State, after: State) -> tuple[dict[str, Any], dict[str, Any]]:
    """Keep what differs, in a form that survives JSON unchanged."""
    names = [name for name in {*before, *after} if before.get(name) != after.get(name)]
    return (
        {name: _storable(before[name]) for name in sorted(names) if name in before},
        {name: _storable(after[name]) for name in sorted(names) if name in after},
    )


def snapshot(row: Any, *names: str) -> dict[str, Any]:
    """Read the named fields of a row. Never name one that contains a secret."""
    return {name: getattr(row, name) for name in names}


def append_own(
    *,
    staff: Staff,
    act: str,
    outcome: AuditOutcome = AuditOutcome.DONE,
    username: str = "",
    error: str = "",
) -> None:
    """Record what someone did to their own account; a mere `username` is not signed in yet."""
    action = AuditAction(act, Right.NOTE, "staff", username[:64] or staff.username)
    record = AuditRecord(outcome=outcome)
    append_entry(staff=staff, action=action, record=record, now=request_now(), error=error)


def append_forbidden(*, staff: Staff, action: AuditAction, now: datetime) -> None:
    """Record an attempt at something that the role does not allow."""
    _write_failure(staff, action, AuditOutcome.FORBIDDEN, Forbidden(), now)


@contextmanager
def _one_at_a_time(action: AuditAction, now: datetime) -> Iterator[None]:
    """Reserve a customer's questions until a wrong answer is recorded: a lock would end before."""
    if action.act not in PROVEN:
        yield
        return
    try:
        count_attempt(COMPARED, action.subject_id, now=now)
    except RateLimited:
        raise IdentityNotProven("Another caller's answers are being compared: try again.") from None
    try:
        yield
    finally:
        uncount_attempt(COMPARED, action.subject_id)


def lock_actor(staff: Staff) -> None:
    """Lock the account of who acts until the transaction ends.

    Its actions take turns, and to close or reset it has to wait for them.
    """
    lock_accounts(Q(pk=staff.user_id))


def _limit_rate(staff: Staff, act: str, now: datetime) -> None:
    """Raise ActionLimitReached above the limit; concurrent actions take turns to be counted."""
    lock_actor(staff)
    done = AuditEntry.objects.filter(
        actor=staff.username, act=act, outcome=AuditOutcome.DONE, at__gt=now - HOUR
    )
    if done.count() >= MOST_AN_HOUR:
        raise ActionLimitReached


def _refuse_ended(staff: Staff) -> None:
    """Raise Forbidden if the account was closed, reset or lost a role since the request began.

    Those changes hold the head of the chain until they commit, so entries written before them
    stand.
    """
    if not staff.roles <= roles_now(staff):
        raise Forbidden(account="was closed or reset, or lost a role, meanwhile")


def _write_failure(
    staff: Staff, action: AuditAction, outcome: AuditOutcome, error: ApiError, now: datetime
) -> None:
    words = f"{error.code}: {error.message} {error.details}".strip()[:500]
    append_entry(
        staff=staff, action=action, record=AuditRecord(outcome=outcome), now=now, error=words
    )


def _lock_head() -> AuditHead:
    AuditHead.objects.get_or_create(pk=HEAD, defaults={"hash": FIRST_HASH})
    return AuditHead.objects.select_for_update().get(pk=HEAD)


def _storable(value: Any) -> Any:
    if isinstance(value, bool | int | None):
        return value
    return iso(value) if isinstance(value, datetime) else str(value)


def _log_head(entry: AuditEntry) -> None:
    """Write the end of the chain to the log as well: an anchor outside the database."""
    sequence, digest = entry.sequence, entry.hash
    transaction.on_commit(lambda: logger.info("audit_written", sequence=sequence, hash=digest))
