"""A change of a link that waits while its key is revoked is not made."""

import pytest

from core.clock import utc_now
from links.models import PaymentLink
from merchants.models import ApiKey, Merchant
from merchants.services import issue_key
from tests.client import ApiClient
from tests.races import held_up

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]
SHOP, THIEF = "https://shop.example/", "https://thief.example/"


def test_a_revoked_key_sends_no_customer_elsewhere_after_paying(merchant: Merchant) -> None:
    issued = issue_key(merchant=merchant, livemode=True, name="Spare", now=utc_now())
    stolen = ApiClient(issued.secret)
    assert stolen.post("/v1/payment-links", {"amount": 150, "success_url": SHOP}).status_code == 201
    link = PaymentLink.objects.get()

    def revoke() -> None:
        PaymentLink.objects.locked_against_use(link.pk)
        ApiKey.objects.filter(pk=issued.key.pk).update(revoked_at=utc_now())

    changes = {"success_url": THIEF}
    answer = held_up(revoke, lambda: stolen.patch(f"/v1/payment-links/{link.pk}", changes))

    assert getattr(answer, "status_code", answer) == 401
    link.refresh_from_db()
    assert link.success_url == SHOP


def test_a_revoked_key_ends_no_link_of_its_owners(merchant: Merchant) -> None:
    """A link that has been deactivated stays so: its posters have to be printed anew."""
    issued = issue_key(merchant=merchant, livemode=True, name="Spare", now=utc_now())
    stolen = ApiClient(issued.secret)
    stolen.post("/v1/payment-links", {"amount": 150})
    link = PaymentLink.objects.get()

    def revoke() -> None:
        PaymentLink.objects.locked_against_use(link.pk)
        ApiKey.objects.filter(pk=issued.key.pk).update(revoked_at=utc_now())

    answer = held_up(revoke, lambda: stolen.post(f"/v1/payment-links/{link.pk}/deactivate"))

    assert getattr(answer, "status_code", answer) == 401
    link.refresh_from_db()
    assert link.status == "active"
