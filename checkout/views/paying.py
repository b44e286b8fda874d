"""The page of a payment, and the actions on it."""

from functools import cache

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from checkout.adding import on_its_way
from checkout.agreements import agreed_before, change_notice
from checkout.endings import ending_of, replaced
from checkout.flow import CheckoutStep, next_step, submit_payment
from checkout.forms import EmailForm, PinForm
from checkout.headers import open_to_all_sites, uncacheable_json
from checkout.pages import SeeOther
from checkout.passkey_payments import opens_passkey_dialog
from checkout.payment_pages import PaymentAction, PostOnly
from checkout.payment_view import PaymentView, version_of
from checkout.test_mode import SimulatedOutcome, simulate
from checkout.views.counter_visits import CounterVisit
from checkout.views.receipts import show_receipt
from core.clock import request_now
from core.errors import NotFound
from core.prepared import Placeholder, Prepared
from customers.pin_locks import lock_of
from payments.customer_steps import cancel_by_customer, return_to_review
from payments.models import Payment
from payments.replacements import replacement_of
from payments.statuses import PAYABLE, PaymentStatus
from payments.verification import Verification, required_for_amount


class ReviewPage(CounterVisit):
    """What is to be paid, to whom and until when; or how the payment ended."""

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        status = self.payment.status_at(self.now)
        if self.payment.is_counter or status in PAYABLE:
            self.refuse_suspended()
        if self.payment.is_counter:
            return self.counter(status)
        if status in PAYABLE:
            self.payment.refuse_ended_link(self.now)
            return self.review()
        if status == PaymentStatus.PROCESSING:
            return self.page("processing.html")
        if status == PaymentStatus.COMPLETED:
            return show_receipt(self, EmailForm())
        return self.ended(status)

    def refuse_changed(self, view: PaymentView) -> None:
        """Show the notice on this page instead of raising, until a press agrees to the change."""
        if agreed_before(self.request, view) != view.agreed:
            self.refusal = change_notice(view)

    def ended(self, status: PaymentStatus) -> HttpResponse:
        """Show how it ended unpaid, with its replacement, or a way to ask for one."""
        if self.payment.ticket_id is not None:
            self.show_what_was_paid(ticket=self.payment.ticket_id)
        end = ending_of(self.payment, self.payment_view, status=status)
        found = replacement_of(self.payment.id)
        if found is not None and found.replaced_by_id is not None:
            end = replaced(end, self.payment_view, by=found.replaced_by_id)
        return self.page(
            "ended.html",
            end=end,
            may_ask=found is None and not end.again_address,
            waits=found is not None and found.replaced_by_id is None,
        )

    def review(self) -> HttpResponse:
        """Show what to pay, and any top-up for it that is pending or has just arrived."""
        balance, customer = self.balance(), self.browser.customer
        is_enough = balance is not None and balance >= self.payment.sale_amount
        coming = None
        if customer is not None and not is_enough:
            coming = on_its_way(self.payment, customer, now=self.now)
        passkey_at = self.passkey_at()
        shows_pin = is_enough and not passkey_at and self.may_enter_pin()
        return self.page(
            "review.html",
            passkey_at=passkey_at,
            needs_passkey=required_for_amount(self.payment.sale_amount) == Verification.PASSKEY,
            pin_form=PinForm() if shows_pin else None,
            balance=balance,
            coming=coming,
            has_come=is_enough and "added" in self.request.GET,
        )

    def may_enter_pin(self) -> bool:
        """Return whether a signed-in customer can enter the PIN on this page and pay at once."""
        customer, session = self.browser.customer, self.browser.session
        if customer is None or lock_of(customer, now=self.now) is not None:
            return False
        return next_step(self.payment, session, now=self.now) == CheckoutStep.PIN

    def passkey_at(self) -> str:
        """Return the path for paying by passkey, if Pay itself opens the dialog; or ""."""
        session, held, now = self.browser.session, self.device_customer_id, self.now
        if session is None:
            return f"{self.payment.hosted_url}/passkey/device" if held else ""
        is_first = opens_passkey_dialog(self.payment, session, device_customer_id=held, now=now)
        return f"{self.payment.hosted_url}/passkey" if is_first else ""


class PayAction(PostOnly):
    """Handles Pay; a PIN entered on the same page is forwarded to the PIN page."""

    pays = True

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        if self.browser.session is None:
            # When the page was rendered: it said so, or had the field, as before it said so.
            was_signed_in = not request.POST.keys().isdisjoint(("signed_in", "pin"))
            return self.sign_in_again() if was_signed_in else self.go_to(CheckoutStep.SIGN_IN)
        self.payment = submit_payment(payment=self.payment, browser=self.browser, now=self.now)
        response = self.go_on()
        pin_page = reverse(CheckoutStep.PIN.value, args=[payment_id])
        if request.POST.get("pin") and response["Location"] == pin_page:
            return HttpResponseRedirect(pin_page, preserve_request=True)
        return response


class BackAction(PostOnly):
    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return_to_review(payment_id=payment_id, actor=self.browser.actor, now=self.now)
        return SeeOther(self.payment.hosted_url)


class CancelPage(PaymentAction):
    """Asks for confirmation, then cancels. Only its merchant can close a counter."""

    def refuse_changed(self, view: PaymentView) -> None:
        """Allow canceling even if the description has changed."""

    def get(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        return self.page("cancel.html")

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        cancel_by_customer(payment_id=payment_id, actor=self.browser.actor, now=self.now)
        return SeeOther(self.payment.hosted_url)


@require_safe
def status(request: HttpRequest, payment_id: str) -> HttpResponse:
    """Return a payment's status, for pages that wait for it to change.

    Every open page polls it every two seconds, merchants' pages with a button too: so one SQL
    statement, no session and no page class.
    """
    for payment in _polled().rows(id=payment_id):
        shown = payment.status_at(request_now())
        answer = uncacheable_json({"status": shown, "version": version_of(shown)})
        return open_to_all_sites(answer)
    raise Http404


@cache
def _polled() -> Prepared[Payment]:
    return Prepared(Payment.objects.only("status", "expires_at").filter(pk=Placeholder("id")))


class SimulateAction(PostOnly):
    """Test mode: end the payment in a chosen way."""

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        try:
            outcome = SimulatedOutcome(request.POST.get("outcome", ""))
        except ValueError:
            raise NotFound from None
        simulate(payment=self.payment, outcome=outcome, now=self.now)
        mark = "?paid=1" if outcome == SimulatedOutcome.APPROVE else ""
        return SeeOther(f"{self.payment.hosted_url}{mark}")
