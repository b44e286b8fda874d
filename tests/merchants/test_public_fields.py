"""PATCH /v1/merchants/:id by someone who wants to speak in the merchant's name."""

from datetime import timedelta

import pytest

from core.clock import utc_now
from merchants.errors import MerchantChangeDecided
from merchants.evidence import LIVE_FIELDS, PUBLIC_FIELDS, approve_change, decline_change
from merchants.models import Merchant, MerchantChange
from merchants.statuses import MerchantStatus
from messages.models import Message
from payments.emails import plan_receipt_again, write
from tests.backoffice.rows import paid_payment
from tests.events import event_data, event_types

FRAUD = "Bank of The Bahamas Fraud Desk call 242 555 0100"
PUBLIC = {
    "name": FRAUD,
    "email": "thief@example.com",
    "website": "https://thief.example",
    "logo_url": "https://thief.example/logo.png",
    "support_email": "desk@thief.example",
    "address": "1 Fraud Street",
    "tax_id": FRAUD,
    "payout_schedule": "daily",
}

SHOWN = {
    "category": "charity",
    "phone": "242-555-0199",
    "description": FRAUD,
    "brand_color": "#ff0000",
    "time_zone": "Pacific/Kiritimati",
}


@pytest.fixture
def path(merchant):
    return f"/v1/merchants/{merchant.id}"


def row(merchant):
    return Merchant.objects.filter(pk=merchant.pk).values().get()


def test_every_public_field_has_its_test():
    assert set(PUBLIC) == set(PUBLIC_FIELDS)
    assert set(SHOWN) == set(LIVE_FIELDS)


# With a test key


@pytest.mark.parametrize("field", PUBLIC)
def test_a_test_key_changes_no_public_field(api, merchant, path, field):
    before = row(merchant)

    response = api(merchant).patch(path, {field: PUBLIC[field], "business_type": "sole trader"})

    assert response.status_code == 422
    assert response.json()["code"] == "VALIDATION_FAILED"
    assert response.json()["details"] == f"{field}: changes with the live key only"
    assert row(merchant) == before
    assert event_types() == []


def test_a_merchant_that_waits_to_be_verified_corrects_itself(api, merchant, path, settings):
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)

    body = api(merchant).patch(path, PUBLIC).json()

    assert {name: body[name] for name in PUBLIC} == PUBLIC
    assert "pending_changes" not in body
    assert event_data("merchant.updated")["changed"] == list(PUBLIC)


def test_a_test_key_names_no_merchant_that_may_sell_unverified(api, merchant, path, settings):
    settings.REQUIRE_VERIFIED_MERCHANTS = False
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)

    assert api(merchant).patch(path, {"name": FRAUD}).status_code == 422


@pytest.mark.parametrize("status", [MerchantStatus.VERIFIED, MerchantStatus.SUSPENDED])
def test_a_test_key_never_renames_one_that_was_verified(api, merchant, path, settings, status):
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    Merchant.objects.update(status=status)
    before = row(merchant)

    response = api(merchant).patch(path, PUBLIC)

    assert response.status_code == 422
    assert row(merchant) == before


def test_no_key_renames_a_verified_merchant_in_development(api, merchant, path, development):
    before = row(merchant)

    response = api(None).patch(path, PUBLIC)

    assert response.status_code == 422
    assert "name: changes with the live key only" in response.json()["details"]
    assert row(merchant) == before


def test_in_development_an_unverified_merchant_is_free(api, merchant, path, development):
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)

    body = api(None).patch(path, PUBLIC).json()

    assert {name: body[name] for name in PUBLIC} == PUBLIC
    assert "pending_changes" not in body
    assert event_data("merchant.updated")["changed"] == list(PUBLIC)


@pytest.mark.parametrize("field", SHOWN)
def test_a_test_key_changes_nothing_that_live_customers_meet(api, merchant, path, field):
    before = row(merchant)

    response = api(merchant).patch(path, {field: SHOWN[field], "business_type": "sole trader"})

    assert response.status_code == 422
    assert response.json()["details"] == f"{field}: changes with the live key only"
    assert row(merchant) == before


def test_a_request_without_a_key_changes_nothing_that_live_customers_meet(
    api, merchant, path, development
):
    before = row(merchant)

    assert api(None).patch(path, SHOWN).status_code == 422
    assert row(merchant) == before


def test_the_live_key_changes_it_at_once_and_its_owner_hears_of_it(api, merchant, path):
    body = api(merchant, live=True).patch(path, SHOWN).json()

    assert {name: body[name] for name in SHOWN} == SHOWN
    assert "pending_changes" not in body
    message = Message.objects.get()
    assert (message.kind, message.recipient) == ("change_made", merchant.email)
    assert ": category, phone, description, brand_color, time_zone.\n" in message.text
    assert not [value for value in SHOWN.values() if value in message.text]
    assert api(merchant, live=True).patch(path, SHOWN).status_code == 200
    assert Message.objects.count() == 1


# With a live key that was stolen


def test_a_live_key_changes_nothing_until_staff_have_approved(api, merchant, path):
    response = api(merchant, live=True).patch(path, PUBLIC | {"business_type": "sole trader"})

    body = response.json()
    assert response.status_code == 200
    assert body["pending_changes"] == PUBLIC
    assert (body["name"], body["email"]) == (merchant.name, merchant.email)
    assert body["business_type"] == "sole trader"
    assert api(merchant, live=True).get(path).json() == body
    assert event_data("merchant.updated")["changed"] == ["business_type"]


def test_the_owner_hears_of_it_at_the_old_address(api, merchant, path):
    api(merchant, live=True).patch(path, PUBLIC)

    message = Message.objects.get()
    assert (message.kind, message.recipient) == ("change_requested", merchant.email)
    assert f'name (now: "{merchant.name}")' in message.text
    assert FRAUD not in message.text


def test_a_receipt_names_the_seller_whom_staff_have_seen(api, merchant, path):
    """A thief of the live key would put another's tax number, or a lure, into every receipt."""
    Merchant.objects.update(address="1 Bay Street", tax_id="T-1")
    paid = paid_payment(merchant)

    api(merchant, live=True).patch(path, {"address": "1 Fraud Street", "tax_id": FRAUD})

    plan_receipt_again(payment_id=paid.id, recipient="ann@example.com", now=utc_now())
    mail = write(Message.objects.get(recipient="ann@example.com"), utc_now())
    assert mail is not None
    assert "1 Bay Street" in mail.text
    assert "T-1" in mail.text
    assert FRAUD not in mail.text


def test_a_page_shows_the_old_name_meanwhile(api, merchant, payment, path):
    api(merchant, live=True).patch(path, {"name": FRAUD})

    page = api(None).get(f"/checkout/{payment.id}").content.decode()

    assert merchant.name in page
    assert FRAUD not in page


def test_approval_puts_it_in_force_and_tells_everyone(api, merchant, path):
    api(merchant, live=True).patch(path, {"name": "Conch Palace", "email": "new@conch.example"})

    approve_change(change_id=MerchantChange.objects.get().id, now=utc_now())

    body = api(merchant, live=True).get(path).json()
    assert (body["name"], body["email"]) == ("Conch Palace", "new@conch.example")
    assert "pending_changes" not in body
    data = event_data("merchant.updated")
    assert (data["name"], data["changed"]) == ("Conch Palace", ["name", "email"])
    told = Message.objects.get(kind="change_made")
    assert told.recipient == merchant.email


def test_a_declined_change_leaves_nothing(api, merchant, path):
    before = row(merchant)
    api(merchant, live=True).patch(path, PUBLIC)

    decline_change(change_id=MerchantChange.objects.get().id, now=utc_now())

    assert row(merchant) | {"updated_at": None} == before | {"updated_at": None}
    assert event_types() == []


def test_a_second_change_adds_to_the_first_which_can_no_longer_be_approved(api, merchant, path):
    client = api(merchant, live=True)
    client.patch(path, {"name": "Conch Palace"})
    first = MerchantChange.objects.get()

    body = client.patch(path, {"website": "https://palace.example"}).json()

    assert body["pending_changes"] == {"name": "Conch Palace", "website": "https://palace.example"}
    first.refresh_from_db()
    assert first.status == "superseded"
    assert MerchantChange.objects.pending().get().after == body["pending_changes"]


def test_naming_what_is_in_force_withdraws_the_change(api, merchant, path):
    client = api(merchant, live=True)
    client.patch(path, {"name": "Conch Palace"})

    body = client.patch(path, {"name": merchant.name}).json()

    assert "pending_changes" not in body
    assert not MerchantChange.objects.pending().exists()


def test_the_same_request_again_is_no_second_change(api, merchant, path):
    for _ in range(2):
        api(merchant, live=True).patch(path, {"name": "Conch Palace"})

    assert MerchantChange.objects.count() == Message.objects.count() == 1


@pytest.mark.parametrize("decide", [approve_change, decline_change])
def test_a_change_is_decided_once(api, merchant, path, decide):
    api(merchant, live=True).patch(path, {"name": "Conch Palace"})
    change = MerchantChange.objects.get()
    decide(change_id=change.id, now=utc_now())

    with pytest.raises(MerchantChangeDecided):
        approve_change(change_id=change.id, now=utc_now() + timedelta(minutes=1))


def test_a_stranger_changes_nothing(api, merchant, stranger, path):
    before = row(merchant)

    assert api(stranger, live=True).patch(path, PUBLIC).status_code == 404
    assert row(merchant) == before
    assert MerchantChange.objects.count() == 0
