"""The base classes of pages about one payment, and of steps towards paying it."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from checkout.agreements import remember_agreed
from checkout.flow import CheckoutStep, balance_of_customer, next_step
from checkout.marks import SIGNED_OUT, marked
from checkout.pages import CheckoutPage, SeeOther
from checkout.payment_view import SHOWN, PaymentView, payment_view_of
from core.errors import ApiError
from core.prepared import Placeholder, Prepared
from ledger.errors import InsufficientBalance
from merchants.standing import refuse_suspended
from payments.errors import (
    REFUSAL_BY_STATUS,
    PaymentAlreadyCompleted,
    PaymentDeclined,
    PaymentNotFound,
)
from payments.models import Payment
from payments.statuses import PAYABLE, PaymentStatus


@cache
def _shown() -> Prepared[Payment]:
    payments = Payment.objects.select_related("merchant__logo", "link__merchant", "customer")
    return Prepared(payments.only(*SHOWN).filter(pk=Placeholder("id")))


def go_to_opened(page: CheckoutPage, payment_id: str, *, has_pressed_pay: bool) -> HttpResponse:
    """Redirect from a counter or link to the payment that was opened there.

    Who `has_pressed_pay` there is asked for the phone next, unless the browser is signed in, or is
    known to hold a passkey that can pay by itself.
    """
    is_known = page.browser.session is not None or page.device_customer_id != ""
    step = CheckoutStep.SIGN_IN if has_pressed_pay and not is_known else CheckoutStep.PAY
    response = SeeOther(reverse(step.value, args=[payment_id]))
    remember_agreed(page.request, response, payment_id, page.request.POST.get("agreed", ""))
    return response


class PaymentPage(CheckoutPage):
    """A page about one payment. Knowing its URL is the permission to see it."""

    payment: Payment
    payment_view: PaymentView

    def prepare(self) -> None:
        self.payment = _shown().one(PaymentNotFound, id=self.kwargs["payment_id"])
        self.payment_address = self.payment.hosted_url
        self.livemode, self.merchant_id = self.payment.livemode, self.payment.merchant_id
        self.payment_view = payment_view_of(self.payment, now=self.now)
        super().prepare()

    def refuse_suspended(self) -> None:
        """Raise MerchantInactive if the payee may not be paid at the moment."""
        refuse_suspended(self.payment.merchant)

    @property
    def is_payer(self) -> bool:
        """Whether the signed-in customer is the one who paid, or last attempted to."""
        customer = self.browser.customer
        return customer is not None and customer.pk == self.payment.customer_id

    def balance(self) -> int | None:
        """Return the wallet balance of the signed-in customer; None if not signed in."""
        customer = self.browser.customer
        return balance_of_customer(customer, self.payment.currency) if customer else None

    def go_to(self, step: CheckoutStep) -> HttpResponse:
        """Redirect to the page of a step."""
        return SeeOther(reverse(step.value, args=[self.payment.id]))

    def refused(self, error: ApiError) -> HttpResponse:
        """Redirect to the payment if its own status caused the error."""
        if not isinstance(error, tuple(REFUSAL_BY_STATUS.values())):
            return super().refused(error)
        is_known = self.is_payer or not isinstance(error, PaymentAlreadyCompleted)
        question = "" if is_known else "?already=1"
        return SeeOther(f"{self.payment.hosted_url}{question}")


class PaymentAction(PaymentPage):
    """A step towards paying, available only while the payment can be paid.

    Refuses a suspended merchant and an ended link, so that no text message carries the name or the
    amount to any phone that a visitor enters. Remembers the agreed description for the next page.
    """

    def prepare(self) -> None:
        super().prepare()
        if self.payment.is_counter or self.payment.status_at(self.now) not in PAYABLE:
            raise self.payment.refusal(self.now)
        self.refuse_suspended()
        self.payment.refuse_ended_link(self.now)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().dispatch(request, *args, **kwargs)
        view = self.payment_view
        if view and request.POST.get("agreed") == view.agreed:
            remember_agreed(request, response, view.id, view.agreed)
        return response

    def go_on(self) -> HttpResponse:
        """Redirect to this customer's next step, or to the payment if there is none."""
        if self.payment.status == PaymentStatus.COMPLETED:
            return SeeOther(f"{self.payment.hosted_url}?paid=1")
        if self.payment.status_at(self.now) != PaymentStatus.REQUIRES_ACTION:
            return SeeOther(self.payment.hosted_url)
        return self.go_to(next_step(self.payment, self.browser.session, now=self.now))

    def sign_in_again(self) -> HttpResponse:
        """Redirect a customer whose session has ended to the phone number, which says so."""
        phone = reverse(CheckoutStep.SIGN_IN.value, args=[self.payment.id])
        return SeeOther(marked(phone, SIGNED_OUT))

    def refused(self, error: ApiError) -> HttpResponse:
        for kind, page in _WAYS_ON.items():
            if isinstance(error, kind):
                return SeeOther(reverse(page, args=[self.payment.id]))
        return super().refused(error)


# Errors that leave a payment open have their own pages, which offer another way to pay.
_WAYS_ON: dict[type[ApiError], str] = {
    InsufficientBalance: "checkout-short",
    PaymentDeclined: "checkout-declined",
}


class PostOnly(PaymentAction):
    """The target of a button. A GET redirects to the payment."""

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return SeeOther(self.payment.hosted_url)
