"""Whom notices about a merchant's live keys reach: the address that it has confirmed."""

import pytest

from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages.models import Message
from tests.client import Api, ApiClient

pytestmark = pytest.mark.django_db
KEYS = "/v1/api-keys"


@pytest.fixture
def holder(api: Api, merchant: Merchant) -> ApiClient:
    return api(merchant, live=True)


@pytest.mark.parametrize("is_confirmed", [True, False])
def test_an_address_that_anyone_may_have_named_gets_none(
    holder: ApiClient, merchant: Merchant, *, is_confirmed: bool
) -> None:
    confirmed = {} if is_confirmed else {"email_confirmed_at": None}
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED, **confirmed)

    assert holder.post(KEYS, {"name": "Mine", "scopes": ["*:read"]}).status_code == 201

    assert Message.objects.exists() is is_confirmed


def test_a_confirmed_address_hears_that_it_is_replaced(
    holder: ApiClient, merchant: Merchant
) -> None:
    """A merchant that is not verified changes it at once, and later notices would go nowhere."""
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)
    path, own = f"/v1/merchants/{merchant.id}", merchant.email

    assert holder.patch(path, {"email": own}).status_code == 200
    assert holder.patch(path, {"email": "thief@example.com"}).status_code == 200

    told = Message.objects.get(kind="change_made")
    assert told.recipient == own
    assert "thief" not in told.text
