"""A merchant calls because its key is refused: the page of the key says why."""

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key
from merchants.statuses import MerchantStatus
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office

pytestmark = pytest.mark.django_db
ACCEPTED = "Its requests are accepted."


@pytest.fixture
def key(merchant: Merchant) -> ApiKey:
    return issue_key(merchant=merchant, livemode=True, name="Till", now=utc_now()).key


def test_it_says_who_revoked_a_key_and_why(office: Office, key: ApiKey) -> None:
    browser = office(Role.DEVELOPER)
    act(browser, key, "revoke", reason="Leaked")

    revoked, refused = browser.get(page_of(key)).context["answer"].words

    assert revoked.startswith("Revoked by developer, ")
    assert revoked.endswith(": Leaked.")
    assert refused == "Its requests are refused."


def test_it_says_what_the_status_of_the_merchant_is_to_a_key(
    office: Office, key: ApiKey, settings
) -> None:
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    browser, said = office(Role.SUPPORT), {}
    for status in MerchantStatus.values:
        Merchant.objects.update(status=status)
        said[status] = browser.get(page_of(key)).context["answer"].words

    assert said == {
        "unverified": [ACCEPTED, "No live payments yet: the merchant is not verified."],
        "verified": [ACCEPTED],
        "suspended": ["Its requests are refused: the merchant is suspended."],
    }
