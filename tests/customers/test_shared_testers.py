"""Test customers of before, which all merchants shared, when the service is upgraded."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from core.clock import utc_now
from customers.models import Customer, CustomerSession
from customers.services import find_or_create, test_customer
from customers.sessions import start_session
from merchants.callers import Caller
from merchants.models import Merchant
from payments.models import Payment
from refunds.services import RefundDraft, create_refund
from tests.factories import PaymentFactory
from tests.ledger.funding import problems
from tests.nights import RELEASED
from tests.payments.journeys import pay_with

pytestmark = [
    pytest.mark.slow,
    pytest.mark.night(RELEASED),
    pytest.mark.django_db(transaction=True),
]

BEFORE = [("backoffice", "0007_insiders"), ("customers", "0005_cash_codes")]
OWN, SHARED, IDLE, LIVE = "+12425550177", "+12425550100", "+12425550178", "+12423591234"


@pytest.fixture(autouse=True)
def latest() -> Iterator[None]:
    """Leave the tables as they should be, whatever happens."""
    yield
    upgrade()


def upgrade() -> None:
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())


def index_of_addresses_is_there() -> bool:
    """Return whether an index that the tables' remaking could lose is still there."""
    with connection.cursor() as cursor:
        known = connection.introspection.get_constraints(cursor, Customer._meta.db_table)
    return "office_customer_email" in known


def payment_at(merchant: Merchant, customer: Customer) -> Payment:
    Customer.objects.filter(pk=customer.pk).update(merchant=merchant)
    return pay_with(PaymentFactory(merchant=merchant).pk, Customer.objects.get(pk=customer.pk))


def test_one_merchants_are_kept_and_those_of_several_are_retired(
    merchant: Merchant, stranger: Merchant
) -> None:
    now: datetime = utc_now()
    own, shared, idle = (
        test_customer(it, now, merchant_id=merchant.id) for it in (OWN, SHARED, IDLE)
    )
    payment_at(merchant, shared)
    theirs = payment_at(stranger, shared)
    payment_at(merchant, own)
    customers = (own, shared, idle, find_or_create(phone=LIVE, now=now))
    for customer in customers:
        start_session(customer=customer, now=now)

    MigrationExecutor(connection).migrate(BEFORE)
    upgrade()
    call_command("sign_ledger")  # as after any upgrade from before rows were signed

    assert dict(Customer.objects.values_list("phone", "merchant_id")) == {
        OWN: merchant.id,
        SHARED: None,
        IDLE: None,
        LIVE: None,
    }
    ended = CustomerSession.objects.exclude(ended_at=None).values_list("customer", flat=True)
    assert set(ended) == {shared.pk, idle.pk}
    assert Payment.objects.get(pk=theirs.pk).customer_id == shared.pk
    assert problems() == []
    create_refund(
        caller=Caller(stranger, livemode=False, actor="key:test"),
        payment_id=theirs.id,
        draft=RefundDraft(amount=100),
        now=now,
    )
    fresh = test_customer(SHARED, now, merchant_id=stranger.id)
    assert fresh.pk != shared.pk
    assert test_customer(OWN, now, merchant_id=merchant.id) == own
    assert problems() == []
    assert index_of_addresses_is_there()
