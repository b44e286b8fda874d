"""Sign in by phone and code, for a payment or for the customer's own page."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import rotate_token
from django.urls import reverse

from checkout.browser_session import AskedCode, BrowserSession, asked_code, remember_sign_in
from checkout.devices import device_of
from checkout.flow import continue_after_sign_in
from checkout.forms import PhoneForm, SmsCodeForm
from checkout.languages import is_readers_own
from checkout.marks import AGAIN, EXPIRED, SIGNED_OUT, marked
from checkout.pages import CheckoutPage, SeeOther
from checkout.payment_pages import PaymentAction
from checkout.views.sending import send_code
from core.errors import ApiError
from core.formats import money
from customers.models import CodePurpose
from customers.phones import normalize_phone
from customers.sessions import SignedIn, sign_in


@dataclass(frozen=True)
class Way:
    """The paths of the sign-in steps, and the details for the text message.

    A test customer gets a wallet of `currency`, or of the default one.
    """

    phone_address: str
    code_address: str
    again_address: str
    payment_id: str = ""
    payee: str = ""
    amount: Callable[[], str] = str
    currency: str | None = None


class SigningIn(CheckoutPage):
    """A step of signing in; its subclasses know the destination."""

    @property
    def way(self) -> Way:
        raise NotImplementedError

    def send(self, phone: str, *, enter_at: str = "") -> HttpResponse:
        """Send a code and redirect to the page where it is entered."""
        return send_code(
            self,
            normalize_phone(phone, livemode=self.livemode),
            CodePurpose.SIGN_IN,
            enter_at=enter_at or self.way.code_address,
            payment_id=self.way.payment_id,
            payee=self.way.payee,
            amount=self.way.amount,
        )

    def asked(self) -> AskedCode | None:
        """Return the code that this browser has requested for this sign-in, if any."""
        asked = asked_code(self.request)
        here = asked and (asked.payment_id, asked.livemode) == (self.way.payment_id, self.livemode)
        return asked if here else None


class PhonePage(SigningIn):
    def get(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        asked = asked_code(request)
        form = PhoneForm(initial={"phone": asked and asked.phone})
        given = request.GET
        return self.form_page(
            "phone.html", form, expired=EXPIRED in given, signed_out=SIGNED_OUT in given
        )

    def post(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        form = PhoneForm(request.POST)
        if form.is_valid():
            try:
                return self.send(form.cleaned_data["phone"])
            except ApiError as error:
                self.show_error(form, error)
        return self.form_page("phone.html", form)


class CodePage(SigningIn):
    def get(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        return self.show(SmsCodeForm())

    def post(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        form, asked = SmsCodeForm(request.POST), self.asked()
        if asked is None:
            return SeeOther(marked(self.way.phone_address, EXPIRED))
        if not form.is_valid():
            return self.show(form)
        try:
            signed_in = self.sign_in(asked, form.cleaned_data["code"])
        except ApiError as error:
            self.show_error(form, error)
            return self.show(form)
        rotate_token(request)
        self.browser = BrowserSession(signed_in.token, signed_in.session)
        response = self.after_sign_in()
        remember_sign_in(response, signed_in)
        return response

    def sign_in(self, asked: AskedCode, code: str) -> SignedIn:
        return sign_in(
            handle=asked.handle,
            code=code,
            now=self.now,
            replaces=self.browser.token,
            currency=self.way.currency,
            merchant_id=self.merchant_id or "",
            language=self.language if is_readers_own(self.request) else "",
            device=device_of(self.request),
        )

    def after_sign_in(self) -> HttpResponse:
        """Redirect the customer who has just signed in."""
        raise NotImplementedError

    def show(self, form: SmsCodeForm) -> HttpResponse:
        asked = self.asked()
        if asked is None:
            return SeeOther(self.way.phone_address)
        return self.form_page(
            "code.html",
            form,
            phone=asked.phone,
            way=self.way,
            sent_again=AGAIN in self.request.GET and not form.is_bound,
        )


class AgainAction(SigningIn):
    def get(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        return SeeOther(self.way.code_address)

    def post(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        """Send a new code to the same phone."""
        asked = self.asked()
        if asked is None:
            return SeeOther(marked(self.way.phone_address, EXPIRED))
        return self.send(asked.phone, enter_at=marked(self.way.code_address, AGAIN))


class ForPayment(PaymentAction, SigningIn):
    """Sign-in during a payment."""

    @property
    def way(self) -> Way:
        at = [self.payment.id]
        return Way(
            reverse("checkout-phone", args=at),
            reverse("checkout-code", args=at),
            reverse("checkout-code-again", args=at),
            payment_id=self.payment.id,
            payee=self.payment_view.payee.name,
            amount=partial(money, self.payment.sale_amount, self.payment.currency),
            currency=self.payment.currency,
        )


class PaymentPhonePage(ForPayment, PhonePage):
    pass


class PaymentCodePage(ForPayment, CodePage):
    def after_sign_in(self) -> HttpResponse:
        try:
            self.payment = continue_after_sign_in(
                payment=self.payment, browser=self.browser, now=self.now
            )
        except ApiError as error:
            return self.refused(error)
        return self.go_on()


class PaymentAgainAction(ForPayment, AgainAction):
    pass
