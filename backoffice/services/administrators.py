"""The Administrators: whether there has ever been a second one, and how they are notified."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Model, Q, QuerySet

from backoffice.models import StaffAccount
from backoffice.roles import Role
from messages.models import Channel
from messages.planning import plan_message

KIND = "staff_alarm"
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
        mail_staff(KIND, email, about=about, subject=subject, text=text, now=now)
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
