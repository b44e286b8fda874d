"""The accounts of staff. No password, hash or second factor is ever shown."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib.auth.models import User
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget

from backoffice.actions import Action
from backoffice.admin.office import OfficeAdmin
from backoffice.admin.submission import instruction_action
from backoffice.audit import last_done
from backoffice.forms import EmailField, ReasonForm, SelectField, TextInputField
from backoffice.page_parts import SupportAnswer, Table
from backoffice.request_answer import done_words
from backoffice.resource.shown import Badge, Field, Instant
from backoffice.roles import Right, Role
from backoffice.services import instruction_kinds
from backoffice.services.accounts import CLOSE, close_account, lift_lockout
from backoffice.services.staff_mail import is_first_of_staff
from backoffice.services.two_factor import second_factors
from backoffice.staff import Staff, rights_of, roles_of

ROLES = [(role.value, role.value) for role in Role]


class StaffForm(ReasonForm):
    """States if a second Administrator is needed."""

    def lines(self) -> list[str]:
        if is_first_of_staff(self.staff.user_id):
            return ["It takes effect at once: no colleague has signed in yet."]
        return ["Another Administrator must approve this."]


class AccountForm(StaffForm):
    username = TextInputField(
        max_length=64, help_text="Lowercase letters, digits, dots and hyphens."
    )
    email = EmailField(help_text="Where the link goes by which they choose their password.")
    role = SelectField(ROLES)


class RolesForm(StaffForm):
    roles = forms.MultipleChoiceField(
        choices=ROLES, widget=UnfoldAdminCheckboxSelectMultipleWidget()
    )

    def prepare(self) -> None:
        self.fields["roles"].initial = [role.value for role in roles_of(self.row)]

    def clean_roles(self) -> str:
        return ", ".join(sorted(self.cleaned_data["roles"]))


class ResetForm(StaffForm):
    email = EmailField(help_text="Where the link goes by which they choose a new password.")
    reason = TextInputField(max_length=500, help_text="How they proved who they are.")

    def prepare(self) -> None:
        self.fields["email"].initial = self.row.email


def _is_someone_else(user: User, staff: Staff) -> bool:
    return user.pk != staff.user_id


def _account_action(task: str, **declared: Any) -> Action:
    """Return the action for a request about an account, named by its user name, of no mode."""
    return instruction_action(
        task,
        shown_to=_is_someone_else,
        overrides=lambda context: {"subject_id": context.row.username, "livemode": True},
        **declared,
    )


ADD = instruction_action(
    instruction_kinds.ADD_STAFF,
    name="add",
    title="Add staff",
    form=AccountForm,
    overrides=lambda context: {
        "subject_id": context.data["username"],
        "livemode": True,
        "arguments": {"roles": context.data["role"], "email": context.data["email"]},
    },
    done_message="The account has been created, and its owner invited by e-mail.",
    about="Its owner is invited by e-mail.",
    icon="person_add",
    main=True,
)
STAFF_ACTIONS = (
    _account_action(
        instruction_kinds.SET_ROLES,
        name="roles",
        title="Set roles",
        is_repeated=True,
        form=RolesForm,
        form_arguments=("roles",),
        done_message="The roles have been changed, with immediate effect.",
        about="To stop someone, close the account.",
        icon="badge",
    ),
    Action(
        title="Lift lockout",
        right=Right.STAFF,
        service=lift_lockout,
        message="The lockout has been lifted.",
        icon="lock_open",
    ),
    _account_action(
        instruction_kinds.RESET_ACCESS,
        name="reset",
        title="Reset access",
        is_repeated=True,
        form=ResetForm,
        form_arguments=("email",),
        done_message="The access has been reset, and a new invitation sent.",
        about="Takes away password and second factor, and sends a link to new ones. Requests of"
        " the account that wait are declined, invitations that it requested or approved are"
        " withdrawn, and what it resends in the background stops, as when it is closed.",
        icon="restart_alt",
    ),
    Action(
        name="close",
        title="Close account",
        right=Right.STAFF,
        service=close_account,
        message="The account is closed.",
        about="Its requests that wait are declined. Invitations that it requested or approved are"
        " withdrawn: whom you want to keep, invite again with Reset access.",
        icon="person_off",
        danger=True,
        available=lambda user, now: user.is_active,
        shown_to=_is_someone_else,
    ),
    _account_action(
        instruction_kinds.REOPEN_ACCOUNT,
        name="reopen",
        title="Reopen account",
        done_message="The account has been reopened.",
        form=StaffForm,
        icon="person_check",
        available=lambda user, now: not user.is_active,
    ),
)


def _password(user: User) -> str:
    """Show only if it is missing: the link to set one was sent, and is not used yet."""
    return "" if user.has_usable_password() else "not chosen yet"


def _flag(title: str, source: str) -> Field:
    """Return a field that is shown only if it is true."""
    known = Field(title, source)
    return Field(title, lambda user: "yes" if known.value(user) else "")


NAME = Field("Name", "username")
ROLES_HELD = Field("Roles", lambda user: ", ".join(sorted(roles_of(user))) or "none")
STATE = Badge("State", lambda user: "active" if user.is_active else "closed")
LAST_SIGN_IN = Instant("Last sign-in", "last_login", empty="—")


class StaffAdmin(OfficeAdmin):
    model = User
    heading_format = "{row.username}"
    ordering = ("username",)
    list_display = (NAME, ROLES_HELD, STATE, LAST_SIGN_IN)
    list_select_related = ("staff_account",)
    details = (
        Field("E-mail", "email"),
        Field("Password", _password),
        Field("Second factor", lambda user: ", ".join(second_factors(user)) or "not yet"),
        _flag("Must change password", "staff_account.must_change_password"),
        _flag("Only in development", "staff_account.development_only"),
    )
    list_actions = (ADD,)
    row_actions = STAFF_ACTIONS
    requested_as = "username"

    def get_queryset(self, request: Any) -> Any:
        return super().get_queryset(request).filter(is_staff=True).prefetch_related("groups")

    def answer(self, row: User, now: datetime) -> SupportAnswer | None:
        """Say who closed the account, and why."""
        last = None if row.is_active else last_done(CLOSE, row.username)
        return SupportAnswer([f"Closed {done_words(last, now)}."]) if last else None

    def tables(self, row: User) -> list[Table]:
        rights = sorted(right.value for right in rights_of(row))
        return [Table("May", ("Right",), [(right,) for right in rights])]
