"""What ends while a key waits for its merchant's lock is seen before it changes anything."""

from datetime import timedelta

import pytest

from core.clock import utc_now
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key
from merchants.statuses import MerchantStatus
from tests.merchants.waiting_requests import meanwhile

NEW = "/v1/api-keys"


def keys_of(merchant):
    return list(ApiKey.objects.filter(merchant=merchant, livemode=False).order_by("id"))


def paths_of_keys(merchant):
    other = issue_key(merchant=merchant, livemode=False, name="Till", now=utc_now()).key
    return other, (NEW, f"{NEW}/{other.id}/roll", f"{NEW}/{other.id}/revoke")


def test_a_key_that_is_rolled_while_it_waits_for_its_merchant_makes_and_ends_none(
    api, merchant, monkeypatch
):
    """It was looked at before the lock: what its thief asked for during the roll was done."""
    leaked = api(merchant)
    (own,) = keys_of(merchant)
    other, paths = paths_of_keys(merchant)
    roll = ApiKey.objects.filter(pk=own.pk).update
    meanwhile(monkeypatch, lambda: roll(expires_at=utc_now() + timedelta(days=1)))

    for path in paths:
        own.save(update_fields=["expires_at"])
        refused = leaked.post(path, {"name": "Mine"} if path == NEW else None)
        assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_FAILED")
        assert refused.json()["details"].startswith("api_key: must be the one that took")

    assert len(keys_of(merchant)) == 2
    other.refresh_from_db()
    assert (other.expires_at, other.revoked_at) == (None, None)


def test_a_key_that_is_revoked_while_it_waits_for_its_merchant_makes_and_ends_none(
    api, merchant, monkeypatch
):
    """Other processes know of a revocation late, too: its thief could roll the owner's key."""
    stolen = api(merchant)
    (own,) = keys_of(merchant)
    other, paths = paths_of_keys(merchant)
    revoke = ApiKey.objects.filter(pk=own.pk).update
    meanwhile(monkeypatch, lambda: revoke(revoked_at=utc_now()))

    for path in (*paths, f"{NEW}/{own.id}/roll", f"{NEW}/{own.id}/revoke"):
        own.save(update_fields=["revoked_at"])
        refused = stolen.post(path, {"name": "Mine"} if path == NEW else None)
        assert (refused.status_code, refused.json()["code"]) == (401, "UNAUTHORIZED")

    assert len(keys_of(merchant)) == 2
    other.refresh_from_db()
    assert (other.expires_at, other.revoked_at) == (None, None)


def test_a_merchant_that_is_suspended_meanwhile_makes_and_ends_no_key(api, merchant, monkeypatch):
    client = api(merchant)
    (own,) = keys_of(merchant)
    other, paths = paths_of_keys(merchant)
    status = Merchant.objects.filter(pk=merchant.pk).update
    meanwhile(monkeypatch, lambda: status(status=MerchantStatus.SUSPENDED))

    for path in (*paths, f"{NEW}/{own.id}/roll", f"{NEW}/{own.id}/revoke"):
        status(status=MerchantStatus.VERIFIED)
        refused = client.post(path, {"name": "Mine"} if path == NEW else None)
        assert (refused.status_code, refused.json()["code"]) == (422, "MERCHANT_INACTIVE")

    assert len(keys_of(merchant)) == 2
    for key in (own, other):
        key.refresh_from_db()
        assert (key.expires_at, key.revoked_at) == (None, None)


ENDS = [
    ("suspended", 422, "MERCHANT_INACTIVE"),
    ("unverified", 422, "MERCHANT_NOT_VERIFIED"),
    ("revoked", 401, "UNAUTHORIZED"),
    ("rolled", 401, "UNAUTHORIZED"),
]


# Rolled at once, without a time in which both are good.
ENDS_OF_KEY = {"revoked": "revoked_at", "rolled": "expires_at"}


@pytest.mark.parametrize(("end", "status", "code"), ENDS)
def test_a_stolen_key_that_ends_meanwhile_renames_nothing(
    api, merchant, monkeypatch, settings, end, status, code
):
    """A suspended merchant is no verified one: its new name did not wait for staff any more."""
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    thief, before = api(merchant, live=True), (merchant.name, merchant.email)

    def ends():
        if end in ENDS_OF_KEY:
            ApiKey.objects.update(**{ENDS_OF_KEY[end]: utc_now()})
        else:
            Merchant.objects.update(status=end)

    meanwhile(monkeypatch, ends)
    changes = {"name": "Bank of The Bahamas", "email": "thief@example.com"}
    refused = thief.patch(f"/v1/merchants/{merchant.id}", changes)

    assert (refused.status_code, refused.json()["code"]) == (status, code)
    merchant.refresh_from_db()
    assert (merchant.name, merchant.email) == before
    assert merchant.pending_changes is None
