"""The customer's e-mail address: entered on their own page, confirmed by an e-mailed link."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _

from checkout.forms import EmailForm, Form
from checkout.pages import NOT_FOUND, CheckoutPage, Detour, SeeOther
from checkout.views.proofs import ProvenPage
from core.client_address import network_of
from core.errors import ApiError
from customers.own_email import (
    EmailClaim,
    confirm_address,
    has_only_phone,
    name_email,
    named_from,
    read_claim,
    remove_email,
)


class OwnEmailPage(ProvenPage):
    """Sets, replaces or removes the address, after sufficient verification."""

    title = _("Your e-mail address")

    def prepare(self) -> None:
        super().prepare()
        if has_only_phone(self.session.customer):
            raise Detour(SeeOther(self.own("account-pin-forgotten")))
        if named_from(self.session.customer, self.now):
            raise Detour(SeeOther(self.own("account")))

    def post(self, request: HttpRequest, **kwargs: int) -> HttpResponse:
        if self.needed is not None:
            return super().post(request, **kwargs)
        if "remove" in request.POST:
            remove_email(session=self.session, now=self.now)
            return self.done("email-removed")
        form = EmailForm(request.POST)
        if form.is_valid():
            try:
                email, network = form.cleaned_data["email"], network_of(self.address)
                name_email(session=self.session, email=email, network=network, now=self.now)
                return self.done("email")
            except ApiError as error:
                self.show_error(form, error)
        return self.show(form)

    def show(self, form: Form | None = None, **context: Any) -> HttpResponse:
        if self.needed is not None:
            return super().show(form, **context)
        back = self.own("account")
        return self.form_page("own_email.html", form or EmailForm(), back_address=back)


class ConfirmAddressPage(CheckoutPage):
    """Asks for confirmation, as mail programs prefetch links; then confirms the address.

    Shows the wallet's masked phone number, so that the owner of the mailbox notices if someone
    else has entered it.
    """

    def prepare(self) -> None:
        """Do not load the browser's session: the link identifies the customer."""

    def get(self, request: HttpRequest, token: str) -> HttpResponse:
        return self.show(read_claim(token))

    def post(self, request: HttpRequest, token: str) -> HttpResponse:
        return self.show(confirm_address(token=token, now=self.now))

    def show(self, claim: EmailClaim | None) -> HttpResponse:
        self.livemode = claim is None or claim.customer.livemode
        status = 200 if claim else NOT_FOUND
        return self.page("confirm_address.html", claim=claim, status=status)
