"""The base of every page: the session, the language, and how errors are shown."""

from dataclasses import asdict
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import get_language
from django.views import View

from checkout.agreements import agreed_before, change_notice
from checkout.browser_session import BrowserSession, browser_session_of, customer_of_device
from checkout.endings import FAULT_OF_OURS, RECEIPTS, Ending, stop_for
from checkout.forms import Form
from checkout.headers import set_page_headers, set_policy
from checkout.known_payments import known_payment
from checkout.languages import choose_language, remember_language
from checkout.page_templates import rendered_page
from checkout.payment_view import PaymentView
from checkout.refusals import field_of, message_for
from checkout.refused_forms import (
    RefusedForm,
    forget_refusal,
    refusal_at,
    refused_form,
    remember_refusal,
    restore,
)
from checkout.test_mode import magic_phones, outcomes
from core.client_address import client_address, network_of
from core.clock import request_now
from core.errors import ApiError, MethodNotAllowed
from core.handler import api_error
from core.throttling import ADDRESS_LIMITS, consume
from customers.codes import CODE_DIGITS, LIFETIME, TEST_CODE
from customers.models import Customer
from customers.new_proofs import doubtful_until
from customers.pin_locks import lock_of
from customers.pin_rules import TEST_PIN
from customers.sessions import is_proven_by_code_only
from merchants.models import DEFAULT_TIME_ZONE
from payments.errors import DescriptionChanged
from payments.models import Payment
from payments.statuses import PaymentStatus

NOT_FOUND, UNPROCESSABLE = 404, 422
# Figures in the pages' sentences, from the constants in force.
FIGURES = {
    "code_digits": CODE_DIGITS,
    "code_minutes": LIFETIME.seconds // 60,
    "redirect_seconds": 10,  # after which the browser leaves a paid payment for the shop
    "test_code": TEST_CODE,
    "test_pin": TEST_PIN,
}


class SeeOther(HttpResponseRedirect):
    """The redirect after a POST."""

    status_code = 303


class Detour(Exception):
    """The visitor belongs on another page: answer with this response instead."""

    def __init__(self, response: HttpResponse) -> None:
        self.response = response
        super().__init__(response)


def is_shown_after_redirect(error: ApiError) -> bool:
    """Return whether a refused POST redirects to a page that shows the error."""
    return error.status < FAULT_OF_OURS and not error.headers


class CheckoutPage(View):
    """A page that customers see. A handler does three things: parse, one call, render."""

    now: datetime
    browser = BrowserSession()
    livemode = True
    payment_view: PaymentView | None = None
    payment_address = ""
    merchant_id: str | None = None
    refusal: RefusedForm | None = None
    pays = False  # whether its form must submit the description it was rendered with

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        if request.method in ("GET", "POST"):
            # Django's alias of `get` makes the page refer to itself, so that only the garbage
            # collector would free it.
            vars(self).pop("head", None)
        self.now = request_now()

    def prepare(self) -> None:
        """Load what the page needs, before its handler runs."""
        self.browser = self.browser_session(livemode=self.livemode)
        if self.payment_view and self.payment_view.payable:
            self.refuse_changed(self.payment_view)

    def refuse_changed(self, view: PaymentView) -> None:
        """Raise DescriptionChanged if the description is not the one that was agreed to."""
        agreed = agreed_before(self.request, view)
        if self.request.method == "POST":
            agreed = self.request.POST.get("agreed", "" if self.pays else view.agreed)
        if agreed != view.agreed:
            raise DescriptionChanged

    def browser_session(self, *, livemode: bool) -> BrowserSession:
        """Return this browser's session, live or test, if it is valid for this page."""
        return browser_session_of(
            self.request,
            livemode=livemode,
            now=self.now,
            payment_id=self.session_payment_id,
            merchant_id=self.merchant_id,
        )

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        choose_language(request)
        try:
            self.go_home()
            self.count_request()
            self.refusal = refusal_at(request)
            self.prepare()
            response = self.stopped() or super().dispatch(request, *args, **kwargs)
        except Detour as detour:
            response = detour.response
        except ApiError as error:
            response = self.refused(error)
        except Exception as error:  # the edge of the process, for pages
            response = self.refused(api_error(error))
        assert isinstance(response, HttpResponse)  # noqa: S101  # no page is a stream
        if self.refusal and not isinstance(response, HttpResponseRedirect):
            forget_refusal(response)
        remember_language(request, response)
        set_policy(request, response)
        return set_page_headers(response)

    def go_home(self) -> None:
        """Redirect from the API's host, as in QR codes, to the checkout's, where passkeys work."""
        if settings.CHECKOUT_URL == settings.BASE_URL:
            return
        host, home = self.request.get_host(), urlsplit(settings.CHECKOUT_URL).netloc
        is_elsewhere = host != home and host == urlsplit(settings.BASE_URL).netloc
        if is_elsewhere and self.request.method in ("GET", "HEAD"):
            address = f"{settings.CHECKOUT_URL}{self.request.get_full_path()}"
            raise Detour(HttpResponseRedirect(address))

    def count_request(self) -> None:
        """Count a POST against the limit of its network, if limits are on. Raises RateLimited."""
        if self.request.method == "POST":
            consume(ADDRESS_LIMITS, f"pages {network_of(self.address)}")

    @property
    def session_payment_id(self) -> str:
        """The payment of this page: a session limited to it may be used here."""
        return self.payment_view.id if self.payment_view else ""

    @property
    def device_customer_id(self) -> str:
        """The customer whose passkey this device holds, if they can pay here; or ""."""
        return customer_of_device(
            self.request, livemode=self.livemode, merchant_id=self.merchant_id
        )

    @property
    def mode(self) -> str:
        """The mode, as a query string for the customer's own pages."""
        return "" if self.livemode else f"?test={self.payment_view.id if self.payment_view else 1}"

    @property
    def zone(self) -> str:
        """The time zone of the page: the merchant's, or else the default."""
        return self.payment_view.zone if self.payment_view else DEFAULT_TIME_ZONE

    @property
    def address(self) -> str:
        """The visitor's network address."""
        return client_address(self.request)

    @property
    def language(self) -> str:
        return get_language() or ""

    def http_method_not_allowed(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        # The alias of `get` is gone where the method is POST.
        allowed = [
            name.upper()
            for name in self.http_method_names
            if hasattr(self, "get" if name == "head" else name)
        ]
        raise MethodNotAllowed.but(allowed)

    def page(self, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
        """Render a template with what every page needs."""
        common = {
            "service_name": settings.SERVICE_NAME,
            "languages": settings.LANGUAGES,
            "livemode": self.livemode,
            "now": self.now,  # from which the page's script counts, not from its own clock
            "mode": self.mode,
            "customer": self.browser.customer,
            "done": self.refusal.done if self.refusal else "",
            # Defined although empty: a failed template lookup costs ten times as much.
            "problem": "",
            "form": None,
            "opens": False,
            "payment_view": self.payment_view,
            **({} if self.livemode else {"magic_phones": magic_phones, "outcomes": outcomes}),
            "figures": FIGURES,
            "brand_color": self.payment_view.payee.brand_color if self.payment_view else "",
        }
        if self.refusal and self.refusal.problem:
            common["problem"], status = self.refusal.problem, self.refusal.status
        content = rendered_page(f"checkout/{template}", self.request, common | context)
        return HttpResponse(content, status=status)

    def form_page(self, template: str, form: Form, **context: Any) -> HttpResponse:
        """Render a form. A refused POST redirects here first, so that Back shows this page."""
        if self.request.method == "POST" and form.errors:
            return self.say_again(refused_form(form, at=self.request.path, status=UNPROCESSABLE))
        if self.refusal:
            restore(form, self.refusal)
        status = UNPROCESSABLE if form.errors else 200
        return self.page(template, form=form, status=status, **context)

    def tell(self, problem: str, *, status: int = UNPROCESSABLE, at: str = "") -> HttpResponse:
        """Redirect to this page, or to another one, which then shows the problem."""
        return self.say_again(RefusedForm(at or self.request.path, status, problem=problem))

    def say_again(self, refused: RefusedForm) -> HttpResponse:
        """Redirect to the page that shows the refusal, dropping `?lang=` from its URL."""
        given = self.request.GET.copy()
        given.pop("lang", None)
        query = given.urlencode()
        is_here = query and refused.at == self.request.path
        response = SeeOther(f"{refused.at}?{query}" if is_here else refused.at)
        remember_refusal(response, refused)
        return response

    def stopped(self) -> HttpResponse | None:
        """Return the full-page error that a refused POST has led to, if any."""
        if not self.refusal or not self.refusal.end:
            return None
        end = Ending(**self.refusal.end)
        return self.page("stopped.html", end=end, status=self.refusal.status)

    def show_error(self, form: Form, error: ApiError) -> None:
        """Show an error at its field; re-raise it if it has no message for a field."""
        words = message_for(error, zone=self.zone, now=self.now)
        if words is None:
            raise error
        form.say(words, at=field_of(error))

    def show_what_was_paid(self, **origin: Any) -> None:
        """Redirect a customer who has already paid through this link or ticket to the receipt."""
        session = self.browser.session
        if session is None:
            return
        paid = Payment.objects.filter(**origin, customer=session.customer)
        if is_proven_by_code_only(session) or doubtful_until(session.customer, self.now):
            paid = paid.filter(completed_at__gte=session.created_at)
        if last := paid.filter(status=PaymentStatus.COMPLETED).order_by("-pk").first():
            raise Detour(SeeOther(reverse("receipt", args=[last.pk])))

    def lock_words(self, customer: Customer) -> str:
        """Return why the customer's PIN is locked; empty if it is not."""
        lock = lock_of(customer, now=self.now)
        return message_for(lock, zone=self.zone, now=self.now) or "" if lock else ""

    def refused(self, error: ApiError) -> HttpResponse:
        """Show an error, and what to do next.

        Server errors, and those with headers such as Retry-After, are shown without a redirect.
        """
        if isinstance(error, DescriptionChanged) and self.payment_view:
            return self.say_again(change_notice(self.payment_view))
        address = self.payment_address
        if error.status == NOT_FOUND and not address:
            address = known_payment(self.request)
        is_paid = self.request.path.startswith(RECEIPTS)
        end = stop_for(error, payment_address=address, is_paid=is_paid)
        if (
            self.request.method == "POST"
            and self.payment_address
            and is_shown_after_redirect(error)
        ):
            return self.say_again(RefusedForm(self.payment_address, error.status, end=asdict(end)))
        response = self.page("stopped.html", end=end, status=error.status)
        for name, value in error.headers.items():
            response[name] = value
        return response
