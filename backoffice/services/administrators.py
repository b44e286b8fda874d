"""Those who manage staff: whether there is a second one, and how all of them are told."""

from datetime import datetime

from django.conf import settings
from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from backoffice.roles import Role
from messages.models import Channel
from messages.planning import plan_message

KIND = "staff_alarm"


def is_only_administrator(user_id: int) -> bool:
    """Return whether no one else is an Administrator, nor was one when their account was closed.

    A closed account counts: to close the others' must not leave one person alone in charge.
    """
    return not _administrators().exclude(pk=user_id).exists()


def tell_administrators(*, subject: str, text: str, about: str, now: datetime) -> None:
    """Plan an e-mail to each Administrator who has an address."""
    reachable = _administrators().filter(is_active=True).exclude(email="")
    for email in reachable.order_by("pk").values_list("email", flat=True):
        plan_message(
            channel=Channel.EMAIL,
            kind=KIND,
            recipient=email,
            about=about,
            livemode=True,
            subject=f"{settings.SERVICE_NAME}: {subject}",
            text=text,
            now=now,
        )


def staff_url(path: str) -> str:
    """Return the absolute address of a page of staff."""
    scheme, _, host = settings.BASE_URL.partition("://")
    return f"{scheme}://{settings.ADMIN_HOST or host}{path}"


def _administrators() -> "QuerySet[User]":
    chosen = Q(groups__name=Role.ADMINISTRATOR.value) | Q(is_superuser=True)
    everyone = User.objects.filter(chosen, is_staff=True).distinct()
    return everyone.exclude(staff_account__development_only=True)
