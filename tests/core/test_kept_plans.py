"""Plans that PostgreSQL keeps: of what is sent with every request, and of nothing else.

A plan that is kept does not know the values. With 1.1 million payments, nine in ten of one
merchant, a search of the back office took 0.8 s from the sixth on, and a list of failed deliveries
0.5 s.
"""

import pytest
from django.db import connection

from backoffice.roles import Role
from core.prepared import Choice, Placeholder, Prepared, can_be_prepared, placeholders_of, shape_of
from payments.models import Payment
from payments.statuses import PaymentStatus
from tests.backoffice.conftest import sign_in
from tests.client import Api
from tests.factories import PaymentFactory
from tests.lasting_statements import forget_prepared

OFTEN = 8  # three times more than a statement is sent before its plan is kept


def kept_plans() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return {statement for (statement,) in cursor.fetchall()}


def plans_kept_by(act) -> set[str]:
    forget_prepared()
    for _ in range(OFTEN):
        act()
    return {it for it in kept_plans() if "pg_prepared_statements" not in it}


@pytest.mark.postgres
def test_what_is_the_same_each_time_is_part_of_the_statement(payment: Payment) -> None:
    PaymentFactory(merchant=payment.merchant, description="100 %")
    of_all = Payment.objects.exclude(status=PaymentStatus.FAILED).filter(description="100 %")
    prepared = Prepared(of_all.filter(merchant=Placeholder("merchant")))

    (kept,) = plans_kept_by(lambda: prepared.rows(merchant=payment.merchant_id))

    assert "'failed'" in kept
    assert "'100 %'" in kept
    assert kept.count("$") == 1
    assert len(prepared.rows(merchant=payment.merchant_id)) == 1


def test_a_quote_in_what_is_written_out_ends_no_text(payment: Payment) -> None:
    named = "O'Brien's \\'; %s -- "
    PaymentFactory(merchant=payment.merchant, description=named)

    (found,) = Prepared(Payment.objects.filter(description=named, pk__gt=Placeholder("pk"))).rows(
        pk=""
    )

    assert found.description == named


def test_each_choice_is_a_statement_of_its_own() -> None:
    failed, paid = ({"status": Choice(it), "reference": "R-1"} for it in ("failed", "completed"))

    assert can_be_prepared(failed)
    assert shape_of(failed) != shape_of(paid)
    assert shape_of(failed) == shape_of(failed | {"reference": "R-2"})
    assert placeholders_of(shape_of(failed)) == {
        "status": "failed",
        "reference": Placeholder("reference"),
    }


@pytest.mark.postgres
@pytest.mark.parametrize("query", ["status=failed", "payment_mode=INVOICE_PAY", "currency=USD"])
def test_the_first_page_of_a_list_is_kept_with_its_choice_and_limit(
    api: Api, merchant, query: str
) -> None:
    kept = plans_kept_by(lambda: api(merchant).get(f"/v1/payments?limit=7&{query}"))

    (listed,) = [it for it in kept if 'FROM "payments_payment"' in it]
    assert f"'{query.partition('=')[2]}'" in listed
    assert "LIMIT 8" in listed


@pytest.mark.postgres
def test_a_list_of_what_is_rare_keeps_no_plan(api: Api, merchant) -> None:
    url = "https://hooks.example.com/paid"
    endpoint = api(merchant).post("/v1/webhooks", {"url": url, "events": ["*"]}).json()
    path = f"/v1/webhooks/{endpoint['id']}/deliveries?status=failed"

    kept = plans_kept_by(lambda: api(merchant).get(path))

    assert not [it for it in kept if 'FROM "webhooks_delivery"' in it]


@pytest.mark.postgres
@pytest.mark.parametrize("query", ["metadata[cart]=c1", "q=bread"])
def test_a_first_page_by_words_or_pairs_keeps_no_plan(api: Api, merchant, query: str) -> None:
    PaymentFactory(merchant=merchant, description="bread", metadata={"cart": "c1"})

    kept = plans_kept_by(lambda: api(merchant).get(f"/v1/payments?{query}"))

    assert not [it for it in kept if 'FROM "payments_payment"' in it]


@pytest.mark.postgres
def test_later_pages_keep_no_plan(api: Api, merchant) -> None:
    PaymentFactory.create_batch(3, merchant=merchant)

    kept = plans_kept_by(lambda: api(merchant).get("/v1/payments?limit=1&offset=1"))

    assert not [it for it in kept if 'FROM "payments_payment"' in it]


@pytest.mark.postgres
def test_the_back_office_keeps_no_plan(payment: Payment) -> None:
    browser = sign_in(Role.ADMINISTRATOR, "staff-of-plans")

    kept = plans_kept_by(lambda: browser.get("/admin/search/?q=no+such+thing+at+all"))

    assert not [it for it in kept if "payments_payment" in it]


@pytest.mark.postgres
def test_what_comes_after_the_back_office_is_kept_again(api: Api, payment: Payment) -> None:
    sign_in(Role.ADMINISTRATOR, "staff-of-plans").get("/admin/")

    kept = plans_kept_by(lambda: api(payment.merchant).get(f"/v1/payments/{payment.id}"))

    assert any('FROM "payments_payment"' in it for it in kept)
