"""Who is independent of whom: a second person must owe neither account nor roles to the first.

Nor may they be the same person under two names. And the first must still have the right to ask.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from django.contrib.auth.models import User

from backoffice.errors import IndependentApproverRequired, RequesterNotAuthorized
from backoffice.models import AuditEntry, AuditOutcome, Instruction
from backoffice.roles import InstructionKind
from backoffice.services.merchants import verification_of
from backoffice.staff import Staff
from backoffice.statuses import InstructionStatus
from core.mailboxes import mailbox_of
from merchants.models import Merchant
from merchants.standing import has_key_ended
from merchants.statuses import MerchantStatus

DEPENDENT_FOR = timedelta(days=7)
COOLING_OFF = timedelta(days=1)
# What let an account in at once before it took an instruction: entries of an older release.
ACCESS_GRANTING = ("add staff", "set roles", "reset access", "reopen account")

KEY_ENDED = "The API key that asked for this has been revoked or replaced since, or has expired."
SUSPENDED = "The merchant is suspended: decline this, or wait until it is verified again."

_Sponsors = dict[str, set[str]]


def refuse_dependent_approver(*, asked_by: User, decides: Staff, now: datetime) -> None:
    """Refuse an approver whom the requester has let in, directly or through others.

    An account is let in by those who requested or approved it, its roles or its reopening. Two
    accounts let in by the same person are not independent either: both may be that person's. Two
    with one mailbox are that person's, however long they have been there. Raises
    IndependentApproverRequired.
    """
    sponsors = _sponsors_since(now - DEPENDENT_FOR)
    first, second = (
        _lineage(username, sponsors) for username in (asked_by.get_username(), decides.username)
    )
    if shared := first & second:
        raise IndependentApproverRequired(
            f"{', '.join(sorted(shared))} has let one of you in within the last"
            f" {DEPENDENT_FOR.days} days: a third person must decide."
        )
    if same := _with_one_mailbox(first, second):
        raise IndependentApproverRequired(
            f"{' and '.join(same)} have the same e-mail address: a third person must decide."
        )
    if decides.username in _sponsors_since(now - COOLING_OFF):
        raise IndependentApproverRequired("Your account was changed today: decide tomorrow.")


def refuse_key_holder(*, decides: Staff, merchant_id: str, now: datetime) -> None:
    """Refuse an approver who may have made the merchant's request themselves.

    It came by a live key, which only shows that someone holds one: those to whom one was given,
    those who may have invented the merchant and then verified it, those at whose e-mail address it
    is registered, and those whom they have let in. Raises IndependentApproverRequired.
    """
    for holder, why in _possible_holders(merchant_id):
        if holder.pk == decides.user_id:
            raise IndependentApproverRequired(f"{why}: another person must approve this.")
        refuse_dependent_approver(asked_by=holder, decides=decides, now=now)


def refuse_void_request(*, asked_by: str, merchant_id: str, now: datetime) -> None:
    """Refuse what a merchant's key could not ask for any more: the key may have been stolen.

    Because it has ended, or the merchant is suspended. Locks the merchant first, as ending a key
    and suspending do. Raises RequesterNotAuthorized.
    """
    if reasons := why_void(asked_by, Merchant.objects.locked(merchant_id), now=now):
        raise RequesterNotAuthorized(" ".join(reasons))


def why_void(asked_by: str, merchant: Merchant, *, now: datetime) -> list[str]:
    """Return why `refuse_void_request` would refuse, to tell those who decide."""
    reasons = []
    if merchant.status == MerchantStatus.SUSPENDED:
        reasons.append(SUSPENDED)
    if has_key_ended(asked_by, now=now):
        reasons.append(KEY_ENDED)
    return reasons


def _possible_holders(merchant_id: str) -> Iterator[tuple[User, str]]:
    given = Instruction.objects.filter(
        kind=InstructionKind.LIVE_KEY, status=InstructionStatus.CARRIED_OUT, merchant_id=merchant_id
    )
    for holder in User.objects.filter(pk__in=given.values("asked_by")):
        yield holder, "A live key of this merchant was given to you"
    verified = verification_of(merchant_id)
    for verifier in User.objects.filter(username=verified.actor if verified else ""):
        yield verifier, "You have verified this merchant"
    owner = mailbox_of(Merchant.objects.one(merchant_id).email)
    for reader in User.objects.filter(is_staff=True).exclude(email="").order_by("username"):
        if mailbox_of(reader.email) == owner:
            yield reader, "This merchant has your e-mail address"


def _lineage(username: str, sponsors: _Sponsors) -> set[str]:
    """Return an account, those who let it in, those who let these in, and so on."""
    found, waiting = {username}, [username]
    while waiting:
        new = sponsors.get(waiting.pop(), set()) - found
        found |= new
        waiting.extend(new)
    return found


def _with_one_mailbox(first: Iterable[str], second: Iterable[str]) -> list[str]:
    """Return an account of the first and one of the second who read the same e-mail, if any do."""
    readers = {mailbox: name for name, mailbox in _mailboxes_of(first)}
    for name, mailbox in _mailboxes_of(second):
        if mailbox in readers:
            return [readers[mailbox], name]
    return []


def _mailboxes_of(usernames: Iterable[str]) -> Iterator[tuple[str, str]]:
    known = User.objects.filter(username__in=usernames).exclude(email="").order_by("username")
    for name, email in known.values_list("username", "email"):
        yield name, mailbox_of(email)


def _sponsors_since(since: datetime) -> _Sponsors:
    """Return, for each account, who has let it in since then."""
    sponsors: _Sponsors = defaultdict(set)
    entries = AuditEntry.objects.filter(
        act__in=ACCESS_GRANTING, outcome=AuditOutcome.DONE, at__gt=since
    )
    for account, actor in entries.values_list("subject_id", "actor"):
        sponsors[account].add(actor)
    done = Instruction.objects.filter(
        kind=InstructionKind.STAFF, status=InstructionStatus.CARRIED_OUT, decided_at__gt=since
    )
    people = ("subject_id", "asked_by__username", "decided_by__username")
    for account, asked_by, approved_by in done.values_list(*people):
        sponsors[account] |= {asked_by, approved_by} - {None}
    return sponsors
