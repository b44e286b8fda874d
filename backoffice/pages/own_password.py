"""The pages on which staff choose their own password: by invitation at first, and later."""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView, PasswordResetConfirmView
from django.http import HttpResponse
from django.urls import reverse_lazy

from backoffice.errors import AccountNotEligible
from backoffice.known_browsers import remember_browser
from backoffice.pages.forms import FirstPasswordForm, PasswordForm
from backoffice.services.invitations import invitation_tokens
from backoffice.staff import roles_of
from core.client_address import client_address


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
