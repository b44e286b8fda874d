"""POST /v1/payments/:id/refund"""

import pytest

from core.clock import iso
from core.models import IdempotencyKey
from ledger.models import Purpose, Transfer, TransferKind
from payments.models import Payment
from payments.statuses import ALLOWED, PaymentStatus
from refunds.models import Refund
from tests.events import event_data, event_types
from tests.factories import PaymentFactory
from tests.payments.journeys import bring_to
from tests.payouts.merchant_balance import held
from tests.query_counts import Statements
from tests.refunds.refunding import refund, refusal, sell, sell_live
from webhooks.models import Event

pytestmark = pytest.mark.django_db


def amounts(api, payment):
    """What the record of a payment says about its refunds."""
    record = api(payment.merchant).get(f"/v1/payments/{payment.id}").json()
    assert record["status"] == "completed"
    return record["amount_refunded"], record["amount_refundable"], record["refund_status"]


def test_it_refunds_the_whole_amount(api, merchant, paid):
    response = api(merchant).post(f"/v1/payments/{paid.id}/refund", {"reason": "Came back\nwet"})

    made = Refund.objects.get()
    assert response.status_code == 201
    assert response["Location"] == f"/v1/refunds/{made.id}"
    assert response.json() == {
        "id": made.id,
        "payment_id": paid.id,
        "amount": 1_250,
        "reason": "Came back\nwet",
        "status": "succeeded",
        "currency": "BSD",
        "merchant_id": merchant.id,
        "transaction_id": made.transaction_id,
        "fee_returned": 0,
        "livemode": False,
        "created_at": iso(made.created_at),
        "updated_at": iso(made.created_at),
        "succeeded_at": iso(made.created_at),
    }
    assert amounts(api, paid) == (1_250, 0, "full")


def test_the_money_goes_back_to_the_wallet_that_paid(api, merchant, paid):
    refund(api, paid, 250)

    transfer = Transfer.objects.get(kind=TransferKind.REFUND)
    assert transfer.amount == 250
    assert transfer.debit_account.owner == merchant.id
    assert transfer.credit_account.owner == paid.customer_id
    assert transfer.credit_account.balance == 10_000_000 - 1_000
    assert held(merchant, Purpose.MERCHANT) == 1_000


def test_it_tells_what_happened_in_three_events(api, paid):
    body = {"amount": 250, "reason": "Half of it"}
    made = api(paid.merchant).post(f"/v1/payments/{paid.id}/refund", body).json()

    named = {"refund_id": made["id"], "payment_id": paid.id, "amount": 250, "reason": "Half of it"}
    owned = {"merchant_id": paid.merchant_id, "currency": "BSD"}
    assert sorted(event_types("refund")) == ["refund.completed", "refund.created"]
    assert event_data("refund.completed") == named
    assert event_data("refund.created") == named | owned | {
        "status": "pending",
        "created_at": made["created_at"],
    }
    assert event_data("payment.refunded") == owned | {
        "payment_id": paid.id,
        "amount": 1_250,
        "status": "completed",
        "refund_id": made["id"],
        "amount_refunded": 250,
        "refund_status": "partial",
        "metadata": {},
    }


def test_events_belong_to_what_they_are_about(api, paid):
    made = refund(api, paid).json()["id"]

    about = dict(Event.objects.exclude(type="payment.completed").values_list("type", "resource_id"))
    assert about == {
        "refund.created": made,
        "refund.completed": made,
        "payment.refunded": paid.id,
    }


def test_it_refunds_in_parts_to_the_last_cent(api, merchant):
    payment = sell(merchant, 100)

    assert [refund(api, payment, part).status_code for part in (33, 33, 33)] == [201] * 3
    assert amounts(api, payment) == (99, 1, "partial")
    assert refund(api, payment).json()["amount"] == 1
    assert amounts(api, payment) == (100, 0, "full")


def test_it_refuses_what_is_no_longer_there(api, paid):
    refund(api, paid, 1_000)

    for asked, rule in ((251, "must be at most 250"), (1_250, "must be at most 250")):
        response = refund(api, paid, asked)
        assert (response.status_code, response.json()["code"]) == (422, "REFUND_EXCEEDS_PAYMENT")
        assert response.json()["details"] == f"amount: {rule}"
    assert Refund.objects.count() == 1


@pytest.mark.parametrize("amount", [None, 1])
def test_it_refuses_where_nothing_is_left(api, paid, amount):
    refund(api, paid)

    response = refund(api, paid, amount)

    assert (response.status_code, response.json()["code"]) == (422, "REFUND_EXCEEDS_PAYMENT")
    assert response.json()["details"] == "amount: nothing is left to refund"
    assert event_types("refund.created") == ["refund.created"]


def test_it_refuses_a_stale_view(api, paid):
    body = {"amount": 100, "refund_amount_available": 1_000}

    response = api(paid.merchant).post(f"/v1/payments/{paid.id}/refund", body)

    assert refusal(response) == (
        422,
        "REFUND_AMOUNT_MISMATCH",
        "refund_amount_available: is 1250",
    )


def test_it_takes_a_view_that_is_right(api, paid):
    for available, amount in ((1_250, 1_000), (250, 250)):
        body = {"amount": amount, "refund_amount_available": available}
        response = api(paid.merchant).post(f"/v1/payments/{paid.id}/refund", body)
        assert response.status_code == 201


@pytest.mark.parametrize("status", sorted(set(PaymentStatus) - {PaymentStatus.COMPLETED}))
def test_it_refuses_a_payment_that_is_not_completed(api, payment, status):
    bring_to(payment, status)

    details = f"status: is {status}; {ALLOWED[status]}"
    assert refusal(refund(api, payment)) == (422, "PAYMENT_NOT_COMPLETED", details)


def test_it_refuses_a_counter_and_refunds_what_was_paid_there(api, merchant):
    counter = PaymentFactory(
        merchant=merchant, payment_mode="STATIC_PAY", amount=None, expires_at=None
    )
    assert refund(api, counter).json()["code"] == "PAYMENT_NOT_COMPLETED"

    confirm = f"/v1/payments/{counter.id}/confirm"
    sale = api(merchant).post(confirm, {"amount": 70}).json()["id"]
    assert refund(api, Payment.objects.get(pk=sale)).json()["amount"] == 70


def test_the_same_key_refunds_once(api, paid):
    first, again = (refund(api, paid, 100, idempotency_key="abc") for _ in range(2))

    assert (again.status_code, again.content) == (201, first.content)
    assert again["Idempotent-Replayed"] == "true"
    assert again["Location"] == first["Location"]
    assert Refund.objects.count() == 1
    reused = refund(api, paid, 101, idempotency_key="abc")
    assert (reused.status_code, reused.json()["code"]) == (422, "IDEMPOTENCY_KEY_REUSED")


def test_a_refusal_leaves_the_key_free(api, paid):
    assert refund(api, paid, 1_251, idempotency_key="abc").status_code == 422
    assert IdempotencyKey.objects.count() == 0

    assert refund(api, paid, 1_250, idempotency_key="abc").status_code == 201


def test_a_live_refund_moves_live_money_only(api, merchant, paid):
    live = sell_live(merchant, 1_250)

    assert refund(api, live).json()["livemode"] is True

    assert held(merchant, Purpose.MERCHANT, livemode=True) == 0
    assert held(merchant, Purpose.MERCHANT) == 1_250


def test_it_hides_what_is_anothers_or_of_the_other_mode(api, merchant, stranger, paid):
    missing = api(merchant).post("/v1/payments/pay_0/refund")
    answers = [
        api(stranger).post(f"/v1/payments/{paid.id}/refund"),
        api(merchant, live=True).post(f"/v1/payments/{paid.id}/refund"),
    ]

    assert refusal(missing)[:2] == (404, "PAYMENT_NOT_FOUND")
    assert [(each.status_code, each.content) for each in answers] == [(404, missing.content)] * 2


def test_it_wants_a_key(api, paid):
    response = api(None).post(f"/v1/payments/{paid.id}/refund")

    assert refusal(response)[:2] == (401, "UNAUTHORIZED")


@pytest.mark.usefixtures("development")
def test_development_needs_no_key_for_test_payments(api, merchant, paid):
    live = sell_live(merchant, 100)

    assert api(None).post(f"/v1/payments/{paid.id}/refund").status_code == 201
    assert api(None).post(f"/v1/payments/{live.id}/refund").status_code == 404


def test_the_number_of_statements_is_bounded(api, paid):
    refund(api, paid, 1)
    with Statements() as statements:
        refund(api, paid, 1)

    assert len(statements.work) <= 20, statements.work


@pytest.mark.parametrize("strict", [{}, {"x_service_strict": "true"}])
@pytest.mark.parametrize(
    "name", ["Amount", "ammount", "refund_amount", "amount_cents", "total", "value", "sum", "note"]
)
def test_without_an_amount_an_unknown_field_does_not_give_back_everything(
    api, merchant, paid, name, strict
):
    response = api(merchant).post(f"/v1/payments/{paid.id}/refund", {name: 5}, **strict)

    assert refusal(response) == (422, "VALIDATION_FAILED", f"{name}: is unknown")
    paid.refresh_from_db()
    assert paid.amount_refunded == 0


@pytest.mark.parametrize("name", ["Amount", "note"])
def test_with_an_amount_an_unknown_field_is_named_and_not_acted_on(api, merchant, paid, name):
    body = {"amount": 5, name: 7}
    response = api(merchant).post(f"/v1/payments/{paid.id}/refund", body)

    assert response.status_code == 201
    assert response["X-Service-Warning"] == f"{name}: is unknown"
    assert response.json()["amount"] == 5


def test_who_asks_may_be_named_beside_no_amount(api, merchant, paid):
    body = {"merchant_id": merchant.id, "reason": "Sold out"}
    response = api(merchant).post(f"/v1/payments/{paid.id}/refund", body)

    assert (response.status_code, response.json()["amount"]) == (201, paid.amount)
