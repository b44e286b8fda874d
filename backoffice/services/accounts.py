"""The accounts of staff: created, given roles, closed; never one's own account."""

import base64
import hashlib
import hmac
import re
from datetime import datetime, timedelta

from axes.utils import reset as reset_attempts
from django.conf import settings
from django.contrib.auth.models import Group, User
from django.db import IntegrityError, transaction

from backoffice.audit import AuditAction, audited
from backoffice.authenticators import Authenticator
from backoffice.errors import AccountNotEligible, IndependentApproverRequired
from backoffice.models import AuditEntry, AuditOutcome, StaffAccount
from backoffice.roles import Right, Role
from backoffice.services.two_factor import AUTHENTICATOR, remove_second_factor
from backoffice.staff import USERNAME_CHARACTERS, Staff
from core.errors import ValidationFailed
from core.ids import random_base62

FIRST_PASSWORD_CHARACTERS = 20
DEVELOPMENT_CHARACTERS = 12
# What gives the one who did it access to the account: a known password, or chosen roles.
ACCESS_GRANTING = ("add staff", "set roles", "reset access", "reopen account")
COOLING_OFF = timedelta(days=1)
_USERNAME = re.compile(rf"[a-z][a-z0-9.-]{{1,{USERNAME_CHARACTERS - 1}}}")


@transaction.atomic
def create_account(*, username: str, role: Role, email: str = "") -> str:
    """Make an account and return its first password, which has to be changed at once.

    Raises ValidationFailed for a name that is taken or cannot be one.
    """
    if not _USERNAME.fullmatch(username):
        raise ValidationFailed(username="must be lowercase letters, digits, dots and hyphens")
    password = random_base62(FIRST_PASSWORD_CHARACTERS)
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, email, password, is_staff=True)
    except IntegrityError:
        raise ValidationFailed(username="is taken") from None
    StaffAccount.objects.create(user=user, must_change_password=True)
    _give_roles(user, frozenset({role}))
    return password


def development_logins() -> dict[str, str]:
    """Return the names and passwords of the accounts for development.

    The same at every start of one installation, and others in the next.
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
    """Make or renew the account of a role that only development mode lets in; return its name.

    Raises AccountNotEligible where the name belongs to someone.
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
    _give_roles(user, frozenset({role}))
    return username


def add_staff(*, staff: Staff, username: str, role: Role, email: str, now: datetime) -> str:
    """Make an account for a colleague; return its first password. Raises as create_account does."""
    action = _action("add staff", username[:USERNAME_CHARACTERS])
    with audited(staff=staff, action=action, now=now) as record:
        password = create_account(username=username, role=role, email=email)
        record.after = {"role": role.value}
    return password


def set_roles(
    *, staff: Staff, user_id: int, roles: frozenset[Role], reason: str, now: datetime
) -> None:
    """Set a colleague's roles. Raises AccountNotEligible for one's own account."""
    user = _colleague(staff, user_id)
    with audited(
        staff=staff, action=_action("set roles", user.username, reason), now=now
    ) as record:
        _refuse_own(staff, user)
        before = sorted(user.groups.values_list("name", flat=True))
        _give_roles(user, roles)
        record.before, record.after = {"roles": ", ".join(before)}, {"roles": _words(roles)}


def close_account(*, staff: Staff, user_id: int, reason: str, now: datetime) -> None:
    """Let a colleague in no more, at once. Raises AccountNotEligible for one's own account."""
    _set_active(staff, user_id, "close account", reason, active=False, now=now)


def reopen_account(*, staff: Staff, user_id: int, reason: str, now: datetime) -> None:
    """Let a colleague in again. Raises AccountNotEligible for one's own account."""
    _set_active(staff, user_id, "reopen account", reason, active=True, now=now)


def reset_access(*, staff: Staff, user_id: int, reason: str, now: datetime) -> str:
    """Give a colleague a new first password and no second factor; return the password.

    Raises AccountNotEligible for one's own account.
    """
    user = _colleague(staff, user_id)
    with audited(staff=staff, action=_action("reset access", user.username, reason), now=now):
        _refuse_own(staff, user)
        password = random_base62(FIRST_PASSWORD_CHARACTERS)
        user.set_password(password)
        user.save(update_fields=["password"])
        remove_second_factor(user)
        StaffAccount.objects.update_or_create(user=user, defaults={"must_change_password": True})
        reset_attempts(username=user.username)
    return password


def lift_lockout(*, staff: Staff, user_id: int, reason: str, now: datetime) -> None:
    """Let a colleague try again who has entered too many wrong passwords."""
    user = _colleague(staff, user_id)
    with audited(
        staff=staff, action=_action("lift lock-out", user.username, reason), now=now
    ) as made:
        made.after = {"attempts_forgotten": reset_attempts(username=user.username)}


def refuse_dependent_approver(*, asked_by: User, decides: Staff, now: datetime) -> None:
    """Refuse as a second person whom the first one has let in, and who was let in just now.

    An Administrator could otherwise make a colleague up, and agree with themselves through it.
    Raises IndependentApproverRequired.
    """
    let_in = AuditEntry.objects.filter(
        act__in=ACCESS_GRANTING, outcome=AuditOutcome.DONE, subject_type="staff"
    )
    first, second = asked_by.get_username(), decides.username
    for one, other in ((first, second), (second, first)):
        if let_in.filter(subject_id=one, actor=other).exists():
            raise IndependentApproverRequired(
                f"{other} has let {one} in: a third person must decide."
            )
    if let_in.filter(subject_id=second, at__gt=now - COOLING_OFF).exists():
        raise IndependentApproverRequired("Your account was changed today: decide tomorrow.")


def _set_active(
    staff: Staff, user_id: int, act: str, reason: str, *, active: bool, now: datetime
) -> None:
    user = _colleague(staff, user_id)
    with audited(staff=staff, action=_action(act, user.username, reason), now=now) as record:
        _refuse_own(staff, user)
        record.before = _activity(user)
        user.is_active = active
        user.save(update_fields=["is_active"])
        record.after = _activity(user)


def _colleague(staff: Staff, user_id: int) -> User:
    user = User.objects.filter(pk=user_id, is_staff=True).first()
    if user is None:
        raise AccountNotEligible(user="is not staff")
    return user


def _refuse_own(staff: Staff, user: User) -> None:
    if user.pk == staff.user_id:
        raise AccountNotEligible("You cannot change your own account. Ask another Administrator.")


def _give_roles(user: User, roles: frozenset[Role]) -> None:
    groups = [Group.objects.get_or_create(name=role.value)[0] for role in sorted(roles)]
    user.groups.set(groups)
    if user.is_superuser:  # would be an Administrator whatever the groups say
        user.is_superuser = False
        user.save(update_fields=["is_superuser"])


def _activity(user: User) -> dict[str, bool]:
    return {"is_active": user.is_active}


def _words(roles: frozenset[Role]) -> str:
    return ", ".join(sorted(role.value for role in roles))


def _action(act: str, username: str, reason: str = "") -> AuditAction:
    return AuditAction(
        act=act, right=Right.STAFF, subject_type="staff", subject_id=username, reason=reason
    )
