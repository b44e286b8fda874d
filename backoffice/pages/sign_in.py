"""The forms for signing in, and the pages on which staff choose their own password."""

from typing import Any, ClassVar

from axes.handlers.proxy import AxesProxyHandler
from django import forms
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView, PasswordResetConfirmView
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpResponse
from django.urls import reverse_lazy
from unfold.forms import AdminOwnPasswordChangeForm, AuthenticationForm
from unfold.widgets import INPUT_CLASSES, UnfoldAdminTextInputWidget

from backoffice.audit import append_own
from backoffice.errors import AccountNotEligible
from backoffice.known_browsers import identify_browser, remember_browser
from backoffice.models import AuditOutcome, StaffAccount
from backoffice.passwords import replace_password
from backoffice.services.staff_mail import invitation_tokens, record_change_of_factor
from backoffice.staff import Staff, roles_of, staff_of
from core.client_address import client_address
from core.concurrency import ConcurrencyLimit
from core.errors import ServiceUnavailable
from core.text import is_printable

SIGN_IN = "sign in"
SIGN_INS_AT_ONCE = 2
KNOWN_SIGN_INS_AT_ONCE = 1  # besides: of browsers known to the account
KNOWN_WAIT_SECONDS = 2
NAME_CHARACTERS = 150  # of Django's accounts; those of our own have fewer
_sign_ins = ConcurrencyLimit(SIGN_INS_AT_ONCE)
_known_sign_ins = ConcurrencyLimit(KNOWN_SIGN_INS_AT_ONCE)


class SignInForm(AuthenticationForm):  # type: ignore[misc]  # unfold has no types
    """Name and password. The audit trail records wrong passwords for existing accounts."""

    error_messages: ClassVar[dict[str, str]] = {
        **AuthenticationForm.error_messages,
        "invalid_login": "The user name or the password is incorrect.",
    }

    def clean_username(self) -> str:
        """Refuse a name that no account can have: django-axes would store it, whatever its length.

        Django tells only the browser how long a name may be.
        """
        name = str(self.cleaned_data["username"])
        if len(name) > NAME_CHARACTERS or not is_printable(name):
            raise self.get_invalid_login_error()
        return name

    def clean(self) -> Any:
        """Check the password, a few at a time.

        Browsers known to the account have a slot of their own, which strangers cannot take.
        """
        name = str(self.cleaned_data.get("username", ""))
        slots, wait_seconds = _sign_ins, 0
        if identify_browser(self.request, name):
            slots, wait_seconds = _known_sign_ins, KNOWN_WAIT_SECONDS
        # While the account is locked, further attempts leave no entries.
        was_open = AxesProxyHandler.is_allowed(self.request, {"username": name})
        try:
            with slots.hold(wait_seconds=wait_seconds):
                return super().clean()
        except ServiceUnavailable:  # the name and the password were not looked at
            words = "Others are signing in at the moment. Try again in a few seconds."
            raise ValidationError(words) from None
        except ValidationError:
            if was_open:
                self._record_wrong_password(name)
            raise

    @transaction.atomic
    def _record_wrong_password(self, name: str) -> None:
        """Write the audit entry; for an unknown name it is rolled back.

        Otherwise the time that a refusal takes would reveal who is staff.
        """
        is_staff = User.objects.filter(username=name, is_staff=True).exists()
        staff, refused = staff_of(self.request), AuditOutcome.REFUSED
        error = "wrong password"
        with transaction.atomic():  # the commit that follows takes as long, with or without it
            append_own(staff=staff, act=SIGN_IN, outcome=refused, username=name, error=error)
            transaction.set_rollback(not is_staff)

    def confirm_login_allowed(self, user: User) -> None:
        super().confirm_login_allowed(user)
        if not roles_of(user):
            raise ValidationError("This account has no role. Ask an Administrator for one.")


class SecondFactorForm(forms.Form):
    """Six digits of the authenticator app, or a recovery code."""

    code = forms.CharField(
        max_length=32,
        widget=UnfoldAdminTextInputWidget(
            attrs={"autocomplete": "one-time-code", "autofocus": "", "inputmode": "text"}
        ),
    )


class OwnPasswordForm(SetPasswordForm):  # type: ignore[type-arg]  # not subscriptable when it runs
    """A new password for one's own account; `address` is where its owner connects from.

    The audit trail records it as `act`.
    """

    act = ""

    def __init__(self, *args: Any, address: str, **options: Any) -> None:
        super().__init__(*args, **options)
        self.address = address

    def save(self, commit: bool = True) -> User:
        """Store the password, whatever `commit` is, and nothing else, over the one that was read.

        A first one no longer has to be changed. Raises AccountNotEligible if the account was closed
        or reset in the meantime: hashing takes long.
        """
        read = self.user.password
        user: User = super().save(commit=False)
        with transaction.atomic():
            if not replace_password(user, read):
                raise AccountNotEligible("Your account was changed meanwhile. Sign in again.")
            StaffAccount.objects.filter(user=user).update(must_change_password=False)
            staff = Staff(user.pk, user.get_username(), roles_of(user), address=self.address)
            record_change_of_factor(staff=staff, act=self.act)
        return user


class PasswordForm(OwnPasswordForm, AdminOwnPasswordChangeForm):  # type: ignore[misc]  # unfold has no types
    act = "change password"

    def clean_new_password1(self) -> str:
        """Refuse the current password: someone else may have seen it."""
        password = str(self.cleaned_data["new_password1"])
        if self.user.check_password(password):
            raise ValidationError("Choose a password other than the current one.")
        return password


class FirstPasswordForm(OwnPasswordForm):
    """A password for an account that has none yet."""

    act = "choose password"

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for field in self.fields.values():
            field.widget.attrs["class"] = " ".join(INPUT_CLASSES)


class InvitationPage(PasswordResetConfirmView):
    """Lets a new colleague choose a password that no one else has seen.

    It moves the token into the session at once, so that no later page or log contains it.
    """

    form_class = FirstPasswordForm
    template_name = "admin/backoffice/invitation.html"
    token_generator = invitation_tokens
    success_url = reverse_lazy("admin:login")
    title = "Choose your password"

    def get_user(self, uidb64: str) -> User | None:
        """Return the invited account: staff, open, and still without a password."""
        user = super().get_user(uidb64)
        if not isinstance(user, User) or user.has_usable_password() or not roles_of(user):
            return None
        return user

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        """Call a link that has ended by that name: Django tells of a failed password reset."""
        context = super().get_context_data(**more)
        return context if self.validlink else context | {"title": "This link has ended"}

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"address": client_address(self.request)}

    def form_valid(self, form: FirstPasswordForm) -> HttpResponse:  # type: ignore[override]  # the form of this view
        """Set the password. The sign-in that follows sets up the second factor.

        The browser counts as known from now on, so that strangers who flood the sign-in do not keep
        it out. Someone who has stolen the link could choose the password as well.
        """
        try:
            response = super().form_valid(form)
        except AccountNotEligible:
            self.validlink = False
            return self.render_to_response(self.get_context_data())
        remember_browser(self.request, response, form.user.get_username())
        return response


class OwnPasswordPage(PasswordChangeView):
    """Asks for the current password, and the new one twice."""

    form_class = PasswordForm
    success_url = reverse_lazy("admin:password_change_done")

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"address": client_address(self.request)}
