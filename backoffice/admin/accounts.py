"""The accounts of staff. No password, hash or second factor is ever shown."""

from typing import Any

from django import forms
from django.contrib.auth.models import User
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from backoffice.actions import Action, ActionContext, ActionResult
from backoffice.admin.office import OfficeAdmin
from backoffice.authenticators import Authenticator
from backoffice.forms import ActionForm, EmailField, ReasonForm, SelectField, TextInputField
from backoffice.page_parts import Table
from backoffice.resource.display_fields import Badge, Field, Instant
from backoffice.resource.fieldsets import Fieldset
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
    username = TextInputField(
        max_length=64, help_text="Lowercase letters, digits, dots and hyphens."
    )
    email = EmailField(required=False)
    role = SelectField(ROLES)


def _add(context: ActionContext) -> tuple[str, str]:
    username: str = context.data["username"]
    password = add_staff(
        staff=context.staff,
        username=username,
        role=Role(context.data["role"]),
        email=context.data["email"],
        now=context.now,
    )
    return username, password


def _added(made: tuple[str, str]) -> ActionResult:
    username, password = made
    return ActionResult(
        f"The account {username} has been created.",
        secret=password,
        secret_name="The temporary password, to be changed at first sign-in",  # noqa: S106  # a name of one
    )


class RolesForm(ActionForm):
    roles = forms.MultipleChoiceField(
        choices=ROLES, widget=UnfoldAdminCheckboxSelectMultipleWidget()
    )
    reason = TextInputField(max_length=500)

    def prepare(self) -> None:
        self.fields["roles"].initial = [role.value for role in roles_of(self.row)]


def _reset(password: str) -> ActionResult:
    return ActionResult(
        "The second factor has been removed; a new one is set up at the next sign-in.",
        secret=password,
        secret_name="The temporary password",  # noqa: S106  # a name of one
    )


def _action(name: str, title: str, service: Any, message: Any, icon: str, **more: Any) -> Action:
    """Return an action on a colleague's account, by one of the services that need a reason."""
    return Action(
        name=name,
        title=title,
        right=Right.STAFF,
        form=ReasonForm,
        service=lambda context: service(
            staff=context.staff,
            user_id=context.row.pk,
            reason=context.data["reason"],
            now=context.now,
        ),
        message=message,
        icon=icon,
        **more,
    )


ADD = Action(
    name="add",
    title="Add staff",
    right=Right.STAFF,
    form=AccountForm,
    service=_add,
    message=_added,
    icon="person_add",
    main=True,
)
SET_ROLES = Action(
    name="roles",
    title="Set roles",
    right=Right.STAFF,
    form=RolesForm,
    service=lambda context: set_roles(
        staff=context.staff,
        user_id=context.row.pk,
        roles=frozenset(Role(name) for name in context.data["roles"]),
        reason=context.data["reason"],
        now=context.now,
    ),
    message="The roles have been changed, with immediate effect.",
    icon="badge",
    main=True,
)
STAFF_ACTIONS = (
    SET_ROLES,
    _action(
        "lift-lockout",
        "Lift lockout",
        lift_lockout,
        "The lockout has been lifted.",
        "lock_open",
    ),
    _action(
        "reset",
        "Reset access",
        reset_access,
        _reset,
        "restart_alt",
        about="Issues a temporary password and removes the second factor until the next sign-in.",
    ),
    _action(
        "close",
        "Close account",
        close_account,
        "The account is closed.",
        "person_off",
        danger=True,
        available=lambda user, now: user.is_active,
    ),
    _action(
        "reopen",
        "Reopen account",
        reopen_account,
        "The account has been reopened.",
        "person_check",
        available=lambda user, now: not user.is_active,
    ),
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
        Fieldset(
            "Account",
            NAME,
            Field("E-mail", "email"),
            ROLES_HELD,
            STATE,
            Field("Second factor", _second_factor),
            _flag("Must change password", "staff_account.must_change_password"),
            _flag("Only in development", "staff_account.development_only"),
            LAST_SIGN_IN,
        ),
    )
    list_actions = (ADD,)
    row_actions = STAFF_ACTIONS

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).filter(is_staff=True).prefetch_related("groups")

    def heading(self, row: User) -> str:
        return row.username

    def tables(self, row: User) -> list[Table]:
        rights = sorted({right.value for role in roles_of(row) for right in RIGHTS[role]})
        return [Table("May", ("Right",), [(right,) for right in rights])]
