"""Money that comes in twice at the same instant is credited once"""

from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from core.clock import utc_now
from customers.models import CustomerSession
from funding.cash import take_cash
from funding.continuing import follow_up, store_verification
from funding.errors import CashLimitReached, FundingLimitReached, TopUpStatusUnfit
from funding.models import CashDay, TopUp
from ledger.models import Transfer
from messages.models import Message
from payments.models import Payment
from payments.verification import Verification
from payouts.models import BankFile
from tests.funding.money_in import LIVE, booked, customer_with, held, notified, ordered, transfer
from tests.races import at_once, held_up

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def customer():
    return customer_with(0, LIVE, livemode=True)


def test_the_same_bank_line_in_four_imports(customer):
    line = transfer(2_000, ordered(customer).reference)

    at_once(
        [
            partial(booked, line),
            partial(booked, line),
            partial(notified, line),
            partial(booked, line, message_id="M-2", number="2026-2"),
        ]
    )

    assert held(customer) == 2_000
    assert Transfer.objects.count() == 1
    assert BankFile.objects.count() == 3


def test_two_agents_with_the_same_customer(customer):
    top_up = ordered(customer, 2_000, "agent")
    agents = ["staff:ann", "staff:ben", "staff:cat"]

    taken = at_once(
        [partial(take_cash, top_up_id=top_up.pk, agent=agent, now=utc_now()) for agent in agents]
    )

    assert sorted(type(each) is TopUp for each in taken) == [False, False, True]
    assert sum(isinstance(each, TopUpStatusUnfit) for each in taken) == 2
    assert held(customer) == 2_000


def test_one_agent_at_the_limit(customer, settings):
    settings.FUNDING_CASH_DAY_AMOUNT = 3_000
    top_ups = [ordered(customer, 1_000 + number, "agent") for number in range(4)]

    taken = at_once(
        [
            partial(take_cash, top_up_id=each.pk, agent="staff:ann", now=utc_now())
            for each in top_ups
        ]
    )

    assert sum(isinstance(each, CashLimitReached) for each in taken) == 2
    assert held(customer) <= 3_000


def test_cash_waits_for_what_the_same_agent_takes_of_another_customer(customer):
    """Who holds the agent's days may be taking the last that the limit has room for."""
    top_ups = [ordered(customer, 1_000 + number, "agent") for number in range(2)]
    take = partial(take_cash, agent="staff:ann", now=utc_now())
    take(top_up_id=top_ups[0].pk)

    taken = held_up(
        lambda: list(CashDay.objects.select_for_update()), lambda: take(top_up_id=top_ups[1].pk)
    )

    assert type(taken) is TopUp


def test_one_agent_on_both_sides_of_midnight(settings):
    """Requests of two days would each see none of the other's cash."""
    settings.FUNDING_CASH_DAY_AMOUNT, settings.STAFF_TIME_ZONE = 3_000, "America/Nassau"
    customers = [customer_with(0, f"+1242456000{each}", livemode=True) for each in range(4)]
    top_ups = [ordered(each, 2_000, "agent") for each in customers]
    TopUp.objects.update(expires_at=utc_now() + timedelta(days=9))
    midnight = datetime(2026, 3, 20, 4, tzinfo=UTC)
    instants = [midnight + timedelta(milliseconds=each) for each in (-2, 1, -1, 2)]

    at_once(
        [
            partial(take_cash, top_up_id=each.pk, agent="staff:ann", now=now)
            for each, now in zip(top_ups, instants, strict=True)
        ]
    )

    assert sum(held(each) for each in customers) == 2_000


def test_cash_of_earlier_days_at_the_limit_of_this_one(customer, settings):
    """Each agent would see none of what the others are taking."""
    top_ups = [ordered(customer, 1_000 + number, "agent") for number in range(4)]
    TopUp.objects.update(created_at=utc_now() - timedelta(days=2))
    settings.FUNDING_DAY_AMOUNT = 3_000

    taken = at_once(
        [
            partial(take_cash, top_up_id=each.pk, agent=f"staff:{each.amount}", now=utc_now())
            for each in top_ups
        ]
    )

    assert sum(isinstance(each, FundingLimitReached) for each in taken) == 2
    assert 2_000 < held(customer) <= 3_000


def test_orders_at_the_limit_of_a_day(customer, settings):
    settings.FUNDING_DAY_AMOUNT = 3_000

    made = at_once([partial(ordered, customer, 1_000 + number) for number in range(4)])

    assert sum(isinstance(each, FundingLimitReached) for each in made) == 2


def test_the_payment_goes_on_once(payment_of):
    payment, payer = payment_of(150), customer_with(0)
    top_up = ordered(payer, 150, "simulated", payment)
    TopUp.objects.filter(pk=top_up.pk).update(
        status="succeeded", amount_received=150, transaction_id="txn_1", succeeded_at=utc_now()
    )

    done = at_once([partial(follow_up, top_up_id=top_up.pk, now=utc_now())] * 4)

    assert sorted(map(bool, done)) == [False, False, False, True]
    assert Message.objects.filter(kind="top_up").count() == 1


def signed_in(customer):
    now = utc_now()
    return CustomerSession.objects.create(
        customer=customer, livemode=customer.livemode, token_hash="x", created_at=now,
        last_seen_at=now, expires_at=now + timedelta(hours=1),
    )  # fmt: skip


def test_it_is_not_paid_for_what_stands_there_since_the_proof_was_read(payment_of):
    """The shop changes the words in the instant in which the money of a proved payment comes."""
    payment, payer = payment_of(150, description="A phone"), customer_with(150)
    store_verification(
        payment=payment, session=signed_in(payer), verified=Verification.PIN, now=utc_now()
    )
    top_up = ordered(payer, 100, "simulated", payment)
    TopUp.objects.filter(pk=top_up.pk).update(
        status="succeeded", amount_received=100, transaction_id="txn_1", succeeded_at=utc_now()
    )

    def change_what_it_is_for() -> None:
        locked = Payment.objects.locked(payment.pk)
        locked.description = "A box"
        locked.save(update_fields=["description"])

    held_up(change_what_it_is_for, partial(follow_up, top_up_id=top_up.pk, now=utc_now()))

    payment.refresh_from_db()
    assert (payment.description, payment.status, held(payer)) == ("A box", "created", 150)
    assert "is not paid yet" in Message.objects.get(kind="top_up").text
