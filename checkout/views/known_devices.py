"""Sign in to the customer's own page: by passkey on a known device, else by phone and code."""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import rotate_token

from checkout.browser_session import forget_device, remember_device, remember_sign_in
from checkout.devices import device_of
from checkout.headers import set_page_headers
from checkout.marks import SIGNED_OUT
from checkout.pages import SeeOther
from checkout.refusals import PASSKEY_NOT_CHECKED, message_for
from checkout.views.account import BY_PHONE, ForAccount
from checkout.views.passkeys import customer_here, is_of_this_device
from checkout.views.signing_in import PhonePage
from core.errors import RateLimited
from customers.errors import PasskeyMissing, VerificationFailed
from customers.models import Customer
from customers.passkey_sign_in import sign_in_to_account
from customers.passkeys import begin_sign_in


class AccountPhonePage(ForAccount, PhonePage):
    """Asks a known device for its passkey, with the phone number as an alternative."""

    def get(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        if not self.device_customer_id or BY_PHONE in request.GET:
            return super().get(request, **kwargs)
        return self.page(
            "sign_in.html",
            options_address=self.own("account-sign-in-options"),
            phone_address=self.way.phone_address,
            signed_out=SIGNED_OUT in request.GET,
        )

    def post(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        if "credential" not in request.POST:
            return super().post(request, **kwargs)
        customer, credential = customer_here(self), request.POST["credential"]
        if customer is None or not credential:
            return SeeOther(self.way.phone_address)
        return self.sign_in(customer, credential)

    def sign_in(self, customer: Customer, credential: str) -> HttpResponse:
        """Sign in and redirect to the customer's own page, or show why the passkey failed."""
        try:
            signed_in = sign_in_to_account(
                customer=customer,
                credential=credential,
                replaces=self.browser.token,
                now=self.now,
                device=device_of(self.request),
            )
        except RateLimited as error:
            words = message_for(error, zone=self.zone, now=self.now) or ""
            return self.tell(words, status=error.status)
        except VerificationFailed as error:
            return self.tell(str(PASSKEY_NOT_CHECKED), status=error.status)
        rotate_token(self.request)
        response = SeeOther(self.own("account"))
        remember_sign_in(response, signed_in)
        if is_of_this_device(credential):
            remember_device(response, customer)
        return response


class SignInOptions(ForAccount):
    """The sign-in options for a known device, which is forgotten if its passkey is gone."""

    def post(self, request: HttpRequest) -> HttpResponse:
        customer = customer_here(self)
        try:
            if customer is not None:
                return JsonResponse(begin_sign_in(customer=customer, now=self.now))
        except PasskeyMissing:
            pass
        answer = JsonResponse({"go": self.way.phone_address})
        forget_device(answer, livemode=self.livemode)
        return set_page_headers(answer)
