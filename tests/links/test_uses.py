"""A use is counted when its payment completes, and the last one ends the link."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from core.clock import utc_now
from links.errors import PaymentLinkExpired, PaymentLinkInactive, PaymentLinkNotFound
from links.models import LinkUse, PaymentLink
from links.services import lock_for_use, open_link, record_use
from links.tasks import count_uses
from merchants.errors import MerchantInactive
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from tests.events import event_data, event_types
from tests.links.conftest import new_link
from tests.links.paying_by_link import use


def test_it_announces_a_payment_through_a_limited_link(api, merchant):
    link = new_link(api, merchant, max_uses=2, metadata={"table": 4})

    payment_id = use(link.id)

    assert event_data("payment_link.payment.completed") == {
        "payment_link_id": link.id,
        "payment_id": payment_id,
        "merchant_id": merchant.id,
        "amount": 1250,
        "currency": "BSD",
        "status": "active",
        "uses_count": 1,
        "max_uses": 2,
        "metadata": {"table": 4},
    }


def test_it_does_not_number_the_uses_of_an_unlimited_link(link):
    use(link.id)

    assert "uses_count" not in event_data("payment_link.payment.completed")


def test_the_last_use_ends_the_link(api, merchant):
    link = new_link(api, merchant, max_uses=2)
    use(link.id)
    use(link.id)

    with pytest.raises(PaymentLinkInactive):
        use(link.id)

    link.refresh_from_db()
    assert (link.status, link.uses_count, link.amount_collected) == ("used_up", 2, 2500)
    assert link.ended_at is not None
    assert LinkUse.objects.count() == 2
    assert event_types("payment_link.p") == ["payment_link.payment.completed"] * 2


def test_one_payment_is_one_use(link):
    payment_id = use(link.id)

    with pytest.raises(IntegrityError), transaction.atomic():
        record_use(link.id, payment_id=payment_id, amount=1250, now=utc_now())


def test_the_task_counts_the_uses_of_unlimited_links_once(api, merchant, link):
    other = new_link(api, merchant, amount=None)
    for link_id, amount in ((link.id, 1250), (link.id, 1250), (other.id, 7)):
        use(link_id, amount=amount)

    assert (count_uses(), count_uses()) == (3, 0)

    rows = PaymentLink.objects.order_by("id").values_list("uses_count", "amount_collected")
    assert list(rows) == [(2, 2500), (1, 7)]


@pytest.mark.parametrize("check", [open_link, lock_for_use])
class TestWhetherALinkTakesAPayment:
    def test_it_does(self, link, check):
        with transaction.atomic():
            assert check(link.id, now=utc_now()) == link

    def test_a_link_that_is_not_there_is_refused(self, db, check):
        with pytest.raises(PaymentLinkNotFound), transaction.atomic():
            check("link_x", now=utc_now())

    def test_a_deactivated_link_is_refused(self, api, merchant, link, check):
        api(merchant).post(f"/v1/payment-links/{link.id}/deactivate")

        with pytest.raises(PaymentLinkInactive), transaction.atomic():
            check(link.id, now=utc_now())

    def test_an_expired_link_is_refused(self, link, check):
        instant = utc_now()
        PaymentLink.objects.update(expires_at=instant)

        with pytest.raises(PaymentLinkExpired), transaction.atomic():
            check(link.id, now=instant)
        with transaction.atomic():
            assert check(link.id, now=instant - timedelta(milliseconds=1)) == link


def test_no_payment_is_started_through_a_suspended_merchants_link(link):
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    with pytest.raises(MerchantInactive):
        open_link(link.id, now=utc_now())
