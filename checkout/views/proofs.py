"""Actions on the customer's own page that require verification, such as adding a passkey."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from checkout.browser_session import AskedCode, asked_code, remember_device
from checkout.flow import has_passkey
from checkout.forms import Form, PinForm, SmsCodeForm
from checkout.pages import SeeOther
from checkout.refusals import PASSKEY_NOT_CHECKED
from checkout.views.account import SignedInPage
from checkout.views.passkeys import device_name, is_of_this_device
from checkout.views.sending import send_code
from core.errors import ApiError
from customers.errors import CodeExpired, PasskeyNotFound, ProofMethod, VerificationFailed
from customers.models import CodePurpose, Passkey
from customers.passkey_removal import remove_passkey
from customers.passkeys import (
    begin_confirmation,
    begin_registration,
    finish_confirmation,
    finish_registration,
)
from customers.pins import needs_passkey_to_reset
from customers.sessions import is_proven_by_code_only, proof_needed, prove_phone, prove_pin

FORMS: dict[ProofMethod, type[Form]] = {ProofMethod.CODE: SmsCodeForm, ProofMethod.PIN: PinForm}


class ProvenPage(SignedInPage):
    """Asks for the required proofs one by one, then performs the action."""

    title: str | Promise = ""

    def get(self, request: HttpRequest, **kwargs: int) -> HttpResponse:
        return self.show()

    def post(self, request: HttpRequest, **kwargs: int) -> HttpResponse:
        if "again" in request.POST:
            return self.send_code()
        needed = self.needed
        form = FORMS[needed](request.POST) if needed in FORMS else None
        if form is not None and not form.is_valid():
            return self.show(form)
        try:
            return self.act() if needed is None else self.prove(needed, form)
        except ApiError as error:
            return self.show_error_or_raise(form, error)

    @property
    def needed(self) -> ProofMethod | None:
        return proof_needed(self.session, now=self.now)

    def act(self) -> HttpResponse:
        """Perform the page's action."""
        raise NotImplementedError

    def prove(self, needed: ProofMethod, form: Form | None) -> HttpResponse:
        """Check one proof, and reload to ask for the next."""
        if needed == ProofMethod.PASSKEY or form is None:
            finish_confirmation(session=self.session, credential=self.credential, now=self.now)
        elif needed == ProofMethod.PIN:
            pin = form.cleaned_data["pin"]
            prove_pin(session=self.session, pin=pin, address=self.address, now=self.now)
        else:
            asked, code = self.asked(), form.cleaned_data["code"]
            if asked is None:
                raise CodeExpired
            prove_phone(session=self.session, handle=asked.handle, code=code, now=self.now)
        return self.remember_if_used_here(SeeOther(self.request.get_full_path()))

    @property
    def credential(self) -> str:
        """The response of the customer's passkey, if it was requested."""
        return self.request.POST.get("credential", "")

    def remember_if_used_here(self, response: HttpResponse) -> HttpResponse:
        """Remember that this device holds a passkey of the customer, if it has just used one."""
        if is_of_this_device(self.credential):
            remember_device(response, self.session.customer)
        return response

    def show_error_or_raise(self, form: Form | None, error: ApiError) -> HttpResponse:
        if form is not None:
            self.show_error(form, error)
            return self.show(form)
        if not isinstance(error, VerificationFailed):
            raise error
        return self.tell(str(PASSKEY_NOT_CHECKED), status=error.status)

    def send_code(self) -> HttpResponse:
        phone, here = self.session.customer.phone, self.request.get_full_path()
        return send_code(self, phone, CodePurpose.ADD_PASSKEY, enter_at=here)

    def asked(self) -> AskedCode | None:
        return asked_code(self.request, purpose=CodePurpose.ADD_PASSKEY)

    def show(self, form: Form | None = None, **context: Any) -> HttpResponse:
        needed = self.needed
        form = form or (FORMS[needed]() if needed in FORMS else None)
        common: dict[str, Any] = {
            "title": self.title,
            "needed": needed,
            "phone": self.session.customer.phone if self.asked() else "",
            "locked": self.lock_words(self.session.customer) if needed == ProofMethod.PIN else "",
            "back_address": self.own("account"),
            "options_address": self.own("account-passkey-options"),
        }
        if form is not None:
            return self.form_page("prove.html", form, **common, **context)
        return self.page("prove.html", **common, **context)


class AddPasskeyPage(ProvenPage):
    title = _("Create a passkey")

    def act(self) -> HttpResponse:
        finish_registration(
            session=self.session,
            credential=self.credential,
            name=device_name(self.request),
            now=self.now,
        )
        return self.remember_if_used_here(self.done("passkey"))

    def show(self, form: Form | None = None, **context: Any) -> HttpResponse:
        return super().show(form, **context, adding=True)


class RemovePasskeyPage(ProvenPage):
    passkey: Passkey

    def prepare(self) -> None:
        super().prepare()
        for passkey in self.session.customer.passkeys.usable():
            if passkey.handle == self.kwargs["handle"]:
                self.passkey = passkey
                return
        raise PasskeyNotFound

    title = _("Remove this passkey?")

    def act(self) -> HttpResponse:
        remove_passkey(session=self.session, passkey_id=self.passkey.pk, now=self.now)
        return self.done("removed")

    def show(self, form: Form | None = None, **context: Any) -> HttpResponse:
        return super().show(form, **context, passkey=self.passkey)


class ProvePasskeyForPinPage(ProvenPage):
    """Asks for the passkey before a forgotten PIN can be reset by code."""

    title = _("A new PIN")

    @property
    def needed(self) -> ProofMethod | None:
        is_needed = needs_passkey_to_reset(self.session, now=self.now)
        return ProofMethod.PASSKEY if is_needed else None

    def get(self, request: HttpRequest, **kwargs: int) -> HttpResponse:
        return self.show() if self.needed else self.act()

    def act(self) -> HttpResponse:
        return SeeOther(self.own("account-pin-forgotten"))


class ShowPaymentsPage(ProvenPage):
    """Asks for passkey or PIN before payments are listed in a session opened by code alone.

    Customers without either are sent to set a PIN, which counts as new for a day.
    """

    title = _("Your payments")

    @property
    def needed(self) -> ProofMethod | None:
        if not is_proven_by_code_only(self.session):
            return None
        if has_passkey(self.session):
            return ProofMethod.PASSKEY
        return ProofMethod.PIN if self.session.customer.has_pin else None

    def get(self, request: HttpRequest, **kwargs: int) -> HttpResponse:
        return self.show() if self.needed else self.act()

    def act(self) -> HttpResponse:
        is_without = is_proven_by_code_only(self.session)
        return SeeOther(self.own("account-pin-forgotten" if is_without else "account"))


class ProofPasskeyOptions(SignedInPage):
    """The options for the browser's dialog: to create a passkey, or to confirm with one."""

    def post(self, request: HttpRequest) -> HttpResponse:
        if proof_needed(self.session, now=self.now) is None:
            return JsonResponse(begin_registration(session=self.session, now=self.now))
        return JsonResponse(begin_confirmation(session=self.session, now=self.now))
