"""A sum on a counter's code: opened by scanning, with or without a tip, paid once."""

from datetime import timedelta

import pytest
from django.db import transaction

from core.clock import utc_now
from core.errors import InvalidAmount, ValidationFailed
from ledger.models import Purpose, Transfer, TransferKind
from ledger.services import balances
from payments.counters import pay_at_counter
from payments.customer_steps import ask_for_proof
from payments.errors import PaymentCanceled, TicketClosed, TicketsTooMany
from payments.expiry import expire_due
from payments.models import Payment, Ticket
from payments.reconciliation import check_payments
from payments.statuses import PaymentStatus
from payments.tickets import MOST_OPEN, withdraw_ticket
from tests.factories import PaymentFactory
from tests.payments.counter_sales import counter_of, events_of, scan, ticket_on
from tests.payments.journeys import ACTOR, SLOW_PHONE, pay_with, payer

pytestmark = pytest.mark.django_db
COFFEES = [{"name": "Coffee", "quantity": 2, "price": 300}]


def test_it_is_paid_with_its_items(merchant):
    ticket = ticket_on(counter_of(merchant), amount=50, items=COFFEES)

    sale = pay_with(scan(ticket).id, payer(merchant))

    ticket.refresh_from_db()
    assert (sale.amount, sale.tip, sale.line_items) == (650, None, COFFEES)
    assert sale.expires_at == sale.created_at + timedelta(minutes=30)
    assert (ticket.taken_at, ticket.taken_by_id) == (sale.completed_at, sale.id)
    assert list(check_payments()) == []


def test_a_tip_is_part_of_the_amount_and_a_transfer_of_its_own(api, merchant):
    sale = scan(ticket_on(counter_of(merchant, tips_allowed=True)), tip=250)

    pay_with(sale.id, payer(merchant))

    record = api(merchant).get(f"/v1/payments/{sale.id}").json()
    assert (record["amount"], record["tip"], record["amount_refundable"]) == (1_500, 250, 1_500)
    moved = Transfer.objects.filter(reference=sale.id).order_by("id")
    assert list(moved.values_list("kind", "amount")) == [("payment", 1_250), ("tip", 250)]
    held = balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False)
    assert held == {"BSD": 1_500}
    told = {event["type"]: event["data"] for event in events_of(sale.id)}
    assert told["payment.created"]["tip"] == told["payment.completed"]["tip"] == 250
    assert list(check_payments()) == []


def test_a_refund_of_the_whole_gives_the_tip_back(api, merchant):
    sale = scan(ticket_on(counter_of(merchant, tips_allowed=True)), tip=250)
    pay_with(sale.id, payer(merchant))

    refund = api(merchant).post(f"/v1/payments/{sale.id}/refund", {}).json()

    assert refund["amount"] == 1_500
    held = balances(owner=merchant.id, purpose=Purpose.MERCHANT, livemode=False)
    assert held == {"BSD": 0}


def test_the_proof_finds_a_tip_that_did_not_move(merchant):
    sale = pay_with(scan(ticket_on(counter_of(merchant))).id, payer(merchant))
    Payment.objects.filter(pk=sale.id).update(tip=50)

    assert f"Payment {sale.id} is completed without the transfer of its tip." in check_payments()


def test_the_proof_finds_a_sum_that_is_paid_and_not_taken(merchant):
    ticket = ticket_on(counter_of(merchant))
    sale = pay_with(scan(ticket).id, payer(merchant))
    Ticket.objects.update(taken_by=None, taken_at=None)

    [problem] = check_payments()
    assert problem == f"Payment {sale.id} is completed without having taken its ticket."


@pytest.mark.parametrize(("allowed", "tip"), [(False, 100), (True, 1_251), (True, -1)])
def test_it_refuses_a_tip_that_is_not_taken(merchant, allowed, tip):
    ticket = ticket_on(counter_of(merchant, tips_allowed=allowed))

    with pytest.raises(ValidationFailed), transaction.atomic():
        scan(ticket, tip=tip)
    assert not Payment.objects.filter(ticket=ticket).exists()


def test_the_first_to_pay_takes_it_and_the_others_are_canceled(merchant):
    ticket = ticket_on(counter_of(merchant))
    paid, asked, new = scan(ticket), scan(ticket), scan(ticket)
    ask_for_proof(payment_id=asked.id, actor=ACTOR, now=utc_now())

    pay_with(paid.id, payer(merchant))

    for other in (asked, new):
        other.refresh_from_db()
        assert other.status == PaymentStatus.CANCELED
        assert other.transitions.latest("id").cause == "paid with another phone"
        assert events_of(other.id)[-1]["type"] == "payment.canceled"
        with pytest.raises(PaymentCanceled):
            pay_with(other.id, payer(merchant))
    assert Transfer.objects.filter(kind=TransferKind.PAYMENT).count() == 1


def test_a_stranger_who_opens_many_does_not_keep_it_from_being_paid(merchant):
    """Each was canceled in the transaction that pays: 1,500 of them took it twelve seconds."""
    ticket = ticket_on(counter_of(merchant))
    *opened, paid = [scan(ticket) for _ in range(23)]

    pay_with(paid.id, payer(merchant))

    statuses = [Payment.objects.get(pk=each.id).status for each in opened]
    assert statuses == [PaymentStatus.CANCELED] * 20 + [PaymentStatus.CREATED] * 2
    for each in opened[20:]:
        with pytest.raises(TicketClosed):
            pay_with(each.id, payer(merchant))
    assert Transfer.objects.filter(kind=TransferKind.PAYMENT).count() == 1
    assert expire_due(now=utc_now() + timedelta(minutes=31)) == 2


def test_one_that_has_expired_beside_it_is_expired_and_not_canceled(merchant):
    ticket = ticket_on(counter_of(merchant))
    late, paid = scan(ticket), scan(ticket)
    Payment.objects.filter(pk=late.id).update(expires_at=utc_now())

    pay_with(paid.id, payer(merchant))

    late.refresh_from_db()
    assert late.status == PaymentStatus.CREATED
    assert expire_due(now=utc_now()) == 1
    assert events_of(late.id)[-1]["type"] == "payment.expired"


def test_one_that_settles_later_has_taken_it_already(merchant):
    ticket = ticket_on(counter_of(merchant))
    slow, other = scan(ticket), scan(ticket)

    pay_with(slow.id, payer(merchant, SLOW_PHONE))

    other.refresh_from_db()
    assert other.status == PaymentStatus.CANCELED
    with pytest.raises(TicketClosed):
        scan(ticket)


def test_one_that_is_withdrawn_takes_its_payments_along(merchant):
    ticket = ticket_on(counter_of(merchant))
    sale = scan(ticket)

    withdraw_ticket(
        counter_id=ticket.counter_id, ticket_id=ticket.id, actor="counter", now=utc_now()
    )

    sale.refresh_from_db()
    assert sale.status == PaymentStatus.CANCELED
    with pytest.raises(TicketClosed):
        scan(ticket)


def test_one_that_is_paid_is_not_withdrawn(merchant):
    ticket = ticket_on(counter_of(merchant))
    sale = pay_with(scan(ticket).id, payer(merchant))

    with pytest.raises(TicketClosed):
        withdraw_ticket(
            counter_id=ticket.counter_id, ticket_id=ticket.id, actor="counter", now=utc_now()
        )
    sale.refresh_from_db()
    assert sale.status == PaymentStatus.COMPLETED


def test_one_that_has_waited_too_long_is_opened_no_more(merchant):
    ticket = ticket_on(counter_of(merchant))
    later = utc_now() + timedelta(minutes=30)

    with pytest.raises(TicketClosed):
        pay_at_counter(
            counter_id=ticket.counter_id,
            payment_id="pay_1",
            amount=None,
            ticket_id=ticket.id,
            now=later,
        )


def test_a_ticket_of_another_counter_is_not_opened(merchant):
    mine, ticket = counter_of(merchant), None
    other = Payment.objects.create(
        **{field.attname: getattr(mine, field.attname) for field in mine._meta.fields}
        | {"id": "pay_other"}
    )
    ticket = ticket_on(other)

    with pytest.raises(TicketClosed):
        pay_at_counter(
            counter_id=mine.id,
            payment_id="pay_1",
            amount=None,
            ticket_id=ticket.id,
            now=utc_now(),
        )


def test_only_its_own_payments_are_taken_or_withdrawn_with_it(merchant):
    counter = counter_of(merchant, tips_allowed=True)
    tickets = [ticket_on(counter, amount=amount) for amount in (100, 200, 300)]
    sales = [scan(ticket) for ticket in tickets]
    sales.append(scan(tickets[2], tip=300))
    apart = PaymentFactory(merchant=merchant)

    pay_with(sales[1].id, payer(merchant))
    now = utc_now()
    assert [each.pk for each in Ticket.objects.open_at(counter.id, now)] == [
        tickets[0].pk, tickets[2].pk
    ]  # fmt: skip
    withdraw_ticket(counter_id=counter.id, ticket_id=tickets[2].id, actor="counter", now=now)

    statuses = dict(Payment.objects.values_list("pk", "status"))
    assert [statuses[sale.pk] for sale in sales] == ["created", "completed", *["canceled"] * 2]
    assert statuses[apart.pk] == statuses[counter.pk] == "created"
    assert list(Ticket.objects.open_at(counter.id, now)) == tickets[:1]
    assert list(Ticket.objects.open_at(counter.id, tickets[0].expires_at)) == []
    assert not tickets[0].is_open(tickets[0].expires_at)
    assert list(Ticket.objects.open_at(apart.id, now)) == []


def test_one_cent_is_a_sum_and_a_tip(merchant):
    ticket = ticket_on(counter_of(merchant, tips_allowed=True), amount=1)

    assert scan(ticket, tip=1).amount == 2


def test_a_sum_and_its_tip_are_no_more_than_a_payment_can_be(merchant):
    counter = counter_of(merchant, tips_allowed=True)
    ticket = ticket_on(counter, amount=99_999_999_998)

    assert scan(ticket, tip=1).amount == 99_999_999_999
    with pytest.raises(InvalidAmount):
        scan(ticket, tip=2)


@pytest.mark.parametrize("amount", [0, -1, 100_000_000_000])
def test_it_refuses_what_is_no_sum(merchant, amount):
    with pytest.raises(InvalidAmount):
        ticket_on(counter_of(merchant), amount=amount)


def test_a_counter_with_a_fixed_amount_takes_none(merchant):
    with pytest.raises(InvalidAmount):
        ticket_on(counter_of(merchant, amount=500))


def test_a_closed_counter_takes_none(merchant):
    with pytest.raises(PaymentCanceled):
        ticket_on(counter_of(merchant, status="canceled", canceled_at=utc_now()))


def test_a_code_carries_nine_sums_at_most(merchant):
    counter = counter_of(merchant)
    for _ in range(MOST_OPEN):
        ticket_on(counter)

    with pytest.raises(TicketsTooMany):
        ticket_on(counter)
