"""What a stolen key made goes on once it has ended: staff see it, and end it in one act."""

from datetime import timedelta

import pytest
import time_machine

from backoffice.actions import Action, ActionContext, ActionResult, run
from backoffice.admin import ending_keys
from backoffice.admin.webhook_actions import SWITCH_OFF
from backoffice.errors import Forbidden
from backoffice.models import AuditEntry
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import ApiKey, Merchant
from payouts.models import BankAccount
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.stolen_keys import TODAY, KeyHolder, active_links, end
from tests.client import ApiClient
from webhooks.errors import WebhookNotFound
from webhooks.models import Event, Webhook

pytestmark = pytest.mark.django_db

ACCOUNT = {
    "holder_name": "A Mule",
    "bank_name": "Reef Bank",
    "number": "555 000 111",
    "clearing_code": "77005",
}


@pytest.fixture
def thief(merchant: Merchant) -> KeyHolder:
    return KeyHolder(merchant)


@pytest.fixture
def owner(merchant: Merchant) -> KeyHolder:
    return KeyHolder(merchant)


def test_one_act_ends_a_stolen_key_and_what_it_made(
    office: Office, merchant: Merchant, owner: KeyHolder
) -> None:
    thief = KeyHolder(merchant, live=True)
    owned, link, endpoint = owner.link(), thief.link(), thief.endpoint()
    till = thief.makes("api-keys", name="Till", scopes=["payment_links:write"])
    by_till = ApiClient(till["secret"]).post("/v1/payment-links", {"amount": 200}).json()

    page = end(office, thief.key, keys=[till["id"]])

    assert "The key has been revoked. Made with it and ended: 1 key, 1 endpoint, 2 payment" in page
    assert active_links() == [owned.pk]
    assert ApiKey.objects.filter(revoked_at=None).get() == owner.key
    endpoint.refresh_from_db()
    assert (endpoint.is_active, endpoint.disabled_reason) == (False, "requested")
    link.refresh_from_db()
    assert (link.status, link.ended_by) == ("deactivated", "staff:developer")
    ended = Event.objects.filter(type="payment_link.deactivated")
    assert set(ended.values_list("resource_id", flat=True)) == {link.pk, by_till["id"]}
    assert list(AuditEntry.objects.order_by("sequence").values_list("act", "subject_id")) == [
        ("revoke key", thief.key.pk),
        ("revoke key", till["id"]),
        ("switch endpoint off", endpoint.pk),
        ("end payment link", link.pk),
        ("end payment link", by_till["id"]),
    ]
    assert set(AuditEntry.objects.values_list("outcome", "reason")) == {("done", "Stolen")}


def test_without_the_tick_nothing_but_the_key_ends(office: Office, thief: KeyHolder) -> None:
    link = thief.link()

    page = end(office, thief.key, also="")

    assert active_links() == [link.pk]
    assert "What was made with it goes on: 1 payment link." in page


def test_what_was_made_before_that_day_goes_on(office: Office, thief: KeyHolder) -> None:
    with time_machine.travel(utc_now() - timedelta(days=2), tick=False):
        earlier, hook = thief.link(), thief.endpoint("shop.example")
        thief.makes("bank-accounts", **ACCOUNT)
    thief.link()
    thief.endpoint()

    page = end(office, thief.key, role=Role.ADMINISTRATOR, since=f"{utc_now():%Y-%m-%d}")

    assert "Made with it and ended: 1 endpoint, 1 payment link." in page
    assert BankAccount.objects.open().exists()
    assert active_links() == [earlier.pk]
    assert Webhook.objects.switched_on().get() == hook


def test_a_day_is_asked_for_before_anything_ends(office: Office, thief: KeyHolder) -> None:
    thief.link()

    refused = act(office(Role.DEVELOPER), thief.key, "revoke", **TODAY | {"since": ""})

    assert refused.status_code == 422
    assert "Enter a day." in refused.content.decode()
    thief.key.refresh_from_db()
    assert thief.key.revoked_at is None


def test_an_endpoint_belongs_to_the_key_that_moved_it(
    office: Office, owner: KeyHolder, thief: KeyHolder
) -> None:
    hook = owner.endpoint("shop.example")
    moved = {"url": "https://thief.example/hook"}
    assert thief.api.patch(f"/v1/webhooks/{hook.pk}", moved).status_code == 200
    assert owner.api.patch(f"/v1/webhooks/{hook.pk}", {"description": "x"}).status_code == 200

    assert "Made with it and ended: 1 endpoint." in end(office, thief.key)

    hook.refresh_from_db()
    assert not hook.is_active


def test_a_key_in_place_of_the_stolen_one_ends_only_on_a_tick(
    office: Office, thief: KeyHolder
) -> None:
    """Its owner has replaced it, as our e-mail advises, before it called: or the thief has."""
    link = thief.link()
    successor = thief.makes(f"api-keys/{thief.key.pk}/roll", expires_in=0)
    its_holder = ApiClient(successor["secret"])
    kept = its_holder.post("/v1/payment-links", {"amount": 1}).json()["id"]
    assert its_holder.post("/v1/api-keys", {"name": "Till"}).status_code == 201
    asked = office(Role.DEVELOPER).get(page_of_act(thief.key, "end-what-it-made"))
    assert asked.context["form"].fields["keys"].initial == []
    assert "Replacement sk_test_" in asked.content.decode()

    page = end(office, thief.key, "end-what-it-made")
    assert "ended: 1 payment link." in page
    assert "goes on" not in page
    link.refresh_from_db()
    assert (link.status, active_links()) == ("deactivated", [kept])

    page = end(office, thief.key, "end-what-it-made", keys=[successor["id"]])
    assert "ended: 1 key, 1 payment link." in page
    assert not active_links()


def test_a_thief_hides_no_key_by_rolling_what_it_made(office: Office, thief: KeyHolder) -> None:
    """A replacement of the stolen key may be its owner's, but not that of a key made with it."""
    till = thief.makes("api-keys", name="Till")
    second = ApiClient(till["secret"]).post(f"/v1/api-keys/{till['id']}/roll", {"expires_in": 0})
    third = thief.makes(f"api-keys/{second.json()['id']}/roll", expires_in=3600)
    for made in (second.json(), third):
        ApiClient(made["secret"]).post("/v1/payment-links", {"amount": 1})
    ApiKey.objects.filter(pk=second.json()["id"]).update(revoked_at=utc_now())
    asked = office(Role.DEVELOPER).get(page_of_act(thief.key, "revoke"))
    ticked = asked.context["form"].fields["keys"].initial

    assert ticked == [third["id"]]
    assert "Made with it and still active: 1 key, 2 payment links." in asked.content.decode()
    assert "ended: 1 key, 2 payment links." in end(office, thief.key, keys=ticked)
    assert not active_links()


def test_a_key_that_has_ended_already_hides_nothing(office: Office, thief: KeyHolder) -> None:
    other = thief.makes("api-keys", name="Till")
    hidden = ApiClient(other["secret"])
    assert hidden.post("/v1/payment-links", {"amount": 200}).status_code == 201
    assert hidden.post(f"/v1/api-keys/{other['id']}/revoke").status_code == 200

    assert "ended: 1 payment link." in end(office, thief.key)
    assert not active_links()
    assert not AuditEntry.objects.exclude(outcome="done").exists(), "it is not revoked again"


def test_a_key_that_made_nothing_is_revoked_for_a_reason(office: Office, thief: KeyHolder) -> None:
    asked = office(Role.DEVELOPER).get(page_of_act(thief.key, "revoke"))

    assert list(asked.context["form"].fields) == ["form_key", "reason"]


@pytest.mark.parametrize(
    ("refusal", "status", "left"), [(WebhookNotFound, 302, 0), (Forbidden, 403, 1)]
)
def test_one_refusal_stops_nothing_unless_the_right_is_gone(
    office: Office, thief: KeyHolder, monkeypatch: pytest.MonkeyPatch, refusal, status, left
) -> None:
    thief.link()
    thief.endpoint()

    def run_but_one(action: Action, context: ActionContext) -> ActionResult:
        if action is SWITCH_OFF:
            raise refusal
        return run(action, context)

    monkeypatch.setattr(ending_keys, "run", run_but_one)

    assert act(office(Role.DEVELOPER), thief.key, "revoke", **TODAY).status_code == status
    assert len(active_links()) == left
    assert ApiKey.objects.get(pk=thief.key.pk).revoked_at


def test_what_an_ended_replacement_made_ends_on_its_own_page(
    office: Office, thief: KeyHolder
) -> None:
    thief.link()
    successor = thief.makes(f"api-keys/{thief.key.pk}/roll", expires_in=0)
    kept = ApiClient(successor["secret"]).post("/v1/payment-links", {"amount": 1}).json()["id"]
    ApiKey.objects.filter(pk=successor["id"]).update(revoked_at=utc_now())

    end(office, thief.key, "end-what-it-made")
    assert active_links() == [kept]

    end(office, ApiKey.objects.get(pk=successor["id"]), "end-what-it-made")
    assert not active_links()


def test_a_bank_account_is_closed_by_those_who_may(office: Office, thief: KeyHolder) -> None:
    """Where none has to be approved, payouts go there at once."""
    thief.makes("bank-accounts", **ACCOUNT)

    page = end(office, thief.key, role=Role.ADMINISTRATOR)

    assert "ended: 1 bank account." in page
    assert not BankAccount.objects.open().exists()


def test_a_developer_is_told_of_no_bank_account_but_support_is(
    office: Office, thief: KeyHolder
) -> None:
    thief.makes("bank-accounts", **ACCOUNT)
    thief.link()
    asked = office(Role.DEVELOPER).get(page_of_act(thief.key, "revoke")).content.decode()

    page = end(office, thief.key)

    assert "bank account" not in asked + page
    seen = office(Role.SUPPORT).get(page_of(thief.key)).content.decode()
    assert "Payouts go to 1 bank account requested with it." in seen
