"""The accounts of staff. No password, hash or second factor is ever shown."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.office import OfficeAdmin
from backoffice.authenticators import Authenticator
from backoffice.forms import ActionForm, EmailField, ReasonForm, SelectField, TextField
from backoffice.page_parts import Table
from backoffice.resource.fields import Badge, Field, Instant
from backoffice.roles import RIGHTS, Right, Role
from backoffice.services.accounts import (
    add_staff,
    close_account,
    lift_lockout,
    reopen_account,
    reset_access,
    set_roles,
)
from backoffice.staff import roles_of

ROLES = [(role.value, role.value) for role in Role]


class AccountForm(ActionForm):
    username = TextField(max_length=64, help_text="Lowercase letters, digits, dots and hyphens.")
    email = EmailField(required=False)
    role = SelectField(ROLES)


def _add(context: ActionContext) -> ActionResult:
    password = add_staff(
        staff=context.staff,
        username=context.data["username"],
        role=Role(context.data["role"]),
        email=context.data["email"],
        now=context.now,
    )
    return ActionResult(
        f"The account {context.data['username']} is made.",
        secret=password,
        secret_name="The first password, to be changed at once",  # noqa: S106  # a name of one
    )


class RolesForm(ActionForm):
    roles = forms.MultipleChoiceField(
        choices=ROLES, widget=UnfoldAdminCheckboxSelectMultipleWidget()
    )
    reason = TextField(max_length=500)

    def prepare(self) -> None:
        self.fields["roles"].initial = [role.value for role in roles_of(self.row)]


def _set_roles(context: ActionContext) -> ActionResult:
    set_roles(
        staff=context.staff,
        user_id=context.row.pk,
        roles=frozenset(Role(name) for name in context.data["roles"]),
        reason=context.data["reason"],
        now=context.now,
    )
    return ActionResult("The roles are set. They hold from the next click on.")


def _close(context: ActionContext) -> ActionResult:
    close_account(
        staff=context.staff, user_id=context.row.pk, reason=context.data["reason"], now=context.now
    )
    return ActionResult("The account lets nobody in any more.")


def _reopen(context: ActionContext) -> ActionResult:
    reopen_account(
        staff=context.staff, user_id=context.row.pk, reason=context.data["reason"], now=context.now
    )
    return ActionResult("The account is open again.")


def _reset(context: ActionContext) -> ActionResult:
    password = reset_access(
        staff=context.staff, user_id=context.row.pk, reason=context.data["reason"], now=context.now
    )
    return ActionResult(
        "The second factor is forgotten; the next sign-in sets up a new one.",
        secret=password,
        secret_name="The new first password",  # noqa: S106  # a name of one
    )


def _lift(context: ActionContext) -> ActionResult:
    lift_lockout(
        staff=context.staff, user_id=context.row.pk, reason=context.data["reason"], now=context.now
    )
    return ActionResult("The account can be tried again.")


def _act(name: str, title: str, carry_out: Any, icon: str, **more: Any) -> Action:
    return Action(
        name=name,
        title=title,
        right=Right.STAFF,
        form=more.pop("form", ReasonForm),
        carry_out=carry_out,
        icon=icon,
        **more,
    )


def _words(user: User) -> str:
    return ", ".join(sorted(role.value for role in roles_of(user))) or "none"


def _second_factor(user: User) -> str:
    enrolled = Authenticator.objects.filter(user=user, confirmed=True).exists()
    return "set up" if enrolled else "not yet"


def _flag(title: str, source: str) -> Field:
    """Return the field of what is only said where it is so."""
    known = Field(title, source)
    return Field(title, lambda user: "yes" if known.value(user) else "")


NAME, ROLES_HELD = Field("Name", "username"), Field("Roles", _words)
STATE = Badge("State", lambda user: "active" if user.is_active else "off")
LAST_SIGN_IN = Instant("Last sign-in", "last_login", empty="—")


class StaffAdmin(OfficeAdmin):
    ordering = ("username",)
    list_display = (
        NAME,
        ROLES_HELD,
        STATE,
        LAST_SIGN_IN,
    )
    list_select_related = ("staff_account",)
    list_filter = ()
    page = (
        (
            "Account",
            (
                NAME,
                Field("E-mail", "email"),
                ROLES_HELD,
                STATE,
                Field("Second factor", _second_factor),
                _flag("Must change password", "staff_account.must_change_password"),
                _flag("Only in development", "staff_account.development_only"),
                LAST_SIGN_IN,
            ),
        ),
    )
    list_actions = (_act("add", "Add staff", _add, "person_add", form=AccountForm, main=True),)
    row_actions = (
        _act("roles", "Set roles", _set_roles, "badge", form=RolesForm, main=True),
        _act("lift-lockout", "Lift lock-out", _lift, "lock_open"),
        _act(
            "reset",
            "Reset access",
            _reset,
            "restart_alt",
            about="A new first password, and no second factor until the next sign-in.",
        ),
        _act(
            "close",
            "Close account",
            _close,
            "person_off",
            danger=True,
            available=lambda user, now: user.is_active,
        ),
        _act(
            "reopen",
            "Reopen account",
            _reopen,
            "person_check",
            available=lambda user, now: not user.is_active,
        ),
    )

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).filter(is_staff=True).prefetch_related("groups")

    def heading(self, row: User) -> str:
        return row.username

    def tables(self, row: User) -> list[Table]:
        rights = sorted({right.value for role in roles_of(row) for right in RIGHTS[role]})
        return [Table("May", ("Right",), [(right,) for right in rights])]
