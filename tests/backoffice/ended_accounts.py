"""What ends the rights of someone at work: the account is closed or reset, or loses a role."""

from collections.abc import Callable

from django.contrib.auth.models import User

from backoffice.audit import AuditAction, audited
from backoffice.models import Instruction
from backoffice.roles import Right, Role
from backoffice.services.accounts import close_account, give_roles, reset_access
from backoffice.staff import Staff
from core.clock import utc_now
from tests.backoffice.conftest import staff_as

End = Callable[[Staff], None]


def close(staff: Staff) -> None:
    by = staff_as(Role.ADMINISTRATOR, "admin")
    close_account(staff=by, user_id=staff.user_id, reason="Stolen", now=utc_now())


def demote(staff: Staff) -> None:
    """To a role that may refund, too, but less of it alone."""
    give_roles(User.objects.get(pk=staff.user_id), frozenset({Role.SUPPORT}))


def reset(staff: Staff) -> None:
    """Take password and second factor away, as two Administrators agree: the roles stay."""
    by, email = staff_as(Role.ADMINISTRATOR, "admin"), "mallory@example.com"
    instruction = Instruction(
        subject_id=staff.username, arguments={"email": email}, asked_by_id=by.user_id
    )
    action = AuditAction("approve", Right.APPROVE, "instruction", "", note="Stolen")
    with audited(staff=by, action=action, now=utc_now()):
        reset_access(instruction, by.caller(livemode=True), utc_now())
