"""Someone registers under the name and the address of a shop: staff see that no one reads it."""

import pytest

from backoffice.admin.merchant_review import UNCONFIRMED
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from tests.backoffice.acting import act, fields_of, page_of_act
from tests.backoffice.conftest import Office
from tests.client import ApiClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def impostor() -> Merchant:
    wanted = {"name": "Conch Palace", "email": "owner@conch-palace.example.com"}
    made = ApiClient().post("/v1/merchants", wanted)
    assert made.status_code == 201
    return Merchant.objects.get(pk=made.json()["id"])


def test_staff_see_whether_the_address_is_confirmed(office: Office, impostor: Merchant) -> None:
    browser, page = office(Role.FINANCE), page_of_act(impostor, "verify")
    assert UNCONFIRMED in str(browser.get(page).context["form"].lines())
    assert "('E-mail confirmed', 'not yet')" in str(
        browser.get(page_of(impostor)).context["sections"]
    )

    Merchant.objects.update(email_confirmed_at=utc_now())

    assert UNCONFIRMED not in str(browser.get(page).context["form"].lines())


def test_an_address_that_its_reader_withdraws_meanwhile_is_not_verified(
    office: Office, impostor: Merchant
) -> None:
    Merchant.objects.update(email_confirmed_at=utc_now())
    browser, page = office(Role.FINANCE), page_of_act(impostor, "verify")
    form = fields_of(browser.get(page).content.decode()) | {"reason": "Papers seen"}
    Merchant.objects.update(email_confirmed_at=None)

    assert browser.post(page, form).status_code == 422
    assert Merchant.objects.get().status == "unverified"
    assert act(browser, impostor, "verify", reason="Called them").status_code == 302
