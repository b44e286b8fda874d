"""A new colleague, or one whose access was reset, chooses a password through a personal link.

The link is made when its e-mail is written, so that no row contains it and no colleague sees it. It
ends with the password that it sets, because its signature covers the previous one.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db.models import Q
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from backoffice.models import Instruction
from backoffice.roles import InstructionKind
from backoffice.services.administrators import mail_staff, staff_url
from backoffice.statuses import InstructionStatus
from core.durations import in_words
from core.ids import new_id
from messages.content import Content
from messages.models import Channel, Message
from messages.planning import plan_message

KIND = "staff_invitation"
_PREFIX = "usr_"


class InvitationTokens(PasswordResetTokenGenerator):
    """Django's password reset tokens, with a salt of their own."""

    key_salt = "backoffice.invitations"


invitation_tokens = InvitationTokens()


def plan_invitation(user: User, *, now: datetime) -> None:
    """Plan the e-mail with the link to choose a password."""
    plan_message(
        channel=Channel.EMAIL,
        kind=KIND,
        recipient=user.email,
        about=invitation_id(user),
        livemode=True,
        key=new_id("inv", now),
        now=now,
    )


def let_in_by(username: str) -> Q:
    """Return the condition that an account was let in at the request of this one, or with it."""
    let_in = Instruction.objects.filter(
        Q(asked_by__username=username) | Q(decided_by__username=username),
        kind=InstructionKind.STAFF,
        status=InstructionStatus.CARRIED_OUT,
    )
    return Q(username__in=let_in.values("subject_id"))


def withdraw_invitations(sponsor: User) -> list[str]:
    """Withdraw those that an account has requested or approved; return whose they were.

    Without the address the link is invalid, and an e-mail that is not written yet has no recipient.
    The accounts are locked.
    """
    users = User.objects.filter(let_in_by(sponsor.get_username())).exclude(email="")
    invited = [user for user in users.order_by("username") if not user.has_usable_password()]
    User.objects.filter(pk__in=[user.pk for user in invited]).update(email="")
    return [user.username for user in invited]


def plan_change_notice(user: User, *, now: datetime) -> None:
    """Notify the current address of an account that access is moving to another address."""
    mail_staff(
        f"{KIND}_moved",
        user.email,
        about=invitation_id(user),
        subject="your back office account",
        text="Your password and second factor were removed, and the link to new ones went to"
        " another address. If you did not ask for this, tell an Administrator at once.",
        now=now,
    )


def write(message: Message, now: datetime) -> Content | None:
    """Write the e-mail; None if the account is closed, or has a password or another address."""
    user = User.objects.get(pk=message.about.removeprefix(_PREFIX))
    if not user.is_active or user.has_usable_password() or user.email != message.recipient:
        return None
    context = {
        "url": invitation_url(user),
        "username": user.username,
        "lifetime": in_words(timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)),
        "service_name": settings.SERVICE_NAME,
    }
    return Content(
        subject=f"{settings.SERVICE_NAME}: your back office account",
        text=render_to_string("admin/backoffice/invitation.txt", context),
    )


def invitation_id(user: User) -> str:
    """Return the id under which messages about an account are kept."""
    return f"{_PREFIX}{user.pk}"


def invitation_url(user: User) -> str:
    """Return the URL at which an account without a password chooses one."""
    code = urlsafe_base64_encode(force_bytes(user.pk))
    return staff_url(reverse("admin:invitation", args=[code, invitation_tokens.make_token(user)]))
