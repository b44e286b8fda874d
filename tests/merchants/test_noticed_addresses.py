"""Whom notices about a merchant's live keys reach: the address that it has confirmed."""

from importlib import import_module

import pytest
from django.apps import apps

from backoffice.services.merchants import end_key
from core.clock import utc_now
from merchants.models import Merchant
from merchants.owner_notices import has_unproven_email
from merchants.services import create_merchant, issue_key, set_status
from merchants.statuses import MerchantStatus
from messages.models import Message
from tests.client import Api, ApiClient
from tests.factories import MerchantFactory

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


@pytest.mark.parametrize("status", [MerchantStatus.UNVERIFIED, MerchantStatus.VERIFIED])
def test_a_suspended_merchant_hears_what_staff_do_only_at_an_address_that_is_its_own(
    db: None, status: MerchantStatus
) -> None:
    """The address of one that was never verified may be a bystander's, and is no less so now."""
    merchant = MerchantFactory.create(status=MerchantStatus.UNVERIFIED, email_confirmed_at=None)
    key = issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now()).key
    if status == MerchantStatus.VERIFIED:
        set_status(merchant_id=merchant.pk, status=status, now=utc_now())
    set_status(merchant_id=merchant.pk, status=MerchantStatus.SUSPENDED, now=utc_now())

    end_key(key_id=key.pk, now=utc_now())

    assert Message.objects.exists() is (status == MerchantStatus.VERIFIED)


def test_one_that_an_older_release_verified_hears_on_once_suspended(db: None) -> None:
    merchant = MerchantFactory.create(status=MerchantStatus.VERIFIED, verified_at=None)

    set_status(merchant_id=merchant.pk, status=MerchantStatus.SUSPENDED, now=utc_now())

    assert Merchant.objects.get().verified_at is not None


def test_who_was_suspended_before_verifications_were_noted_hears_on(db: None) -> None:
    merchants = {status: MerchantFactory.create(status=status) for status in MerchantStatus}

    import_module("merchants.migrations.0007_verified_at").note_verified(apps, None)

    noted = set(Merchant.objects.exclude(verified_at=None).values_list("pk", flat=True))
    assert noted == {
        merchants[MerchantStatus.VERIFIED].pk,
        merchants[MerchantStatus.SUSPENDED].pk,
    }


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


@pytest.mark.parametrize("status", [MerchantStatus.UNVERIFIED, MerchantStatus.VERIFIED])
def test_a_registration_notes_a_verification_only_if_there_is_one(
    db: None, status: MerchantStatus
) -> None:
    registered = create_merchant(
        now=utc_now(), status=status, name="Shop", email="new@example.com"
    ).merchant

    is_verified = status == MerchantStatus.VERIFIED
    assert (registered.verified_at is not None) == is_verified
    assert has_unproven_email(registered) != is_verified
