"""What staff decide about a merchant, and what the database refuses."""

import pytest
from django.db import IntegrityError, transaction

from core.clock import utc_now
from core.errors import ValidationFailed
from merchants.callers import Caller
from merchants.errors import MerchantNotFound, MerchantStatusUnchanged
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key, set_fee, set_status
from merchants.standing import has_self_service_key, may_act
from merchants.statuses import TRANSITIONS, MerchantStatus

EVERY = [(before, after) for before in MerchantStatus for after in MerchantStatus]
# A verification is not taken back: its merchant's old receipts would name another seller.
REFUSED = {(status, status) for status in MerchantStatus} | {
    (MerchantStatus.VERIFIED, MerchantStatus.UNVERIFIED),
    (MerchantStatus.SUSPENDED, MerchantStatus.UNVERIFIED),
}


def test_the_table_knows_every_status():
    assert set(TRANSITIONS) == set(MerchantStatus)


@pytest.mark.parametrize(("before", "after"), EVERY)
def test_every_move_is_done_or_refused(merchant, before, after):
    merchant.status = before
    merchant.save(update_fields=["status"])
    at = utc_now()

    is_refused = (before, after) in REFUSED
    if is_refused:
        with pytest.raises(MerchantStatusUnchanged):
            set_status(merchant_id=merchant.id, status=after, now=at)
    else:
        set_status(merchant_id=merchant.id, status=after, now=at)

    stored = Merchant.objects.get()
    assert stored.status == (before if is_refused else after)
    assert stored.updated_at == (merchant.updated_at if is_refused else at)


def test_it_knows_no_such_merchant(db):
    with pytest.raises(MerchantNotFound):
        set_status(merchant_id="mer_none", status=MerchantStatus.VERIFIED, now=utc_now())


@pytest.mark.parametrize("share", [0, 150, 10_000])
def test_it_sets_the_fee(merchant, share):
    set_fee(merchant_id=merchant.id, fee_basis_points=share, now=utc_now())

    assert Merchant.objects.get().fee_basis_points == share


@pytest.mark.parametrize("share", [-1, 10_001])
def test_it_refuses_a_fee_above_everything(merchant, share):
    with pytest.raises(ValidationFailed, match="must be from 0 to 10000"):
        set_fee(merchant_id=merchant.id, fee_basis_points=share, now=utc_now())

    assert Merchant.objects.get().fee_basis_points == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("status", "trusted"),
        ("payout_schedule", "hourly"),
        ("fee_basis_points", 10_001),
        ("fee_basis_points", -1),
        ("name", ""),
        ("slug", ""),
        ("email", ""),
    ],
)
def test_the_database_refuses_nonsense(merchant, field, value):
    with pytest.raises(IntegrityError), transaction.atomic():
        Merchant.objects.update(**{field: value})


def test_the_database_keeps_slugs_and_keys_apart(merchant, stranger):
    first, second = (
        issue_key(merchant=merchant, livemode=False, name="Till", now=utc_now()) for _ in range(2)
    )

    with pytest.raises(IntegrityError), transaction.atomic():
        Merchant.objects.filter(pk=stranger.pk).update(slug=merchant.slug)
    with pytest.raises(IntegrityError), transaction.atomic():
        ApiKey.objects.filter(pk=second.key.pk).update(hash=first.key.hash)


def test_a_merchant_with_keys_cannot_be_deleted(merchant):
    issue_key(merchant=merchant, livemode=False, name="Till", now=utc_now())

    with pytest.raises(IntegrityError), transaction.atomic():
        merchant.delete()


@pytest.mark.parametrize(
    ("status", "livemode", "takes_verified", "may", "is_anyones"),
    [
        ("unverified", False, True, True, True),
        ("verified", False, True, True, False),
        ("suspended", False, True, False, True),
        ("unverified", True, True, False, True),
        ("unverified", True, False, True, False),
        ("suspended", True, False, False, True),
        ("verified", True, True, True, False),
    ],
)
def test_who_may_act_and_whose_key_is_given_to_anyone(
    merchant, settings, status, livemode, takes_verified, may, is_anyones
):
    settings.REQUIRE_VERIFIED_MERCHANTS = takes_verified
    merchant.status = status

    assert may_act(merchant, livemode=livemode) is may
    assert has_self_service_key(Caller(merchant, livemode, "key")) is is_anyones
    assert has_self_service_key(Caller(None, livemode, "development"))
