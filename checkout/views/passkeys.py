"""Passkeys during a payment: paying with one, and registering a first one."""

import json
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.middleware.csrf import rotate_token
from django.utils.translation import gettext as _

from checkout.browser_session import BrowserSession, remember_device, remember_sign_in
from checkout.devices import device_of
from checkout.flow import CheckoutStep, pay_verified, proof_for, submit_payment
from checkout.headers import set_page_headers
from checkout.pages import CheckoutPage
from checkout.passkey_payments import approve_by_passkey, make_passkey_to_pay, sign_in_to_pay
from checkout.payment_pages import PaymentAction, PostOnly
from checkout.refusals import PASSKEY_NOT_CHECKED
from checkout.views.pins import StepPage
from core.errors import ApiError
from customers.errors import (
    CustomerFrozen,
    NewProofLimitReached,
    PasskeyMissing,
    VerificationFailed,
)
from customers.models import Customer
from customers.passkeys import begin_payment, begin_payment_signed_out, begin_registration
from payments.risk import pays_with_new_proof
from payments.statuses import PaymentStatus
from payments.verification import Verification


class PasskeyAction(PaymentAction):
    """Shows our own message when a passkey fails, and remembers a device that holds one."""

    def not_verified(self, error: VerificationFailed, *, at: str = "") -> HttpResponse:
        """Show that the passkey was refused. Re-raises any other error."""
        if isinstance(error, CustomerFrozen | NewProofLimitReached):
            raise error
        return self.tell(str(PASSKEY_NOT_CHECKED), status=error.status, at=at)

    def pay(self, customer: Customer) -> HttpResponse:
        """Pay with the customer's passkey, and remember this device even if paying is refused.

        After a refusal for lack of money or a limit, the next visit must not start with a code.
        """
        try:
            self.payment = pay_verified(self.payment, self.browser, Verification.PASSKEY, self.now)
            response = self.go_on()
        except ApiError as error:
            response = self.refused(error)
        if is_of_this_device(self.request.POST.get("credential", "")):
            remember_device(response, customer)
        return response


class AsOptions(PostOnly):
    """Returns options for the browser's passkey dialog, or a redirect, as JSON for our script."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().dispatch(request, *args, **kwargs)
        if request.method != "POST" or not isinstance(response, HttpResponseRedirect):
            return response
        answer = JsonResponse({"go": response.url})
        answer.cookies = response.cookies
        return set_page_headers(answer)


class PasskeyPage(StepPage, PasskeyAction):
    steps = frozenset({CheckoutStep.PASSKEY})
    pays = True

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        needed = proof_for(self.payment, self.session.customer, now=self.now)
        return self.page(
            "passkey.html",
            may_add=not self.livemode and needed == Verification.PASSKEY,
            pin_will_do=needed == Verification.PIN and self.session.customer.has_pin,
        )

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        try:
            approve_by_passkey(
                payment=self.payment,
                browser=self.browser,
                credential=request.POST.get("credential", ""),
                address=self.address,
                now=self.now,
            )
        except VerificationFailed as error:
            return self.not_verified(error)
        return self.pay(self.session.customer)


class PaymentPasskeyOptions(AsOptions):
    """The challenge for the browser to sign: this payment and amount, once.

    Requested from the review page, it starts the payment as Pay does.
    """

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        session = self.browser.session
        if (
            session is None
            or proof_for(self.payment, session.customer, now=self.now) == Verification.NONE
        ):
            return self.go_on()
        if self.payment.status_at(self.now) != PaymentStatus.REQUIRES_ACTION:
            self.payment = submit_payment(payment=self.payment, browser=self.browser, now=self.now)
        amount = self.payment.sale_amount
        try:
            options = begin_payment(
                session=session, payment_id=payment_id, amount=amount, now=self.now
            )
        except PasskeyMissing:
            return self.go_on()
        return JsonResponse(options)


class DevicePasskeyOptions(AsOptions):
    """The challenge for a known device whose customer is not signed in."""

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        customer = customer_here(self)
        if customer is None:
            return self.go_to(CheckoutStep.SIGN_IN)
        amount = self.payment.sale_amount
        try:
            options = begin_payment_signed_out(
                customer=customer, payment_id=payment_id, amount=amount, now=self.now
            )
        except PasskeyMissing:
            return self.go_to(CheckoutStep.SIGN_IN)
        return JsonResponse(options)


class DevicePasskeyAction(PostOnly, PasskeyAction):
    """Signs in and pays with the passkey of a known device."""

    pays = True

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        customer = customer_here(self)
        if customer is None:
            return self.go_to(CheckoutStep.SIGN_IN)
        try:
            signed_in = sign_in_to_pay(
                payment=self.payment,
                customer=customer,
                credential=request.POST.get("credential", ""),
                address=self.address,
                replaces=self.browser.token,
                now=self.now,
                device=device_of(request),
            )
        except VerificationFailed as error:
            return self.not_verified(error, at=self.payment.hosted_url)
        rotate_token(request)
        self.browser = BrowserSession(signed_in.token, signed_in.session)
        response = self.pay(customer)
        remember_sign_in(response, signed_in)
        return response


class NewPasskeyPage(StepPage, PasskeyAction):
    """Creates a passkey, and pays with it at once if its limit allows."""

    steps = frozenset({CheckoutStep.NEW_PASSKEY})
    pays = True

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        customer, amount = self.session.customer, self.payment.sale_amount
        aged_at = self.now + timedelta(hours=settings.RISK_NEW_PROOF_HOURS)
        expires_at = self.payment.expires_at
        return self.page(
            "passkey_new.html",
            ends_before=expires_at is not None and expires_at <= aged_at,
            passkey_above=settings.PASSKEY_ABOVE,
            new_limit=settings.RISK_NEW_PROOF_AMOUNT,
            new_hours=settings.RISK_NEW_PROOF_HOURS,
            pays_at_once=pays_with_new_proof(customer, amount, now=self.now),
            pin_will_do=proof_for(self.payment, customer, now=self.now) == Verification.PIN,
        )

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        try:
            make_passkey_to_pay(
                payment=self.payment,
                browser=self.browser,
                credential=request.POST.get("credential", ""),
                name=device_name(request),
                address=self.address,
                now=self.now,
            )
        except VerificationFailed as error:
            return self.not_verified(error)
        return self.pay(self.session.customer)


class NewPasskeyOptions(StepPage, AsOptions):
    steps = frozenset({CheckoutStep.NEW_PASSKEY})

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        amount = self.payment.sale_amount
        options = begin_registration(
            session=self.session, payment_id=payment_id, amount=amount, now=self.now
        )
        return JsonResponse(options)


def customer_here(page: CheckoutPage) -> Customer | None:
    """Return the customer whose passkey this device holds, if they can sign in here."""
    customers = Customer.objects.filter(livemode=page.livemode, frozen_at=None)
    found = customers.filter(pk=page.device_customer_id).first()
    return found if found is not None and found.may_pay(page.merchant_id) else None


def is_of_this_device(credential: str) -> bool:
    """Return whether the passkey is on this device itself, not on another one such as a phone."""
    try:
        return dict(json.loads(credential)).get("authenticatorAttachment") == "platform"
    except (TypeError, ValueError):
        return False


def device_name(request: HttpRequest) -> str:
    """Return a name by which the customer will recognize the device."""
    return device_of(request) or _("Passkey")
