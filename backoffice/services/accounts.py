"""The accounts of staff: opened by instructions that take two people, closed by one person.

Each function that takes an instruction is a task in `instruction_kinds`. Those for development, one
per role, can sign in in development mode only.
"""

import base64
import hashlib
import hmac
import re
from datetime import datetime
from typing import Any

from axes.utils import reset as reset_attempts
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction
from django.db.models import Q

from backoffice.audit import AuditAction, AuditRecord, append_entry, audited
from backoffice.authenticators import Authenticator
from backoffice.errors import AccountNotEligible
from backoffice.models import Instruction, StaffAccount
from backoffice.roles import Right, Role
from backoffice.services.staff_mail import (
    invitation_id,
    let_in_by,
    note_administrator,
    plan_change_notice,
    plan_invitation,
    tell_administrators,
    withdraw_invitations,
)
from backoffice.services.two_factor import AUTHENTICATOR, remove_second_factor
from backoffice.services.webhooks import stop_runs
from backoffice.session_store import end_sessions
from backoffice.staff import USERNAME_CHARACTERS, Staff, lock_accounts, roles_of
from backoffice.statuses import InstructionStatus
from core.errors import ValidationFailed
from merchants.callers import Caller

_USERNAME = re.compile(rf"[a-z][a-z0-9.-]{{1,{USERNAME_CHARACTERS - 1}}}")
CLOSE = "close account"  # in the audit trail
SERVER = "system:backoffice.create_staff"
CLOSED = "The account that requested this was closed."
RESET = "The access of the account that requested this was reset."
_OWN = "You cannot change your own account. Ask another Administrator."


@transaction.atomic
def create_account(*, username: str, role: Role, email: str = "") -> User:
    """Create an account without a password; an invitation sets one.

    Raises ValidationFailed for a name that is taken or invalid.
    """
    if not _USERNAME.fullmatch(username):
        raise ValidationFailed(username="must be lowercase letters, digits, dots and hyphens")
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, email, is_staff=True)
    except IntegrityError:
        raise ValidationFailed(username="is taken") from None
    give_roles(user, frozenset({role}))
    return user


@transaction.atomic
def create_from_server(*, username: str, role: Role, email: str, now: datetime) -> User:
    """Create an account from the server's command line; every Administrator is notified.

    If there is an e-mail address, the invitation is sent to it. Raises as `create_account`.
    """
    user = create_account(username=username, role=role, email=email)
    if email:
        plan_invitation(user, now=now)
    server = Staff(user_id=0, username=SERVER, roles=frozenset())
    record = AuditRecord(after={"roles": role.value})
    action = AuditAction("create staff", Right.STAFF, "staff", username)
    append_entry(staff=server, action=action, record=record, now=now)
    tell_administrators(
        subject="an account was created on the server",
        text=f"{username} is now {role.value}. If none of you knows about this, close the account.",
        about=invitation_id(user),
        now=now,
    )
    return user


def add_colleague(instruction: Instruction, caller: Caller, now: datetime) -> None:
    """Create the account, and invite the colleague by e-mail."""
    user = create_account(
        username=instruction.subject_id,
        role=Role(instruction.arguments["roles"]),
        email=instruction.arguments["email"],
    )
    plan_invitation(user, now=now)


def set_roles(instruction: Instruction, caller: Caller, now: datetime) -> None:
    """Set a colleague's roles to exactly these."""
    names = instruction.arguments["roles"].split(", ")
    give_roles(_account_of(instruction), frozenset(Role(name) for name in names))


def reset_access(instruction: Instruction, caller: Caller, now: datetime) -> None:
    """Remove a colleague's password and second factor, and invite them to choose new ones.

    What a thief of the account may have begun ends, as when it is closed.
    """
    user, email = _account_of(instruction), instruction.arguments["email"]
    if user.email not in ("", email):
        plan_change_notice(user, now=now)
    user.set_unusable_password()
    user.email = email
    user.save(update_fields=["password", "email"])
    remove_second_factor(user)
    reset_attempts(username=user.username)
    plan_invitation(user, now=now)
    asked_by = instruction.asked_by
    if ended := _end_begun(user, RESET, user_id=asked_by.pk, now=now):
        action = AuditAction("end what was begun", Right.STAFF, "staff", user.username)
        staff = Staff(asked_by.pk, asked_by.get_username(), roles_of(asked_by))
        append_entry(staff=staff, action=action, record=AuditRecord(after=ended), now=now)


def reopen_account(instruction: Instruction, caller: Caller, now: datetime) -> None:
    """Reopen a colleague's closed account, for a new sign-in only.

    An old session may be in other hands, which is what accounts are closed for.
    """
    user = _account_of(instruction)
    user.is_active = True
    user.save(update_fields=["is_active"])
    end_sessions(user.pk)


def close_account(*, staff: Staff, user_id: int, reason: str, now: datetime) -> None:
    """Close a colleague's account at once, with what it has begun and others could still finish.

    Its requests that wait are declined, and the invitations in which it had a part are withdrawn.
    Raises AccountNotEligible for one's own account.

    If it is an Administrator's, all Administrators are notified, including that one: otherwise a
    sole remaining Administrator could break the glass unnoticed.
    """
    user = _colleague(pk=user_id)
    action = AuditAction(CLOSE, Right.STAFF, "staff", user.username, reason=reason)
    with audited(staff=staff, action=action, now=now) as record:
        if user.pk == staff.user_id:
            raise AccountNotEligible(_OWN)
        lock_accounts(Q(pk=user.pk) | let_in_by(user.username))
        if Role.ADMINISTRATOR in roles_of(user):
            tell_administrators(
                subject="an Administrator's account was closed",
                text=f"{staff.username} has closed the account of {user.username}: {reason}",
                about=invitation_id(user),
                now=now,
            )
        record.before = {"is_active": user.is_active}
        user.is_active = False
        user.save(update_fields=["is_active"])
        ended = _end_begun(user, CLOSED, user_id=staff.user_id, now=now)
        record.after = {"is_active": False} | ended


def lift_lockout(*, staff: Staff, user_id: int, reason: str, now: datetime) -> None:
    """Let a colleague try again after too many wrong passwords."""
    user = _colleague(pk=user_id)
    action = AuditAction("lift lock-out", Right.STAFF, "staff", user.username, reason=reason)
    with audited(staff=staff, action=action, now=now) as record:
        record.after = {"attempts_forgotten": reset_attempts(username=user.username)}


def give_roles(user: User, roles: frozenset[Role]) -> None:
    """Put an account into the groups of these roles, and out of all others."""
    note_administrator(user)
    groups = [Group.objects.get_or_create(name=role.value)[0] for role in sorted(roles)]
    user.groups.set(groups)
    if user.is_superuser:  # would be an Administrator whatever the groups say
        user.is_superuser = False
        user.save(update_fields=["is_superuser"])


def _end_begun(user: User, note: str, *, user_id: int, now: datetime) -> dict[str, Any]:
    """End what an account has begun and others could finish; return what it was.

    Its requests that wait are declined, as the doing of `user_id`, the invitations withdrawn, and
    what it resends in the background stopped. That comes last: it writes to the audit trail.
    """
    waiting = Instruction.objects.filter(asked_by=user, status=InstructionStatus.WAITING)
    locked = list(waiting.select_for_update().order_by("pk"))
    for instruction in locked:
        instruction.decision_note = note
        instruction.transition_to(InstructionStatus.DECLINED, now=now, user_id=user_id)
    ended = {
        "requests_declined": ", ".join(instruction.pk for instruction in locked),
        "invitations_withdrawn": ", ".join(withdraw_invitations(user)),
        "resending_stopped": ", ".join(stop_runs(user, now=now)),
    }
    return {name: what for name, what in ended.items() if what}


def _account_of(instruction: Instruction) -> User:
    """Return the account concerned. Raises AccountNotEligible for one's own or no account."""
    if instruction.subject_id == instruction.asked_by.get_username():
        raise AccountNotEligible(_OWN)
    return _colleague(username=instruction.subject_id)


def _colleague(**named: Any) -> User:
    user = User.objects.filter(**named, is_staff=True).first()
    if user is None:
        raise AccountNotEligible(user="is not staff")
    return user


DEVELOPMENT_CHARACTERS = 12


def development_logins() -> dict[str, str]:
    """Return the names and passwords of the accounts for development.

    They are the same at every start of one installation, and differ between installations.
    """
    key = settings.SECRET_KEY.encode()
    logins = {}
    for role in Role:
        digest = hmac.new(key, f"development staff {role.value}".encode(), hashlib.sha256).digest()
        password = base64.b32encode(digest).decode().lower()[:DEVELOPMENT_CHARACTERS]
        logins[role.value.lower()] = password
    return logins


@transaction.atomic
def development_account(role: Role, password: str) -> str:
    """Create or renew the development account of a role; return its name.

    Raises AccountNotEligible if the name belongs to someone.
    """
    username = role.value.lower()
    user, made = User.objects.get_or_create(username=username, defaults={"is_staff": True})
    if not made and not StaffAccount.objects.filter(user=user, development_only=True).exists():
        raise AccountNotEligible(username=f"{username} belongs to someone")
    StaffAccount.objects.get_or_create(user=user, defaults={"development_only": True})
    if not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])
    Authenticator.objects.get_or_create(user=user, name=AUTHENTICATOR, confirmed=True)
    give_roles(user, frozenset({role}))
    return username
