"""Passkeys on the way to a payment: paying with one, and registering a first one."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.utils.translation import gettext as _

from checkout.flow import CheckoutStep, pay_with_passkey, proof_for
from checkout.headers import set_page_headers
from checkout.views.pins import StepPage
from customers.errors import CustomerFrozen, NewProofLimitReached, VerificationFailed
from customers.passkeys import begin_payment, begin_registration, finish_registration
from payments.verification import Verification

DEVICES = ("iPhone", "iPad", "Android", "Macintosh", "Windows", "Linux")


class PasskeyStep(StepPage):
    """Shows in our own words why the browser's dialog failed."""

    def not_verified(self, error: VerificationFailed) -> HttpResponse:
        """Show that the passkey was refused. Re-raises any other error."""
        if isinstance(error, CustomerFrozen | NewProofLimitReached):
            raise error
        problem = _("The passkey could not be checked. Try again.")
        return self.tell(problem, status=error.status)

    def show(self, **context: Any) -> HttpResponse:
        """Render the page of the step."""
        raise NotImplementedError


class PasskeyPage(PasskeyStep):
    steps = frozenset({CheckoutStep.PASSKEY})

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return self.show()

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        try:
            self.payment = pay_with_passkey(
                payment=self.payment,
                browser=self.browser,
                credential=request.POST.get("credential", ""),
                address=self.address,
                now=self.now,
            )
        except VerificationFailed as error:
            return self.not_verified(error)
        return self.go_on()

    def show(self, **context: Any) -> HttpResponse:
        needed = proof_for(self.payment, self.session.customer, now=self.now)
        return self.page(
            "passkey.html",
            added="added" in self.request.GET,
            may_add=not self.livemode and needed == Verification.PASSKEY,
            pin_will_do=needed == Verification.PIN and self.session.customer.has_pin,
            **context,
        )


class PasskeyOptions(PasskeyStep):
    """Options for the browser's dialog, or the page to go to instead, as JSON for our script."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().dispatch(request, *args, **kwargs)
        if not isinstance(response, HttpResponseRedirect):
            return response
        answer = JsonResponse({"go": response.url})
        answer.cookies = response.cookies
        return set_page_headers(answer)


class PaymentPasskeyOptions(PasskeyOptions):
    """What the browser is to sign: this payment, this amount, once."""

    steps = frozenset({CheckoutStep.PASSKEY})

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        amount = self.payment.amount or 0
        options = begin_payment(
            session=self.session, payment_id=payment_id, amount=amount, now=self.now
        )
        return JsonResponse(options)


class NewPasskeyPage(PasskeyStep):
    steps = frozenset({CheckoutStep.NEW_PASSKEY})

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return self.show()

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        try:
            finish_registration(
                session=self.session,
                credential=request.POST.get("credential", ""),
                name=device_name(request),
                now=self.now,
            )
        except VerificationFailed as error:
            return self.not_verified(error)
        response = self.go_to(CheckoutStep.PASSKEY)
        response["Location"] += "?added=1"
        return response

    def show(self, **context: Any) -> HttpResponse:
        return self.page("passkey_new.html", passkey_above=settings.PASSKEY_ABOVE, **context)


class NewPasskeyOptions(PasskeyOptions):
    steps = frozenset({CheckoutStep.NEW_PASSKEY})

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return JsonResponse(begin_registration(session=self.session, now=self.now))


def device_name(request: HttpRequest) -> str:
    """Return what the customer will know the device by."""
    agent = request.headers.get("User-Agent", "")
    found = next((device for device in DEVICES if device in agent), "")
    return found.replace("Macintosh", "Mac") or _("Passkey")
