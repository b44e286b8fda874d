"""Two cashiers, one code, two customers at once: each sum is paid once."""

from collections.abc import Callable
from functools import partial

import pytest

from core.clock import utc_now
from ledger.models import Transfer, TransferKind
from payments.counters import pay_at_counter
from payments.models import Payment
from payments.reconciliation import check_payments
from payments.statuses import PaymentStatus
from payments.tickets import withdraw_ticket
from tests.payments.counter_sales import counter_of, scan, ticket_on
from tests.payments.journeys import pay_with, payer
from tests.races import at_once, outcomes

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
ROUNDS = 10


def test_phones_that_pay_one_sum_at_once_pay_it_once(merchant):
    counter, customers = counter_of(merchant), [payer(merchant), payer(merchant, "+12425550188")]
    for _ in range(ROUNDS):
        ticket = ticket_on(counter)
        sales = [scan(ticket) for _ in range(6)]

        results = at_once(
            [partial(pay_with, sale.id, customers[n % 2]) for n, sale in enumerate(sales)]
        )

        assert outcomes(results) == {"done": 1, "PAYMENT_CANCELED": 5}
        paid = Transfer.objects.filter(
            kind=TransferKind.PAYMENT, reference__in=[sale.id for sale in sales]
        )
        assert paid.count() == 1
    assert list(check_payments()) == []


def test_two_cashiers_and_two_customers_pay_each_sum_once(merchant):
    counter, customers = counter_of(merchant), [payer(merchant), payer(merchant, "+12425550188")]
    for _ in range(ROUNDS):
        first, second = at_once([partial(ticket_on, counter, amount) for amount in (700, 900)])

        def take(ticket, customer):
            return pay_with(scan(ticket).id, customer)

        results = at_once(
            [partial(take, ticket, one) for ticket in (first, second) for one in customers]
        )

        assert outcomes(results)["done"] == 2
        done = Payment.objects.filter(ticket__in=[first, second], status="completed")
        assert set(done.values_list("amount", flat=True)) == {700, 900}
        assert done.count() == 2


def test_paying_and_withdrawing_have_one_winner(merchant):
    counter, customer = counter_of(merchant), payer(merchant)
    for _ in range(ROUNDS):
        ticket = ticket_on(counter)
        sale = scan(ticket)

        def withdraw(ticket=ticket):
            return withdraw_ticket(
                counter_id=counter.id, ticket_id=ticket.id, actor="counter", now=utc_now()
            )

        calls: list[Callable[[], object]] = [partial(pay_with, sale.id, customer), withdraw]
        results = at_once(calls)

        sale.refresh_from_db()
        ticket.refresh_from_db()
        assert outcomes(results)["done"] == 1
        assert (sale.status == PaymentStatus.COMPLETED) == (ticket.withdrawn_at is None)


def test_a_phone_that_opens_a_sum_while_it_is_paid_pays_nothing(merchant):
    counter, customer = counter_of(merchant), payer(merchant)
    for number in range(ROUNDS):
        ticket = ticket_on(counter)
        sale = scan(ticket)
        late = partial(
            pay_at_counter,
            counter_id=counter.id,
            payment_id=f"pay_late{number}",
            amount=None,
            ticket_id=ticket.id,
            now=utc_now(),
        )

        at_once([partial(pay_with, sale.id, customer), late])

        opened = Payment.objects.filter(pk=f"pay_late{number}")
        assert set(opened.values_list("status", flat=True)) <= {PaymentStatus.CANCELED}


def test_cashiers_at_once_put_no_more_sums_on_a_code_than_it_holds(merchant):
    counter = counter_of(merchant)

    results = at_once([partial(ticket_on, counter, amount) for amount in range(101, 113)])

    assert outcomes(results) == {"done": 9, "CONFLICT": 3}
    assert counter.tickets.count() == 9
