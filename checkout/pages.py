"""The frame of every page: who is looking, in which language, and what a refusal looks like."""

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from csp.decorators import csp
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.views import View

from checkout.browser_session import Visitor, visitor_of
from checkout.endings import stop_for
from checkout.flow import Step, balance_of_customer
from checkout.forms import Form
from checkout.headers import POLICY, seal_page
from checkout.languages import choose_language, remember_language
from checkout.payment_view import Bill, bill_of
from checkout.refusals import words_for
from checkout.test_mode import magic_phones, outcomes
from core.client_address import client_address, network_of
from core.clock import request_now
from core.errors import ApiError, MethodNotAllowed
from core.handler import api_error
from core.throttling import ADDRESS_LIMITS, spend
from customers.codes import CODE_DIGITS, LIFETIME, TEST_CODE
from customers.pin_rules import TEST_PIN
from merchants.models import DEFAULT_TIME_ZONE
from payments.errors import REFUSAL_BY_STATUS, PaymentAlreadyCompleted
from payments.models import Payment

UNPROCESSABLE = 422

# What sentences of the pages name: the constants that act.
FIGURES = {
    "code_digits": CODE_DIGITS,
    "code_minutes": LIFETIME.seconds // 60,
    "redirect_seconds": 10,  # after which the browser leaves a paid payment for the shop
    "test_code": TEST_CODE,
    "test_pin": TEST_PIN,
}


class SeeOther(HttpResponseRedirect):
    """After a POST: go and look there."""

    status_code = 303


class Detour(Exception):
    """The visitor belongs elsewhere: answer with this instead of what they asked for."""

    def __init__(self, response: HttpResponse) -> None:
        self.response = response
        super().__init__(response)


@method_decorator(csp(POLICY), name="dispatch")
class Page(View):
    """A page that customers see. A handler does three things: parse, one call, render."""

    now: datetime
    visitor = Visitor()
    livemode = True
    bill: Bill | None = None
    payment_address = ""

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.now = request_now()

    def prepare(self) -> None:
        """Read what the page is about, before its handler runs."""
        self.visitor = visitor_of(self.request, livemode=self.livemode, now=self.now)

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        choose_language(request)
        try:
            self.go_home()
            self.spend()
            self.prepare()
            response = super().dispatch(request, *args, **kwargs)
        except Detour as detour:
            response = detour.response
        except ApiError as error:
            response = self.refused(error)
        except Exception as error:  # the edge of the process, for pages
            response = self.refused(api_error(error))
        assert isinstance(response, HttpResponse)  # noqa: S101  # no page is a stream
        remember_language(request, response)
        return seal_page(response)

    def go_home(self) -> None:
        """Lead from the API's host, which QR codes name, to the checkout's: passkeys live there."""
        host, home = self.request.get_host(), urlsplit(settings.CHECKOUT_URL).netloc
        is_elsewhere = host != home and host == urlsplit(settings.BASE_URL).netloc
        if is_elsewhere and self.request.method in ("GET", "HEAD"):
            address = f"{settings.CHECKOUT_URL}{self.request.get_full_path()}"
            raise Detour(HttpResponseRedirect(address))

    def spend(self) -> None:
        """Count what is pressed from one address, where limits are on. Raises RateLimited."""
        if self.request.method == "POST":
            spend(ADDRESS_LIMITS, f"pages {network_of(self.address)}")

    @property
    def address(self) -> str:
        """Where the visitor comes from, on the network."""
        return client_address(self.request)

    @property
    def language(self) -> str:
        """Which language the page speaks."""
        return get_language() or ""

    def http_method_not_allowed(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        raise MethodNotAllowed

    def page(self, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
        """Render a template with what every page needs."""
        common = {
            "service_name": settings.SERVICE_NAME,
            "languages": settings.LANGUAGES,
            "livemode": self.livemode,
            "mode": "" if self.livemode else "?test=1",
            "customer": self.visitor.customer,
            "bill": self.bill,
            **({} if self.livemode else {"magic_phones": magic_phones(), "outcomes": outcomes()}),
            "figures": FIGURES,
            "brand_color": self.bill.payee.brand_color if self.bill else "",
        }
        return render(self.request, f"checkout/{template}", common | context, status=status)

    def form_page(self, template: str, form: Form, **context: Any) -> HttpResponse:
        """Render a form, with what was wrong with it."""
        status = UNPROCESSABLE if form.errors else 200
        return self.page(template, form=form, status=status, **context)

    def tell(self, form: Form, error: ApiError) -> None:
        """Tell a refused answer at its field; where there is nothing to say there, raise it."""
        zone = self.bill.zone if self.bill else DEFAULT_TIME_ZONE
        words = words_for(error, zone=zone, now=self.now)
        if words is None:
            raise error
        form.first_field_error(words)

    def refused(self, error: ApiError) -> HttpResponse:
        """Say what stopped the customer, and what to do next."""
        end = stop_for(error, payment_address=self.payment_address)
        response = self.page("stopped.html", end=end, status=error.status)
        for name, value in error.headers.items():
            response[name] = value
        return response


class PaymentPage(Page):
    """A page about one payment; its address is the right to see it."""

    payment: Payment
    bill: Bill

    def prepare(self) -> None:
        payments = Payment.objects.select_related("merchant", "link__merchant", "customer")
        self.payment = payments.one(self.kwargs["payment_id"])
        self.payment_address = self.payment.hosted_url
        self.livemode = self.payment.livemode
        self.bill = bill_of(self.payment, now=self.now)
        super().prepare()

    def balance(self) -> int | None:
        """Return what whoever is signed in has in the wallet."""
        customer = self.visitor.customer
        return balance_of_customer(customer, self.payment.currency) if customer else None

    def go_to(self, step: Step) -> HttpResponse:
        """Send the customer to the page of a step."""
        return SeeOther(reverse(step.value, args=[self.payment.id]))

    def refused(self, error: ApiError) -> HttpResponse:
        """Show the payment as it is now, where its status was what refused."""
        if not isinstance(error, tuple(REFUSAL_BY_STATUS.values())):
            return super().refused(error)
        question = "?already=1" if isinstance(error, PaymentAlreadyCompleted) else ""
        return SeeOther(f"{self.payment.hosted_url}{question}")
