"""Pages of a payment that stays open: money is missing or on its way, or it was declined."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from checkout.adding import choices_of, on_its_way
from checkout.flow import CheckoutStep, missing_amount, submit_payment
from checkout.pages import SeeOther
from checkout.payment_pages import PaymentAction, PostOnly
from checkout.refusals import day_limit_message
from funding.errors import FundingLimitReached
from funding.services import order_top_up


class DeclinedPage(PaymentAction):
    """Offers another way to pay; the payment waits."""

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return self.page("declined.html")


class ShortPage(PaymentAction):
    """Shows how much is missing, and offers ways to add it; the payment waits.

    Visitors who are not signed in have no balance, but the test tools may lead here.
    """

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        customer = self.browser.customer
        if top_up := on_its_way(self.payment, customer, now=self.now) if customer else None:
            return SeeOther(reverse("top-up", args=[top_up.pk]))
        return self.show()

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        """Order a top-up of the missing amount, in the chosen way."""
        customer = self.browser.customer
        if customer is None:
            return self.go_to(CheckoutStep.SIGN_IN)
        missing = missing_amount(self.payment, customer)
        if not missing:
            return SeeOther(self.payment.hosted_url)
        try:
            top_up = order_top_up(
                customer_id=customer.pk,
                way=request.POST.get("way", ""),
                amount=missing,
                currency=self.payment.currency,
                payment=self.payment,
                now=self.now,
            )
        except FundingLimitReached as error:
            return self.tell(day_limit_message(error, self.payment.currency))
        return SeeOther(reverse("top-up", args=[top_up.pk]))

    def show(self) -> HttpResponse:
        balance = self.balance()
        if balance is None and not self.livemode:
            balance = 0
        if balance is None or balance >= self.payment.sale_amount:
            return SeeOther(self.payment.hosted_url)
        missing = self.payment.sale_amount - balance
        currency = self.payment.currency
        signed_in = self.browser.customer is not None
        return self.page(
            "short.html",
            balance=balance,
            missing=missing,
            choices=choices_of(livemode=self.livemode, currency=currency) if signed_in else [],
        )


class ProveAheadAction(PostOnly):
    """Ask for the PIN or passkey while the money is still on its way."""

    pays = True

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        if self.browser.session is None:
            return self.go_to(CheckoutStep.SIGN_IN)
        self.payment = submit_payment(
            payment=self.payment, browser=self.browser, now=self.now, ahead=True
        )
        return self.go_on()
