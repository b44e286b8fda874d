"""What a live key has asked for is not approved once it could not ask: it may have been stolen."""

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import issue_key
from payouts.models import BankAccount
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office
from tests.client import ApiClient

pytestmark = pytest.mark.django_db
MULE = {"holder_name": "A Mule", "bank_name": "Reef Bank", "number": "555 000 111"}
KEY_ENDED = "has been revoked or replaced since"
NAME, MAIL = {"name": "Reef Refunds"}, {"email": "mule@example.com"}


def live_key(merchant: Merchant) -> ApiClient:
    """Return a caller with a live key of its own."""
    return ApiClient(
        issue_key(merchant=merchant, livemode=True, name="Spare", now=utc_now()).secret
    )


def end(caller: ApiClient, how: str, **body: int) -> None:
    """End the key of a caller, the newest, by itself."""
    key_id = caller.get("/v1/api-keys").json()["api_keys"][0]["id"]
    assert caller.post(f"/v1/api-keys/{key_id}/{how}", body).status_code in (200, 201)


def test_no_account_is_approved_that_a_stolen_key_has_named(
    office: Office, merchant: Merchant
) -> None:
    stolen = live_key(merchant)
    assert stolen.post("/v1/bank-accounts", MULE | {"clearing_code": "77005"}).status_code == 201
    end(stolen, "roll", expires_in=0)
    account, browser = BankAccount.objects.get(), office(Role.FINANCE)
    assert KEY_ENDED in browser.get(page_of(account)).content.decode()

    tried = act(browser, account, "approve", reason="On file")

    assert tried.status_code == 422
    assert KEY_ENDED in tried.content.decode()
    assert not BankAccount.objects.open().exists()
    assert act(browser, account, "decline", reason="A mule's").status_code == 302


def test_no_account_is_approved_while_the_merchant_is_suspended(
    office: Office, merchant: Merchant
) -> None:
    """Its owner calls, a colleague suspends it, and the next one finds the account waiting."""
    stolen = live_key(merchant)
    assert stolen.post("/v1/bank-accounts", MULE | {"clearing_code": "77005"}).status_code == 201
    account, browser = BankAccount.objects.get(), office(Role.FINANCE)
    assert act(browser, merchant, "suspend", reason="A stolen key").status_code == 302

    assert "The merchant is suspended" in browser.get(page_of(account)).content.decode()
    assert act(browser, account, "approve", reason="On file").status_code == 422

    merchant.refresh_from_db()
    assert act(browser, merchant, "verify", reason="It was them").status_code == 302
    another = office(Role.ADMINISTRATOR)
    assert act(another, account, "approve", reason="On file").status_code == 302


def test_no_name_is_approved_that_a_stolen_key_has_chosen(
    office: Office, merchant: Merchant
) -> None:
    stolen = live_key(merchant)
    assert stolen.patch(f"/v1/merchants/{merchant.id}", NAME).status_code == 200
    end(stolen, "revoke")
    browser = office(Role.FINANCE)
    assert KEY_ENDED in browser.get(page_of_act(merchant, "approve-change")).content.decode()

    tried = act(browser, merchant, "approve-change", reason="Register of companies")

    assert tried.status_code == 422
    assert Merchant.objects.get(pk=merchant.pk).name == merchant.name
    assert act(browser, merchant, "decline-change", reason="Not theirs").status_code == 302


@pytest.mark.parametrize("asked", [NAME, NAME | MAIL])
def test_another_key_vouches_only_for_what_it_asks_for_itself(
    office: Office, merchant: Merchant, asked: dict[str, str]
) -> None:
    stolen = live_key(merchant)
    assert stolen.patch(f"/v1/merchants/{merchant.id}", asked).status_code == 200
    end(stolen, "revoke")

    assert live_key(merchant).patch(f"/v1/merchants/{merchant.id}", NAME).status_code == 200

    approved = act(office(Role.FINANCE), merchant, "approve-change", reason="Seen")
    assert approved.status_code == 302
    changed = Merchant.objects.get(pk=merchant.pk)
    assert (changed.name, changed.email) == (NAME["name"], merchant.email)
