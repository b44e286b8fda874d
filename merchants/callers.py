"""The caller of a request or a command: which merchant's rows it reaches, and in which mode."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from rest_framework.request import Request

from core.errors import ValidationFailed
from merchants.access import EVERYTHING, allows, needed_scope
from merchants.errors import InsufficientScope
from merchants.models import Merchant

DEVELOPMENT = "development"
VISITOR = "visitor"  # no caller: anyone who has the address of a page


@dataclass(frozen=True)
class Caller:
    """Whose request this is. Without a merchant it reaches nothing, whatever the mode.

    Two kinds of caller reach every merchant's rows, and must be asked for by name: `for_staff` and
    `for_development`. Leaving something out never makes one.
    """

    merchant: Merchant | None
    livemode: bool
    actor: str
    sees_every_merchant: bool = False
    scopes: str = EVERYTHING

    @classmethod
    def for_staff(cls, *, livemode: bool, actor: str) -> Self:
        """Return a caller that reaches every merchant's rows of one mode: staff, or their tools."""
        return cls(None, livemode, actor, sees_every_merchant=True)

    @classmethod
    def for_development(cls) -> Self:
        """Return a caller that reaches every merchant's test rows: development, none named."""
        return cls(None, livemode=False, actor=DEVELOPMENT, sees_every_merchant=True)

    def refuse_out_of_scope(self, resource: str, *, writes: bool) -> None:
        """Raise InsufficientScope if the caller's key may not do this."""
        if not allows(self.scopes, resource, writes=writes):
            raise InsufficientScope(f"needs the scope {needed_scope(resource, writes=writes)}")

    def may_write(self, resource: str) -> bool:
        """Return whether the caller's key may change a resource, not only read it."""
        return allows(self.scopes, resource, writes=True)

    @property
    def merchant_id(self) -> str | None:
        return None if self.merchant is None else self.merchant.id

    @property
    def owner(self) -> Merchant:
        """The merchant that something new will belong to. Raises ValidationFailed without one."""
        return self.owner_named("merchant_id")

    def owner_named(self, field: str) -> Merchant:
        """Return the owner, whom this operation's callers without a key name by that field."""
        if self.merchant is None:
            raise ValidationFailed(**{field: "is required without an API key"})
        return self.merchant


if TYPE_CHECKING:

    class CallerRequest(Request):
        """A request that has passed `ApiKeyAuthentication`."""

        @property  # type: ignore[override]  # the stub knows Django's users only
        def user(self) -> Caller: ...
        @user.setter
        def user(self, value: Any) -> None: ...

else:
    CallerRequest = Request
