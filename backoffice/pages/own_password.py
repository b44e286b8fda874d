"""The page on which staff change their own password."""

from typing import Any

from django.contrib.auth.views import PasswordChangeView
from django.urls import reverse_lazy

from backoffice.pages.forms import PasswordForm
from core.client_address import client_address


class OwnPasswordPage(PasswordChangeView):
    """Asks for the current password, and the new one twice."""

    form_class = PasswordForm
    success_url = reverse_lazy("admin:password_change_done")

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"address": client_address(self.request)}
