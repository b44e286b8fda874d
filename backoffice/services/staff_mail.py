"""What staff are told by e-mail: alarms, invitations, and changes of their own sign-in.

A new colleague, or one whose access was reset, chooses a password through a personal link. The link
is made when its e-mail is written, so that no row contains it and no colleague sees it. It ends
with the password that it sets, because its signature covers the previous one.

What staff change about their own sign-in is recorded, and told to their own address: a thief with
an unlocked desk, or with the link of an invitation, would otherwise add a factor unnoticed.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.db import transaction
from django.db.models import Model, Q, QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from backoffice.audit import append_own
from backoffice.models import Instruction, StaffAccount
from backoffice.roles import InstructionKind, Role
from backoffice.staff import Staff
from backoffice.statuses import InstructionStatus
from core.attempt_limits import AttemptLimit, count_within_all
from core.clock import request_now
from core.durations import in_words
from core.ids import new_id
from messages.content import Content
from messages.models import Channel, Message
from messages.planning import plan_message

ALARM = "staff_alarm"
INVITATION = "staff_invitation"
FACTOR_CHANGED = "staff_factor"
TOLD_OF_COPY = AttemptLimit("staff-passkey-copy", 1, timedelta(days=1))
# By act, as in the audit trail.
CHANGES = {
    "add passkey of staff": "A passkey was added",
    "remove passkey of staff": "A passkey was removed",
    "set up two-factor": "An authenticator app was set up",
    "new recovery codes": "New recovery codes were made, and the old ones have ended",
    "choose password": "A password was chosen",
    "change password": "The password was changed",
}
NOT_YOU = (
    "If that was not you, tell an Administrator at once: they close the account, or reset its"
    " access."
)
_PREFIX = "usr_"
_HAS_ROLE = Q(groups__name=Role.ADMINISTRATOR.value) | Q(is_superuser=True)


def is_first_of_staff(user_id: int) -> bool:
    """Return whether no one else is or was an Administrator, or has ever signed in.

    Closed and demoted accounts count: closing or demoting the others must not leave one person
    alone in charge.
    """
    was_there = Q(staff_account__was_administrator=True) | Q(last_login__isnull=False)
    others = User.objects.filter(_HAS_ROLE | was_there)
    return not _real_staff(others).exclude(pk=user_id).exists()


def note_administrator(user: User) -> None:
    """Record permanently, before roles change, if an account is an Administrator's."""
    if User.objects.filter(_HAS_ROLE, pk=user.pk).exists():
        StaffAccount.objects.update_or_create(user=user, defaults={"was_administrator": True})


def tell_administrators(*, subject: str, text: str, about: str, now: datetime) -> str:
    """Plan an e-mail to each Administrator who has an address; if fewer than two, to all staff.

    Otherwise a sole Administrator would be the only one to learn of their own actions. Returns whom
    it was sent to, in words.
    """
    staff = _real_staff(User.objects.filter(is_active=True)).exclude(email="").distinct()
    administrators = staff.filter(_HAS_ROLE)
    is_to_administrators = administrators.count() > 1
    recipients = administrators if is_to_administrators else staff
    emails = list(recipients.order_by("pk").values_list("email", flat=True))
    for email in emails:
        mail_staff(ALARM, email, about=about, subject=subject, text=text, now=now)
    if not emails:
        return "no one, for want of an e-mail address"
    return "all Administrators" if is_to_administrators else "all staff"


def mail_staff(
    kind: str, recipient: str, *, about: str, subject: str, text: str, now: datetime
) -> None:
    """Plan an e-mail to a member of staff."""
    plan_message(
        channel=Channel.EMAIL,
        kind=kind,
        recipient=recipient,
        about=about,
        livemode=True,
        subject=f"{settings.SERVICE_NAME}: {subject}",
        text=text,
        now=now,
    )


def staff_url(path: str) -> str:
    """Return the absolute URL of a page of the back office."""
    scheme, _, host = settings.BASE_URL.partition("://")
    return f"{scheme}://{settings.ADMIN_HOST or host}{path}"


def url_of(row: Model) -> str:
    """Return the absolute URL of the page about a row."""
    meta = row._meta
    return staff_url(f"/admin/{meta.app_label}/{meta.model_name}/{row.pk}/change/")


def _real_staff(users: "QuerySet[User]") -> "QuerySet[User]":
    return users.filter(is_staff=True).exclude(staff_account__development_only=True)


class InvitationTokens(PasswordResetTokenGenerator):
    """Django's password reset tokens, with a salt of their own."""

    key_salt = "backoffice.invitations"


invitation_tokens = InvitationTokens()


def plan_invitation(user: User, *, now: datetime) -> None:
    """Plan the e-mail with the link to choose a password."""
    plan_message(
        channel=Channel.EMAIL,
        kind=INVITATION,
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
        f"{INVITATION}_moved",
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


def record_change_of_factor(*, staff: Staff, act: str) -> None:
    """Record one of `CHANGES`, and plan the e-mail to its owner, if there is an address.

    In the transaction of the change, at its end: the end of the audit trail is locked last.
    """
    user = User.objects.get(pk=staff.user_id)
    text = f"{CHANGES[act]} for your account, {user.get_username()}, from {staff.address}."
    _mail(user, text, request_now())
    append_own(staff=staff, act=act)


@transaction.atomic
def tell_of_copied_passkey(user: User, passkey_id: int, *, now: datetime) -> None:
    """E-mail the owner of a passkey whose count fell, once a day."""
    if count_within_all([(TOLD_OF_COPY, str(passkey_id))], now=now):
        name = user.get_username()
        text = f"A passkey of your account, {name}, was refused: there may be a copy of it."
        _mail(user, text, now)


def _mail(user: User, text: str, now: datetime) -> None:
    if user.email:
        mail_staff(
            FACTOR_CHANGED,
            user.email,
            about=invitation_id(user),
            subject="your back office account",
            text=f"{text}\n\n{NOT_YOU}",
            now=now,
        )
