"""Add money: the order form on the customer's own pages, and the page of each top-up."""

from dataclasses import replace

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_safe

from checkout.adding import (
    bank_rows,
    choices_of,
    top_up_version_of,
    top_up_view_of,
)
from checkout.agreements import agreed_before
from checkout.amount_forms import AmountForm
from checkout.flow import proof_for
from checkout.formats import ending, signs
from checkout.headers import uncacheable_json
from checkout.pages import CheckoutPage, SeeOther
from checkout.payment_view import PaymentView, payment_view_of
from checkout.refusals import day_limit_message
from checkout.views.account import SignedInPage
from core.clock import request_now
from core.errors import ApiError
from customers.errors import CustomerNotFound
from funding.continuing import stored_verification
from funding.errors import FundingLimitReached
from funding.models import TopUp
from funding.services import cancel_top_up, order_top_up
from payments.statuses import PAYABLE

SHOWN = ("customer", "payment__merchant__logo", "payment__link__merchant", "payment__customer")


class AddMoneyPage(SignedInPage):
    """The form for the amount and the way to add it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        return self.show(AmountForm(currency=settings.DEFAULT_CURRENCY))

    def post(self, request: HttpRequest) -> HttpResponse:
        form = AmountForm(request.POST, currency=settings.DEFAULT_CURRENCY)
        if not form.is_valid():
            return self.show(form)
        try:
            top_up = order_top_up(
                customer_id=self.session.customer_id,
                way=request.POST.get("way", ""),
                amount=form.cleaned_data["amount"],
                currency=settings.DEFAULT_CURRENCY,
                now=self.now,
            )
        except FundingLimitReached as error:
            form.say(day_limit_message(error, settings.DEFAULT_CURRENCY))
            return self.show(form)
        except ApiError as error:
            self.show_error(form, error)
            return self.show(form)
        return SeeOther(reverse("top-up", args=[top_up.pk]))

    def show(self, form: AmountForm) -> HttpResponse:
        currency = settings.DEFAULT_CURRENCY
        return self.form_page(
            "add.html",
            form,
            choices=choices_of(livemode=self.livemode, currency=currency),
            back_address=self.own("account"),
            **signs(currency),
        )


class TopUpPage(CheckoutPage):
    """The state or receipt of a top-up. Knowing its URL is the permission to see it."""

    top_up: TopUp

    def prepare(self) -> None:
        self.top_up = TopUp.objects.select_related(*SHOWN).one(self.kwargs["top_up_id"])
        self.livemode = self.top_up.livemode
        if self.top_up.payment is not None:
            self.payment_view = payment_view_of(self.top_up.payment, now=self.now)
        super().prepare()

    def refuse_changed(self, view: PaymentView) -> None:
        """Show the top-up all the same; its forms submit the old digest, so paying is refused."""
        self.payment_view = replace(view, agreed=agreed_before(self.request, view))

    def get(self, request: HttpRequest, top_up_id: str) -> HttpResponse:
        customer = self.browser.customer
        return self.page(
            "top_up.html",
            top_up=top_up_view_of(self.top_up, now=self.now),
            bank_rows=bank_rows(),
            cash_place=settings.FUNDING_CASH_PLACE,
            is_own=customer is not None and customer.pk == self.top_up.customer_id,
            wallet=ending(self.top_up.customer.phone),
            waits=self.waits,
            goes_on=self.goes_on,
            zone=self.zone,
        )

    @property
    def waits(self) -> bool:
        """Whether a payment waits for this money."""
        payment = self.top_up.payment
        return payment is not None and payment.status_at(self.now) in PAYABLE

    @property
    def goes_on(self) -> bool:
        """Whether, as of now, the stored verification suffices to pay it automatically."""
        payment, customer = self.top_up.payment, self.top_up.customer
        if payment is None or not self.waits:
            return False
        proved = stored_verification(payment, customer.pk)
        return proved is not None and proved >= proof_for(payment, customer, now=self.now)


class CancelTopUp(TopUpPage):
    """Cancels a top-up, so that the customer can choose another way."""

    def get(self, request: HttpRequest, top_up_id: str) -> HttpResponse:
        return SeeOther(reverse("top-up", args=[top_up_id]))

    def post(self, request: HttpRequest, top_up_id: str) -> HttpResponse:
        customer = self.browser.customer
        if customer is None:
            raise CustomerNotFound
        cancel_top_up(top_up_id=top_up_id, customer_id=customer.pk, now=self.now)
        if self.top_up.payment is not None:
            return SeeOther(self.top_up.payment.hosted_url)
        return SeeOther(f"{reverse('account')}{self.mode}")


@require_safe
def status(request: HttpRequest, top_up_id: str) -> HttpResponse:
    """Return a top-up's state, for the page that polls it: one SQL statement, no session."""
    top_up = get_object_or_404(TopUp.objects.select_related("payment"), pk=top_up_id)
    return uncacheable_json({"version": top_up_version_of(top_up, now=request_now())})
