"""GET and PATCH /v1/payments/:id, POST /v1/payments/:id/cancel"""

import json

import pytest

from core.clock import iso
from merchants.models import Merchant
from payments.models import Payment, PaymentTransition
from tests.client import Api
from tests.factories import PaymentFactory
from webhooks.models import Event

pytestmark = pytest.mark.django_db


def test_it_reads_a_payment(api: Api, merchant: Merchant, payment: Payment) -> None:
    record = api(merchant).get(f"/v1/payments/{payment.id}").json()

    assert record["id"] == payment.id
    assert record["created_at"] == iso(payment.created_at)
    assert record["checkout_url"].endswith(record["hosted_url"])
    assert record["qr_code_url"] == record["checkout_url"] + "/qr.png"
    assert (record["amount_refunded"], record["amount_refundable"]) == (0, 0)
    assert record["refund_status"] == "none"


def test_it_changes_description_and_metadata(
    api: Api, merchant: Merchant, payment: Payment
) -> None:
    path = f"/v1/payments/{payment.id}"
    api(merchant).patch(path, {"metadata": {"a": 1, "b": 2}})

    response = api(merchant).patch(path, {"description": "Table 7", "metadata": {"c": 3}})

    assert response.status_code == 200
    assert response.json()["description"] == "Table 7"
    assert response.json()["metadata"] == {"c": 3}
    assert response.json()["updated_at"] > iso(payment.created_at)
    emptied = api(merchant).patch(path, {"description": None}).json()
    assert "description" not in emptied
    assert emptied["metadata"] == {"c": 3}


def test_an_empty_change_leaves_the_payment_as_it_is(api, merchant, payment):
    """It came again under `updated_since`, for programs that read what has changed."""
    before = Payment.objects.values().get()

    response = api(merchant).patch(f"/v1/payments/{payment.id}", {})

    assert (response.status_code, response.json()["id"]) == (200, payment.id)
    assert Payment.objects.values().get() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"description": "Table 7", "metadata": {"b": True, "a": 1}},
        {"description": "Table 7"},
        {"metadata": {"a": 1, "b": True}},
    ],
    ids=["both", "description", "metadata"],
)
def test_a_payment_set_to_what_it_is_was_not_changed(api, merchant, changes):
    """It came again under `updated_since`, for programs that read what has changed."""
    payment = PaymentFactory(merchant=merchant, description="Table 7", metadata={"a": 1, "b": True})
    before = Payment.objects.values().get()

    assert api(merchant).patch(f"/v1/payments/{payment.id}", changes).status_code == 200
    assert Payment.objects.values().get() == before


@pytest.mark.parametrize(("old", "new"), [(1, True), (True, 1), (0, False), (1, "1"), (None, 0)])
def test_metadata_of_another_kind_is_a_change(api, merchant, payment, old, new):
    """Python holds 1 and true equal; JSON does not."""
    path = f"/v1/payments/{payment.id}"
    first = api(merchant).patch(path, {"metadata": {"a": old}}).json()

    second = api(merchant).patch(path, {"metadata": {"a": new}}).json()

    assert str(second["metadata"]["a"]) == str(new)
    assert second["updated_at"] > first["updated_at"]


@pytest.mark.parametrize(
    "field",
    [field.name for field in Payment._meta.fields if field.name not in ("description", "metadata")],
)
def test_it_changes_nothing_else(
    api: Api, merchant: Merchant, payment: Payment, field: str
) -> None:
    before = Payment.objects.values().get()

    response = api(merchant).patch(f"/v1/payments/{payment.id}", {"description": "x", field: 1})

    assert (response.status_code, response.json()["code"]) == (422, "VALIDATION_FAILED")
    assert f"{field}: " in response.json()["details"]
    assert Payment.objects.values().get() == before


def test_it_names_what_ends_a_payment(api: Api, merchant: Merchant, payment: Payment) -> None:
    response = api(merchant).patch(f"/v1/payments/{payment.id}", {"status": "canceled"})

    assert response.json()["details"].startswith(
        "status: cannot be changed; there is POST /v1/payments/:id/cancel"
    )


def test_it_cancels(api: Api, merchant: Merchant, payment: Payment) -> None:
    response = api(merchant).post(f"/v1/payments/{payment.id}/cancel")

    assert response.status_code == 200
    body = response.json()
    assert set(body) == {"id", "status", "canceled_at"}
    assert (body["id"], body["status"]) == (payment.id, "canceled")
    move = PaymentTransition.objects.get()
    assert (move.from_status, move.to_status) == ("created", "canceled")
    assert move.actor.startswith("key:key_")
    event = json.loads(bytes(Event.objects.get().body))
    assert event["type"] == "payment.canceled"
    assert event["data"]["payment_id"] == payment.id
    again = api(merchant).post(f"/v1/payments/{payment.id}/cancel")
    assert (again.status_code, again.json()["code"]) == (422, "PAYMENT_CANCELED")
    assert again.json()["details"] == "status: is canceled; nothing more can be done with it"
    assert Event.objects.count() == 1


@pytest.mark.parametrize("method", ["get", "patch", "cancel", "confirm"])
@pytest.mark.parametrize("whose", ["unknown", "another's", "other mode", "malformed"])
def test_what_is_not_yours_does_not_exist(
    api: Api, merchant: Merchant, stranger: Merchant, method: str, whose: str
) -> None:
    name = {
        "unknown": "pay_" + "0" * 30,
        "another's": PaymentFactory(merchant=stranger).id,
        "other mode": PaymentFactory(merchant=merchant, livemode=True).id,
        "malformed": "x",
    }[whose]
    before = list(Payment.objects.values())
    client, path = api(merchant), f"/v1/payments/{name}"

    if method == "get":
        response = client.get(path)
    elif method == "patch":
        response = client.patch(path, {"description": "x"})
    else:
        response = client.post(f"{path}/{method}")

    assert response.status_code == 404
    assert response.json() == {
        "error": "There is no such payment.",
        "code": "PAYMENT_NOT_FOUND",
        "details": "",
    }
    assert list(Payment.objects.values()) == before
    assert Event.objects.count() == 0
