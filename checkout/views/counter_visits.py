"""What a customer sees after scanning the QR code of a counter."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse

from checkout.endings import counter_closed
from checkout.formats import signs
from checkout.new_payments import form_key, start_at_counter
from checkout.opening_limits import count_opening
from checkout.pages import SeeOther
from checkout.payment_pages import PaymentPage, go_to_opened
from checkout.payment_view import items_of
from checkout.till_forms import CounterAmountForm, TicketForm
from core.errors import MethodNotAllowed
from core.handler import SAFE_METHODS
from core.ids import is_id
from payments.models import Ticket
from payments.statuses import PaymentStatus
from payments.tills import till_of

OWN_AMOUNT = "own"


class CounterVisit(PaymentPage):
    """A counter's page: the sum that waits there, a choice of several, or a keypad."""

    tips_allowed = False
    tickets: list[Ticket]

    def counter(self, status: PaymentStatus) -> HttpResponse:
        """Show what can be paid here now."""
        if status != PaymentStatus.CREATED:
            return self.page("stopped.html", end=counter_closed())
        self.load_till()
        chosen = self.chosen()
        if self.is_gone and is_id("tkt", self.asked):
            self.show_what_was_paid(ticket=self.asked)
        if chosen is None and self.is_choice:
            return self.page("tickets.html", tickets=self.tickets, is_gone=self.is_gone)
        return self.show(chosen, self.form(chosen))

    def post(self, request: HttpRequest, payment_id: str) -> HttpResponse:
        """Open a new payment at the counter."""
        if not self.payment.is_counter:
            raise MethodNotAllowed.but(SAFE_METHODS)
        self.load_till()
        chosen = self.chosen()
        if chosen is None and self.asked not in ("", OWN_AMOUNT):
            return SeeOther(f"{self.payment.hosted_url}?ticket={self.asked}")
        form = self.form(chosen, request)
        if not form.is_valid():
            return self.show(chosen, form)
        answer = form.cleaned_data
        count_opening(payment_id, self.browser, self.address)
        opened = start_at_counter(
            counter_id=payment_id,
            key=answer["key"],
            amount=answer.get("amount"),
            ticket_id="" if chosen is None else chosen.id,
            tip=answer["tip_amount"],
            now=self.now,
        )
        has_pressed_pay = chosen is not None and not self.tips_allowed
        return go_to_opened(self, opened, has_pressed_pay=has_pressed_pay)

    def load_till(self) -> None:
        """Load the counter's open tickets, and whether it accepts tips."""
        merchant_id, livemode = self.payment.merchant_id, self.payment.livemode
        self.tips_allowed = till_of(merchant_id=merchant_id, livemode=livemode).tips_allowed
        self.tickets = list(Ticket.objects.open_at(self.payment.id, self.now))

    @property
    def asked(self) -> str:
        """The ticket named by the form, or else by the URL; a form acts on no other."""
        return self.request.POST.get("ticket", "") or self.request.GET.get("ticket", "")

    @property
    def is_choice(self) -> bool:
        return self.is_gone or (len(self.tickets) > 1 and self.asked != OWN_AMOUNT)

    @property
    def is_gone(self) -> bool:
        """Whether the requested ticket is no longer open."""
        waiting = {ticket.id for ticket in self.tickets}
        return self.asked not in ("", OWN_AMOUNT) and self.asked not in waiting

    def chosen(self) -> Ticket | None:
        """Return the ticket that the URL names, or the only open one."""
        if not self.asked and len(self.tickets) == 1:
            return self.tickets[0]
        return next((each for each in self.tickets if each.id == self.asked), None)

    def form(
        self, ticket: Ticket | None, request: HttpRequest | None = None
    ) -> TicketForm | CounterAmountForm:
        data = request.POST if request else None
        initial = {"key": form_key(self.payment.id, now=self.now)}
        currency, tips = self.payment.currency, self.tips_allowed
        fixed = self.payment.amount if ticket is None else ticket.amount
        if fixed is None:
            return CounterAmountForm(data, initial=initial, currency=currency, tips=tips)
        return TicketForm(data, initial=initial, currency=currency, sum_amount=fixed, tips=tips)

    def show(self, ticket: Ticket | None, form: TicketForm | CounterAmountForm) -> HttpResponse:
        if ticket is not None:
            items = tuple(items_of(ticket.items))
            rest = ticket.amount - sum(item.amount for item in items) if items else 0
            self.payment_view = replace(
                self.payment_view, amount=ticket.amount, items=items, difference=rest
            )
        template = "keypad.html" if isinstance(form, CounterAmountForm) else "ticket.html"
        return self.form_page(
            template,
            form,
            ticket_id=OWN_AMOUNT if ticket is None else ticket.id,
            own_amount=OWN_AMOUNT if ticket is not None else "",
            tips_allowed=self.tips_allowed,
            **signs(self.payment.currency),
        )
