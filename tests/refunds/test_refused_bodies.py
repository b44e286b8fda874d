"""What POST /v1/payments/:id/refund refuses to read."""

from itertools import product

import pytest

from tests.refunds.refunding import refusal

pytestmark = pytest.mark.django_db

NO_AMOUNTS: tuple[object, ...] = (-1, True, 1.0, "100", [100], {}, 100_000_000_000, 2**63)


@pytest.mark.parametrize(
    ("field", "amount"),
    [("amount", 0), *product(("amount", "refund_amount_available"), NO_AMOUNTS)],
)
def test_it_refuses_what_is_no_amount(api, paid, field, amount):
    response = api(paid.merchant).post(f"/v1/payments/{paid.id}/refund", {field: amount})

    status, code, details = refusal(response)
    assert (status, code) == (422, "INVALID_AMOUNT")
    assert details.startswith(f"{field}: must be an integer number of cents from ")


@pytest.mark.parametrize(
    ("reason", "rule"),
    [
        ("x" * 501, "must be a string of 0 to 500 characters"),
        (5, "must be a string of 0 to 500 characters"),
        (
            "\u202edesrever",
            "must not contain control or tag characters, or more than 8 combining marks in a row",
        ),
    ],
)
def test_it_refuses_what_is_no_reason(api, paid, reason, rule):
    response = api(paid.merchant).post(f"/v1/payments/{paid.id}/refund", {"reason": reason})

    assert refusal(response) == (422, "VALIDATION_FAILED", f"reason: {rule}")


@pytest.mark.parametrize("name", ["Amount", "total"])
def test_it_gives_not_all_back_for_an_amount_that_nothing_reads(api, paid, name):
    client, path = api(paid.merchant), f"/v1/payments/{paid.id}/refund"

    status, code, details = refusal(client.post(path, {name: 100}))

    assert (status, code) == (422, "VALIDATION_FAILED")
    assert details.startswith(f"{name}: ")
    response = client.post(path, {"amount": 100, name: 100})
    assert (response.status_code, response.json()["amount"]) == (201, 100)
    assert name in response["X-Service-Warning"]


@pytest.mark.parametrize("body", [[], "x", 1])
def test_it_refuses_what_is_no_object(api, paid, body):
    response = api(paid.merchant).post(f"/v1/payments/{paid.id}/refund", body)

    assert refusal(response)[:2] == (400, "INVALID_REQUEST")
