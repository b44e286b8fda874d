"""The accounts for development: one per role, which can sign in in development mode only."""

import base64
import hashlib
import hmac

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from backoffice.authenticators import Authenticator
from backoffice.errors import AccountNotEligible
from backoffice.models import StaffAccount
from backoffice.roles import Role
from backoffice.services.accounts import give_roles
from backoffice.services.two_factor import AUTHENTICATOR

DEVELOPMENT_CHARACTERS = 12


def development_logins() -> dict[str, str]:
    """Return the names and passwords of the accounts for development.

    They are the same at every start of one installation, and differ between installations.
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
    """Create or renew the development account of a role; return its name.

    Raises AccountNotEligible if the name belongs to someone.
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
    give_roles(user, frozenset({role}))
    return username
