"""What staff change about their own sign-in: recorded, and told to their own address.

A thief with an unlocked desk, or with the link of an invitation, would otherwise add a factor of
their own unnoticed.
"""

from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction

from backoffice.audit import append_own
from backoffice.services.administrators import mail_staff
from backoffice.services.invitations import invitation_id
from backoffice.staff import Staff
from core.attempt_limits import AttemptLimit, count_within_all
from core.clock import request_now

KIND = "staff_factor"
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
            KIND,
            user.email,
            about=invitation_id(user),
            subject="your back office account",
            text=f"{text}\n\n{NOT_YOU}",
            now=now,
        )
