"""What the tests of links start from."""

from typing import Any

import pytest

from links.models import PaymentLink
from merchants.models import Merchant
from tests.client import Api


@pytest.fixture
def link(api: Api, merchant: Merchant) -> PaymentLink:
    """An active test link of 1250 BSD without a limit."""
    return new_link(api, merchant)


def new_link(api: Api, merchant: Merchant, **fields: Any) -> PaymentLink:
    """Create a link through the API and return its row. `amount=None`: the customer enters it."""
    given = {"amount": 1250, **fields}
    body = {name: value for name, value in given.items() if value is not None}
    response = api(merchant).post("/v1/payment-links", body)
    assert response.status_code == 201, response.content
    return PaymentLink.objects.get(pk=response.json()["id"])
