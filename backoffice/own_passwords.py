"""The password of a member of staff: compared, and replaced only where none has come meanwhile.

A hash takes long; an Administrator may close or reset the account in that time.
"""

from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User
from django.db.models import QuerySet


def is_password(user: User, password: str) -> bool:
    """Return whether it is the user's password; a hash of an older kind is written anew.

    In place of Django's own way, which writes it over whatever stands there by then: a password
    that was taken away would be back.
    """
    read = user.password

    def renew(password: str) -> None:
        user.set_password(password)
        if not replace_password(user, read):
            user.password = read

    return check_password(password, read, renew)


def replace_password(user: User, read: str) -> bool:
    """Write the hash that `user` has by now, where the one that was read still stands."""
    return bool(_as_read(user, read).update(password=user.password))


def lock_account(user: User) -> bool:
    """Lock an account; return whether it is open, with the password of when it was read."""
    return _as_read(user, user.password).select_for_update(no_key=True).exists()


def _as_read(user: User, read: str) -> QuerySet[User]:
    return User.objects.filter(pk=user.pk, is_active=True, password=read)
