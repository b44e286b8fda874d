"""What ends while a key waits for its merchant's lock is seen before it makes or ends another."""

from datetime import timedelta

from core.clock import utc_now
from merchants.models import ApiKey, Merchant, MerchantQuerySet
from merchants.services import issue_key
from merchants.statuses import MerchantStatus

NEW = "/v1/api-keys"


def keys_of(merchant):
    return list(ApiKey.objects.filter(merchant=merchant, livemode=False).order_by("id"))


def paths_of_keys(merchant):
    other = issue_key(merchant=merchant, livemode=False, name="Till", now=utc_now()).key
    return other, (NEW, f"{NEW}/{other.id}/roll", f"{NEW}/{other.id}/revoke")


def meanwhile(monkeypatch, change):
    """Let something happen between the look at the caller's key and the merchant's lock."""
    locked = MerchantQuerySet.locked

    def locked_after(rows, pk):
        change()
        return locked(rows, pk)

    monkeypatch.setattr(MerchantQuerySet, "locked", locked_after)


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
