"""The merchant's till at a counter, and the page of a payment link."""

from contextlib import suppress
from functools import cache

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from checkout.amount_forms import AmountForm, RepeatGuardForm
from checkout.counter_screens import (
    charge,
    counter_of_screen,
    day_at,
    sales_at,
    ticket_key,
    waiting_at,
)
from checkout.endings import STILL, Ending
from checkout.formats import signs
from checkout.forms import Form
from checkout.new_payments import form_key, start_through_link
from checkout.opening_limits import count_opening
from checkout.pages import CheckoutPage, Detour, SeeOther
from checkout.payment_pages import go_to_opened
from checkout.payment_view import PaymentView, link_view_of, payment_view_of
from checkout.refusals import refused_charge
from checkout.till_forms import ChargeForm
from core.errors import InvalidAmount, NotFound
from core.handler import SAFE_METHODS
from core.ids import is_id
from core.prepared import Placeholder, Prepared
from links.errors import PaymentLinkExpired, PaymentLinkInactive, PaymentLinkNotFound
from links.models import PaymentLink
from links.services import refuse_closed
from links.statistics import note_opened
from payments.errors import PaymentNotFound, TicketClosed, TicketsTooMany
from payments.models import Payment
from payments.statuses import PaymentStatus
from payments.tickets import withdraw_ticket
from payments.tills import till_of


def _moved() -> Ending:
    """Return what a cashier reads: no way to a payment, which the code at the counter leads to."""
    return Ending(
        _("This screen has another address"),
        STILL,
        _("The shop has renewed it, or this one is cut off or mistyped."),
        next=_("Ask the person who manages the shop's payments for the new address."),
    )


class CounterScreen(CheckoutPage):
    """The till screen: open tickets, recent payments, and a keypad to put a sum on the QR code."""

    template = "counter.html"
    counter: Payment
    payment_view: PaymentView

    def prepare(self) -> None:
        try:
            self.counter = counter_of_screen(**self.kwargs)
        except (NotFound, PaymentNotFound) as error:
            raise Detour(self.page("stopped.html", end=_moved(), status=error.status)) from None
        self.livemode = self.counter.livemode
        self.payment_view = payment_view_of(self.counter, now=self.now)

    def get(self, request: HttpRequest, payment_id: str, token: str) -> HttpResponse:
        return self.show(self.form())

    def post(self, request: HttpRequest, payment_id: str, token: str) -> HttpResponse:
        """Put a sum on the QR code, or take one off."""
        form = self.form(request)
        if ticket_id := request.POST.get("withdraw", ""):
            self.withdraw(ticket_id)
        elif not form.is_valid():
            return self.show(form)
        else:
            answer = form.cleaned_data
            try:
                charge(
                    counter=self.counter,
                    key=answer["key"],
                    amount=answer["amount"],
                    items=answer["items"],
                    now=self.now,
                )
            except (InvalidAmount, TicketsTooMany) as error:
                form.add_error("amount", refused_charge(error))
                return self.show(form)
        return SeeOther(request.path)

    def withdraw(self, ticket_id: str) -> None:
        actor = f"counter:{self.counter.id}"
        if not is_id("tkt", ticket_id):
            return
        with suppress(TicketClosed):  # paid or withdrawn meanwhile: the list shows it
            withdraw_ticket(
                counter_id=self.counter.id, ticket_id=ticket_id, actor=actor, now=self.now
            )

    def form(self, request: HttpRequest | None = None) -> ChargeForm:
        till = till_of(merchant_id=self.counter.merchant_id, livemode=self.livemode)
        currency = self.counter.currency
        products = [each for each in till.products if each["currency"] == currency]
        data = request.POST if request else None
        initial = {"key": ticket_key(self.counter, now=self.now)}
        return ChargeForm(data, initial=initial, currency=currency, products=products)

    def show(self, form: ChargeForm) -> HttpResponse:
        payment_id, token = self.kwargs["payment_id"], self.kwargs["token"]
        is_open = self.counter.status == PaymentStatus.CREATED
        return self.form_page(
            self.template,
            form,
            sales=sales_at(self.counter),
            day=day_at(self.counter, now=self.now),
            tickets=waiting_at(self.counter, now=self.now),
            takes_sums=is_open and self.counter.amount is None,
            feed_address=reverse("counter-feed", args=[payment_id, token]),
            posters=[
                (words, reverse("checkout-poster", args=[payment_id, size]))
                for size, words in paper_sizes()
            ],
            **signs(self.counter.currency),
        )


class CounterFeed(CounterScreen):
    """Only the lists, with which the screen refreshes itself."""

    template = "_feed.html"
    http_method_names = ("get", "head")


class LinkPage(CheckoutPage):
    """The page of a payment link, which opens payments."""

    link: PaymentLink
    payment_view: PaymentView

    def prepare(self) -> None:
        self.link = _shown().one(PaymentLinkNotFound, **self.kwargs)
        self.livemode, self.merchant_id = self.link.livemode, self.link.merchant_id
        super().prepare()
        try:
            refuse_closed(self.link, now=self.now)
        except (PaymentLinkInactive, PaymentLinkExpired):
            if self.request.method in SAFE_METHODS:
                self.show_what_was_paid(link=self.link)
            raise
        self.payment_view = link_view_of(self.link, now=self.now)

    def get(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        note_opened(self.link.id)
        return self.show(self.form())

    def post(self, request: HttpRequest, **kwargs: str) -> HttpResponse:
        form = self.form(request)
        if not form.is_valid():
            return self.show(form)
        answer = form.cleaned_data
        count_opening(self.link.id, self.browser, self.address)
        payment_id = start_through_link(
            link_id=self.link.id, key=answer["key"], amount=answer.get("amount"), now=self.now
        )
        return go_to_opened(self, payment_id, has_pressed_pay=self.link.amount is not None)

    def form(self, request: HttpRequest | None = None) -> Form:
        data = request.POST if request else None
        initial = {"key": form_key(self.link.id, now=self.now)}
        if self.link.amount is not None:
            return RepeatGuardForm(data, initial=initial)
        return AmountForm(data, initial=initial, currency=self.link.currency)

    def show(self, form: Form) -> HttpResponse:
        template = "keypad.html" if self.link.amount is None else "link.html"
        return self.form_page(template, form, **signs(self.link.currency))


@cache
def _shown() -> Prepared[PaymentLink]:
    links = PaymentLink.objects.at(Placeholder("merchant_slug")).select_related("merchant__logo")
    return Prepared(links.defer("merchant__logo__png").filter(pk=Placeholder("link_id")))


def paper_sizes() -> list[tuple[str, str]]:
    """Return the sizes of a poster, with their button labels."""
    return [("a4", _("Poster A4")), ("a5", _("Poster A5")), ("card", _("Table card"))]
