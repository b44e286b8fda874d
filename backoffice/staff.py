"""A member of staff at work: who, in which roles, and from where."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser, User
from django.db.models import Q
from django.http import HttpRequest

from backoffice.models import StaffAccount
from backoffice.roles import REQUEST_RIGHTS, RIGHTS, Right, Role
from core.client_address import client_address
from merchants.callers import Caller

USERNAME_CHARACTERS = 64  # what the records of a payment have room for, after "staff:"


@dataclass(frozen=True)
class Staff:
    """A member of staff who acts. `address` and `request_id` identify the request.

    `password` is the hash stored when the request began: like a session, it ends when that changes.
    """

    user_id: int
    username: str
    roles: frozenset[Role]
    address: str = ""
    request_id: str = ""
    password: str = field(default="", repr=False)

    @property
    def actor(self) -> str:
        """The name under which payments, refunds and payouts record it."""
        return f"staff:{self.username}"

    def may(self, right: Right) -> bool:
        return any(right in RIGHTS[role] for role in self.roles)

    def caller(self, *, livemode: bool) -> Caller:
        """Return a caller for the other rooms' services: of every merchant, in one mode."""
        return Caller.for_staff(livemode=livemode, actor=self.actor)


def roles_of(user: User) -> frozenset[Role]:
    """Return the roles of an active member of staff. A superuser is just an Administrator.

    Accounts for development have none in any other mode, however they got into the database.
    """
    if not (user.is_active and user.is_staff) or _is_out_of_place(user):
        return frozenset()
    if user.is_superuser:
        return frozenset({Role.ADMINISTRATOR})
    return known_roles(group.name for group in user.groups.all())


def rights_of(user: User) -> frozenset[Right]:
    """Return the rights of an account; a closed one has none."""
    return frozenset(right for role in roles_of(user) for right in RIGHTS[role])


def roles_now(staff: Staff) -> frozenset[Role]:
    """Return the current roles, in one statement; none if another password has been set."""
    account = User.objects.filter(
        pk=staff.user_id, password=staff.password, is_active=True, is_staff=True
    )
    rows = list(account.values_list("is_superuser", "groups__name"))
    if any(is_superuser for is_superuser, _ in rows):
        return frozenset({Role.ADMINISTRATOR})
    return known_roles(name for _, name in rows if name)


def _is_out_of_place(user: User) -> bool:
    account = None if settings.DEVELOPMENT_MODE else account_of(user)
    return account is not None and account.development_only


def account_of(user: AbstractBaseUser | AnonymousUser) -> StaffAccount | None:
    """Return what is known of a member of staff beside the login, read once per object."""
    return getattr(user, "staff_account", None)


def known_roles(names: Iterable[str]) -> frozenset[Role]:
    """Return the roles among the names of groups."""
    roles = {role.value: role for role in Role}
    return frozenset(roles[name] for name in names if name in roles)


def staff_of(request: HttpRequest) -> Staff:
    """Return who sends a request; without any role before the sign-in."""
    cached: Staff | None = getattr(request, "_staff", None)
    if cached is None:
        cached = _read(request.user, request)
        request._staff = cached  # type: ignore[attr-defined]  # one look-up per request
    return cached


def _read(user: AbstractBaseUser | AnonymousUser, request: HttpRequest) -> Staff:
    known = user if isinstance(user, User) else None
    meta: dict[str, Any] = request.META
    return Staff(
        user_id=known.pk if known else 0,
        username=known.get_username() if known else "",
        roles=roles_of(known) if known else frozenset(),
        address=client_address(request),
        request_id=meta.get("HTTP_X_REQUEST_ID", ""),
        password=known.password if known else "",
    )


def tasks_hidden_from(staff: Staff) -> list[str]:
    """Return the tasks whose requests a member of staff may not see."""
    return [task for task, right in REQUEST_RIGHTS.items() if not staff.may(right)]


def lock_accounts(people: Q) -> None:
    """Lock these accounts until the transaction ends, in one order for all."""
    locked = User.objects.select_for_update(no_key=True, of=("self",)).filter(people)
    list(locked.order_by("pk").values_list("pk"))
