"""The PIN during a payment: entered to pay, set for the first time, or proved for a passkey."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from checkout.browser_session import AskedCode, asked_code, forget_code
from checkout.flow import (
    CheckoutStep,
    has_passkey,
    open_steps,
    pay_with_first_pin,
    pay_with_pin,
    proof_for,
    step_to_passkey,
)
from checkout.forms import NewPinForm, PinForm, SmsCodeForm
from checkout.pages import Detour, SeeOther
from checkout.payment_pages import PaymentAction
from checkout.views.sending import send_code
from core.errors import ApiError
from customers.errors import PinLocked
from customers.magic_phones import Behaviour, behaviour_of
from customers.models import CodePurpose, CustomerSession
from customers.pin_locks import lock_of
from customers.sessions import prove_phone, prove_pin
from ledger.errors import InsufficientBalance
from payments.customer_steps import return_to_review
from payments.errors import PaymentDeclined
from payments.statuses import PaymentStatus
from payments.verification import Verification


class StepPage(PaymentAction):
    """One step of verification. A customer who is at another step is redirected there."""

    steps: frozenset[CheckoutStep] = frozenset()

    def prepare(self) -> None:
        super().prepare()
        if self.request.method == "POST" and self.browser.session is None:
            raise Detour(self.sign_in_again())
        if not self.is_asked or not self.is_open:
            raise Detour(self.go_on())

    @property
    def is_asked(self) -> bool:
        """Whether the payment waits for a proof, or would if wrong ones had not locked the PIN."""
        status, customer = self.payment.status_at(self.now), self.browser.customer
        if status != PaymentStatus.PENDING or customer is None:
            return status == PaymentStatus.REQUIRES_ACTION
        return lock_of(customer, now=self.now) is not None

    @property
    def is_open(self) -> bool:
        steps = open_steps(self.payment, self.browser.session, now=self.now)
        return any(step in self.steps for step in steps)

    @property
    def session(self) -> CustomerSession:
        """The session of the signed-in customer at this step."""
        assert self.browser.session is not None  # noqa: S101  # prepare() has looked at the open steps
        return self.browser.session

    def go_on_to_passkey(self) -> HttpResponse:
        """Continue with adding a passkey, if the payment requires one."""
        needed = proof_for(self.payment, self.session.customer, now=self.now)
        if needed != Verification.PASSKEY:
            return self.go_on()
        return self.go_to(step_to_passkey(self.session, now=self.now))


class PinPage(StepPage):
    steps = frozenset({CheckoutStep.PIN})
    pays = True
    for_passkey = False

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return self.show(PinForm())

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        form = PinForm(request.POST)
        if not form.is_valid():
            return self.show(form)
        try:
            self.use(form.cleaned_data["pin"])
        except PinLocked as error:
            if behaviour_of(self.session.customer) != Behaviour.WRONG_PIN:
                return_to_review(
                    payment_id=payment_id, actor=self.browser.actor, now=self.now, cause=error.code
                )
                return SeeOther(request.path)  # the page itself shows that it is locked
            self.show_error(form, error)  # the lock of this shared phone is lifted at once
            return self.show(form)
        except PaymentDeclined as error:
            return self.refused(error)
        except ApiError as error:
            self.show_error(form, error)
            return self.show(form)
        return self.go_on_to_passkey() if self.for_passkey else self.go_on()

    def use(self, pin: str) -> None:
        """Pay with the PIN."""
        self.payment = pay_with_pin(
            payment=self.payment,
            browser=self.browser,
            pin=pin,
            address=self.address,
            now=self.now,
        )

    def show(self, form: PinForm) -> HttpResponse:
        return self.form_page(
            "pin.html",
            form,
            has_passkey=has_passkey(self.session),
            for_passkey=self.for_passkey,
            locked=self.lock_words(self.session.customer),
        )


class PasskeyPinPage(PinPage):
    """Asks for the PIN again before a first passkey is created."""

    steps = frozenset({CheckoutStep.PIN_FOR_PASSKEY})
    pays = False
    for_passkey = True

    def use(self, pin: str) -> None:
        prove_pin(session=self.session, pin=pin, address=self.address, now=self.now)


class NewPinPage(StepPage):
    steps = frozenset({CheckoutStep.NEW_PIN})
    pays = True

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return self.show(NewPinForm())

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        form = NewPinForm(request.POST)
        if form.is_valid():
            try:
                self.payment = pay_with_first_pin(
                    payment=self.payment,
                    browser=self.browser,
                    pin=form.cleaned_data["pin"],
                    now=self.now,
                )
                return self.go_on()
            except (InsufficientBalance, PaymentDeclined) as error:
                return self.refused(error)
            except ApiError as error:
                self.show_error(form, error)
        return self.show(form)

    def show(self, form: NewPinForm) -> HttpResponse:
        return self.form_page("new_pin.html", form, pays=True)


class FreshCodePage(StepPage):
    """Asks for a fresh code before a first PIN or passkey: the last was too old, or for paying."""

    steps = frozenset({CheckoutStep.FRESH_CODE})

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return self.show(SmsCodeForm())

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        if "again" in request.POST:
            return self.send()
        form, asked = SmsCodeForm(request.POST), self.asked()
        if asked is None or not form.is_valid():
            return self.show(form)
        try:
            code = form.cleaned_data["code"]
            prove_phone(session=self.session, handle=asked.handle, code=code, now=self.now)
        except ApiError as error:
            self.show_error(form, error)
            return self.show(form)
        response = self.go_on_to_passkey()
        forget_code(response)
        return response

    def send(self) -> HttpResponse:
        enter_at = reverse(CheckoutStep.FRESH_CODE.value, args=[self.payment.id])
        phone = self.session.customer.phone
        return send_code(self, phone, CodePurpose.ADD_PASSKEY, enter_at=enter_at)

    def asked(self) -> AskedCode | None:
        return asked_code(self.request, purpose=CodePurpose.ADD_PASSKEY)

    def show(self, form: SmsCodeForm) -> HttpResponse:
        phone = self.session.customer.phone if self.asked() else ""
        return self.form_page("fresh_code.html", form, phone=phone)
