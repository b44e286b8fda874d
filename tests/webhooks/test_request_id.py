"""The request that made an event true, by which staff find it."""

import pytest

from merchants.models import Merchant
from tests.client import Api
from webhooks.models import Event

pytestmark = pytest.mark.django_db


def test_an_event_keeps_the_id_of_its_request(api: Api, merchant: Merchant) -> None:
    response = api(merchant).post("/v1/payments", {"amount": 1_250}, x_request_id="shop-call-77")

    assert response.status_code == 201
    assert response["X-Request-Id"] == "shop-call-77"
    assert Event.objects.get().request_id == "shop-call-77"
