"""Compare and replace passwords of staff; a password is replaced only if it is still the one read.

Hashing takes long, and an Administrator may close or reset the account in the meantime, or withdraw
its invitation, which takes the e-mail address.
"""

from django.contrib.auth.hashers import check_password
from django.contrib.auth.models import User
from django.db.models import QuerySet


def is_password(user: User, password: str) -> bool:
    """Return whether it is the user's password; an outdated hash is replaced.

    Django's own check would overwrite whatever is stored by then: a password that was removed in
    the meantime would be back.
    """
    read = user.password

    def renew(password: str) -> None:
        user.set_password(password)
        if not replace_password(user, read):
            user.password = read

    return check_password(password, read, renew)


def replace_password(user: User, read: str) -> bool:
    """Store the hash that `user` has now, if the account is still as it was read."""
    return bool(_as_read(user, read).update(password=user.password))


def lock_account(user: User) -> bool:
    """Lock an account; return whether it is open, with the password and address that were read."""
    return _as_read(user, user.password).select_for_update(no_key=True).exists()


def _as_read(user: User, read: str) -> QuerySet[User]:
    return User.objects.filter(pk=user.pk, is_active=True, password=read, email=user.email)
