"""What each act changes of one merchant, column by column, and nothing of another like it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from core.clock import utc_now
from core.models import Quota
from merchants import email_confirmation, known_keys, services
from merchants.access import EVERYTHING
from merchants.callers import Caller
from merchants.email_confirmation import AddressClaim, confirm_email, recipient_of_tests
from merchants.errors import MerchantChangeDecided, MerchantNotFound, SlugTaken
from merchants.evidence import approve_change, decline_change
from merchants.key_use import note_use, write_uses
from merchants.models import ApiKey, Merchant, MerchantChange
from merchants.own_keys import KeyDraft, create_own_key, revoke_own_key, roll_own_key
from merchants.services import (
    create_merchant,
    issue_key,
    revoke_key,
    roll_key,
    set_fee,
    set_status,
    update_merchant,
)
from merchants.statuses import CHANGE_TRANSITIONS, ChangeStatus, MerchantStatus
from messages.models import Message
from tests.factories import MerchantFactory
from tests.row_changes import World, changed, rows_of

pytestmark = pytest.mark.django_db
EMAIL = "same@example.com"
HOUR = timedelta(hours=1)


@dataclass
class Business:
    """A verified merchant with a live key, and a change that waits; its address is unconfirmed."""

    merchant: Merchant
    key: ApiKey
    change: MerchantChange

    @property
    def caller(self) -> Caller:
        return Caller(self.merchant, livemode=True, actor=f"key:{self.key.pk}", scopes=EVERYTHING)

    def rows(self) -> World:
        merchant = self.merchant.pk
        return rows_of(
            Merchant.objects.filter(pk=merchant),
            ApiKey.objects.filter(merchant=merchant),
            MerchantChange.objects.filter(merchant=merchant),
            Message.objects.filter(about=merchant),
            Quota.objects.filter(key__endswith=merchant),
        )


def business(at: datetime) -> Business:
    merchant = MerchantFactory(email=EMAIL, email_confirmed_at=None, created_at=at)
    key = issue_key(merchant=merchant, livemode=True, name="Till", now=at).key
    caller = Caller(merchant, livemode=True, actor=f"key:{key.pk}")
    update_merchant(caller=caller, merchant_id=merchant.pk, now=at, name="Another name")
    merchant.refresh_from_db()
    return Business(merchant, key, MerchantChange.objects.get(merchant=merchant))


def use(one: Business, now: datetime) -> None:
    write_uses()
    note_use(one.key, now)
    write_uses()


def update(one: Business, now: datetime, **profile: str) -> None:
    update_merchant(
        caller=one.caller,
        merchant_id=one.merchant.pk,
        now=now,
        **profile,
    )


TOLD = {"Message": {"new"}}
COUNTED = TOLD | {"Quota": {"used"}}
DECIDED = {"MerchantChange": {"status", "decided_at"}}
DRAFT = KeyDraft(name="Bookkeeping", scopes=("*:read",))
Act = Callable[[Business, datetime], object]
ACTS: dict[str, tuple[Act, dict[str, set[str]]]] = {
    "confirm the address": (
        lambda one, now: confirm_email(
            claim=AddressClaim(one.merchant.pk, EMAIL), merchant_id=one.merchant.pk, now=now
        ),
        {"Merchant": {"email_confirmed_at", "updated_at"}},
    ),
    "suspend": (
        lambda one, now: set_status(
            merchant_id=one.merchant.pk, status=MerchantStatus.SUSPENDED, now=now
        ),
        {"Merchant": {"status", "verified_at", "updated_at", "signature"}},
    ),
    "set the fee": (
        lambda one, now: set_fee(merchant_id=one.merchant.pk, fee_basis_points=150, now=now),
        {"Merchant": {"fee_basis_points", "updated_at", "signature"}},
    ),
    "roll the key": (
        lambda one, now: roll_key(key_id=one.key.pk, overlap=HOUR, now=now, actor="staff:ada"),
        {"ApiKey": {"expires_at", "new"}},
    ),
    "revoke the key": (
        lambda one, now: revoke_key(key_id=one.key.pk, now=now),
        {"ApiKey": {"revoked_at"}},
    ),
    "approve the change": (
        lambda one, now: approve_change(change_id=one.change.pk, now=now),
        DECIDED | TOLD | {"Merchant": {"name", "pending_changes", "updated_at"}},
    ),
    "decline the change": (
        lambda one, now: decline_change(change_id=one.change.pk, now=now),
        DECIDED | {"Merchant": {"pending_changes", "updated_at"}},
    ),
    "request another change": (
        lambda one, now: update(one, now, website="https://shop.example"),
        COUNTED
        | {
            "Merchant": {"pending_changes", "updated_at"},
            "MerchantChange": {"status", "decided_at", "new"},
        },
    ),
    "change what takes no review": (
        lambda one, now: update(one, now, business_type="club"),
        {"Merchant": {"business_type", "updated_at"}},
    ),
    "make a key": (
        lambda one, now: create_own_key(caller=one.caller, draft=DRAFT, now=now),
        COUNTED | {"ApiKey": {"new"}},
    ),
    "roll the own key": (
        lambda one, now: roll_own_key(caller=one.caller, key_id=one.key.pk, overlap=HOUR, now=now),
        COUNTED | {"ApiKey": {"expires_at", "new"}},
    ),
    "revoke the own key": (
        lambda one, now: revoke_own_key(caller=one.caller, key_id=one.key.pk, now=now),
        COUNTED | {"ApiKey": {"revoked_at"}},
    ),
    "use the key": (use, {"ApiKey": {"last_used_at"}}),
}
# They change neither a merchant nor a key that could be known already.
FORGET_NOTHING = {"make a key", "use the key"}


@pytest.mark.parametrize("name", ACTS)
def test_it_changes_these_columns_and_no_one_elses(name: str) -> None:
    now = utc_now()
    act, expected = ACTS[name]
    businesses = [business(now - HOUR) for _ in range(3)]
    before, known = [each.rows() for each in businesses], known_keys._known._since

    act(businesses[1], now)

    after = [each.rows() for each in businesses]
    assert [changed(*pair) for pair in zip(before, after, strict=True)] == [{}, expected, {}]
    assert (known_keys._known._since is known) is (name in FORGET_NOTHING)


def test_what_the_owner_reads() -> None:
    one = business(utc_now())
    made = create_own_key(caller=one.caller, draft=DRAFT, now=utc_now()).key
    rolled = roll_own_key(caller=one.caller, key_id=made.pk, overlap=HOUR, now=utc_now()).key
    revoke_own_key(caller=one.caller, key_id=rolled.pk, now=utc_now())
    approve_change(change_id=one.change.pk, now=utc_now())

    told = Message.objects.order_by("pk")
    assert {(message.recipient, message.livemode) for message in told} == {(EMAIL, True)}
    assert [message.text.splitlines()[0] for message in told if message.kind == "api_key"] == [
        f"A new API key was created: {made.hint}.",
        f"The API key {made.hint} was replaced by {rolled.hint}.",
        f"The API key {rolled.hint} was revoked.",
    ]
    changes = [message for message in told if message.kind != "api_key"]
    assert [(each.kind, each.subject, each.repeatable) for each in changes] == [
        (
            "change_requested",
            "Payments: A change of your public details was requested",
            True,
        ),
        ("change_made", "Payments: Your public details have changed", True),
    ]
    was = one.merchant.name
    assert f'name (now: "{was}")' in changes[0].text
    assert f'name: from "{was}" to "Another name"' in changes[1].text
    for message in changes:
        assert message.text.rstrip().endswith("Payments")


def test_a_test_key_is_made_rolled_and_revoked_without_a_word() -> None:
    now, one = utc_now(), business(utc_now())
    Message.objects.all().delete()
    draft = KeyDraft(name="Tests", livemode=False)
    tests = Caller(one.merchant, livemode=False, actor="key:none")

    made = create_own_key(caller=one.caller, draft=draft, now=now).key
    rolled = roll_own_key(caller=tests, key_id=made.pk, overlap=HOUR, now=now).key
    revoke_own_key(caller=tests, key_id=rolled.pk, now=now)

    assert not Message.objects.exists()


def test_the_link_to_an_address_says_all_there_is_to_say() -> None:
    merchant = create_merchant(now=utc_now(), name="Shop", email="new@example.com").merchant
    message = Message.objects.get(kind="confirm_email")
    assert (message.recipient, message.livemode) == ("new@example.com", True)

    content = email_confirmation.write(message, utc_now())

    assert content
    assert content.subject == "Payments: confirm your e-mail address"
    assert "The link works for 7 days." in content.text
    assert content.text.rstrip().endswith("Payments")
    assert "http://testserver/confirm-email?token=" in content.text
    Merchant.objects.filter(pk=merchant.pk).update(email_confirmed_at=utc_now())
    assert email_confirmation.write(message, utc_now()) is None
    Merchant.objects.filter(pk=merchant.pk).update(email="other@example.com")
    assert email_confirmation.write(message, utc_now()) is not None


def test_the_confirmed_address_of_a_merchant() -> None:
    confirmed, other = MerchantFactory(email="a@example.com"), MerchantFactory()
    unconfirmed = MerchantFactory(email_confirmed_at=None)

    readers = [recipient_of_tests(each.pk) for each in (confirmed, other, unconfirmed)]
    assert [reader and reader[0] for reader in readers] == ["a@example.com", other.email, None]


def test_it_is_found_by_id_or_slug() -> None:
    _, merchant = MerchantFactory(), MerchantFactory()

    assert [Merchant.objects.named(name) for name in (merchant.pk, merchant.slug)] == [merchant] * 2
    with pytest.raises(MerchantNotFound):
        Merchant.objects.named("none")


def test_a_nonsense_merchant_is_not_taken_for_one_whose_slug_is_taken(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    named: dict[str, Any] = {"name": "Shop", "email": EMAIL, "now": utc_now()}
    MerchantFactory()
    with pytest.raises(IntegrityError), transaction.atomic():
        create_merchant(**named, slug="new", payout_schedule="hourly")

    MerchantFactory(slug="shop")
    MerchantFactory(slug="shop-aaaaaa")
    monkeypatch.setattr(services, "random_base62", lambda length: "A" * length)
    with pytest.raises(SlugTaken, match="could not be derived from the name"):
        create_merchant(**named)


@pytest.mark.parametrize("before", ChangeStatus)
@pytest.mark.parametrize("after", ChangeStatus)
def test_every_move_of_a_change_is_made_or_refused(
    before: ChangeStatus, after: ChangeStatus
) -> None:
    now, change = utc_now(), business(utc_now()).change
    change.status = before
    assert set(CHANGE_TRANSITIONS) == set(ChangeStatus)

    if before == ChangeStatus.PENDING != after:
        change.transition_to(after, now=now)
        assert MerchantChange.objects.values_list("status", "decided_at").get() == (after, now)
    else:
        with pytest.raises(MerchantChangeDecided):
            change.transition_to(after, now=now)


@pytest.mark.parametrize(
    ("columns", "active", "rollable"),
    [
        ({}, True, True),
        ({"revoked_at": timedelta(0)}, False, False),
        ({"expires_at": timedelta(0)}, False, False),
        ({"expires_at": timedelta(milliseconds=1)}, True, False),
        ({"revoked_at": -HOUR, "expires_at": HOUR}, False, False),
    ],
)
def test_how_long_a_key_is_active(
    merchant: Merchant, columns: dict[str, timedelta], active: bool, rollable: bool
) -> None:
    now = utc_now()
    key = issue_key(merchant=merchant, livemode=True, name="Till", now=now - HOUR).key
    ApiKey.objects.update(**{name: now + value for name, value in columns.items()})
    key.refresh_from_db()

    assert (key.is_active(now), key.can_be_rolled(now)) == (active, rollable)
    assert ApiKey.objects.active(now).exists() is active
