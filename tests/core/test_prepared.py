"""Prepared queries and rows written together: what the ORM would have done, in fewer steps."""

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.forms import model_to_dict

from core.among import Among
from core.clock import utc_now
from core.prepared import Placeholder, Prepared, PreparedUpdate, instant_placeholder
from core.writing import insertion_of, update_of, write
from merchants.callers import Caller
from merchants.models import Merchant
from payments.errors import PaymentNotFound
from payments.models import Payment, PaymentTransition
from payments.statuses import PaymentStatus
from tests.factories import PaymentFactory


def test_it_finds_what_the_queryset_does(payment: Payment) -> None:
    PaymentFactory(merchant=payment.merchant)
    rows = Payment.objects.select_related("merchant")

    (found,) = Prepared(rows.filter(pk=Placeholder("pk"))).rows(pk=payment.pk)

    assert model_to_dict(found) == model_to_dict(rows.get(pk=payment.pk))
    assert found.merchant == payment.merchant
    assert not found._state.adding


def test_what_it_refers_to_is_read_along_but_for_what_is_left_out(
    payment: Payment, django_assert_num_queries
) -> None:
    rows = Payment.objects.select_related("merchant", "customer").only(
        "status", "merchant__name", "customer__phone"
    )

    with django_assert_num_queries(1):
        (found,) = Prepared(rows.filter(pk=Placeholder("pk"))).rows(pk=payment.pk)
        assert found.merchant.name == payment.merchant.name
        assert found.customer is None
        assert not found.merchant._state.adding
    with django_assert_num_queries(1):
        assert found.merchant.slug == payment.merchant.slug


@pytest.mark.parametrize("metadata", [{}, {"größe": [1, 2.5, None, True], "most": 2**53 - 1}])
def test_it_reads_json_as_the_queryset_does(payment: Payment, metadata: dict[str, object]) -> None:
    Payment.objects.update(metadata=metadata)

    (found,) = Prepared(Payment.objects.filter(pk=Placeholder("pk"))).rows(pk=payment.pk)

    assert found.metadata == metadata
    assert found.line_items is None


def test_one_of_another_merchant_is_missing(payment: Payment, stranger: Merchant) -> None:
    no_one = Caller(None, livemode=False, actor="tests")
    for caller in (Caller(stranger, livemode=False, actor="tests"), no_one):
        with pytest.raises(PaymentNotFound):
            Payment.objects.one_of(caller, payment.pk)
    live = Caller(payment.merchant, livemode=True, actor="tests")
    with pytest.raises(PaymentNotFound):
        Payment.objects.one_of(live, payment.pk)


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_lock_outside_of_a_transaction_is_refused(payment: Payment) -> None:
    caller = Caller(payment.merchant, livemode=False, actor="tests")
    with transaction.atomic():
        assert Payment.objects.locked_of(caller, payment.pk) == payment

    with pytest.raises(transaction.TransactionManagementError):
        Payment.objects.locked_of(caller, payment.pk)


def test_it_writes_rows_of_several_tables(payment: Payment, django_assert_num_queries) -> None:
    payment.description = "changed"
    payment.reference = "not named, not written"
    moves = [
        PaymentTransition(
            payment=payment, from_status=before, to_status=after, at=utc_now(), actor="tests"
        )
        for before, after in (
            (PaymentStatus.CREATED, PaymentStatus.PENDING),
            (PaymentStatus.PENDING, PaymentStatus.CANCELED),
        )
    ]

    with django_assert_num_queries(1 if connection.vendor == "postgresql" else 2):
        count = write(update_of(payment, "description"), insertion_of(*moves))

    stored = Payment.objects.get(pk=payment.pk)
    assert (stored.description, stored.reference) == ("changed", None)
    assert (count, stored.transitions.count()) == (2, 2)


def test_an_update_changes_the_rows_of_its_queryset(payment: Payment) -> None:
    other, now = PaymentFactory(merchant=payment.merchant), utc_now()
    named = PreparedUpdate(
        Payment.objects.filter(Among(F("id"), Placeholder("ids")), status=PaymentStatus.CREATED),
        description=Placeholder("words"),
        expires_at=instant_placeholder("at"),
        fee=F("amount") - 1,
    )

    assert named.execute(ids=[payment.pk, "pay_x"], words="new", at=now) == 1
    assert named.execute(ids=[], words="old", at=None) == 0

    payment.refresh_from_db()
    assert (payment.description, payment.expires_at) == ("new", now)
    assert payment.fee == payment.sale_amount - 1
    assert Payment.objects.get(pk=other.pk).description != "new"
