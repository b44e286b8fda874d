"""What staff change about their own sign-in: recorded, and told to their own address.

A thief with an unlocked desk, or with the link of an invitation, would otherwise add a factor of
their own unnoticed.
"""

from django.contrib.auth.models import User

from backoffice.audit import append_own
from backoffice.services.administrators import mail_staff
from backoffice.services.invitations import invitation_id
from backoffice.staff import Staff
from core.clock import request_now

KIND = "staff_factor"
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
    if user.email:
        name = user.get_username()
        mail_staff(
            KIND,
            user.email,
            about=invitation_id(user),
            subject="your back office account",
            text=f"{CHANGES[act]} for your account, {name}, from {staff.address}.\n\n{NOT_YOU}",
            now=request_now(),
        )
    append_own(staff=staff, act=act)
