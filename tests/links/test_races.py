"""Many customers at one link"""

from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta

import pytest
from django.db import connections, transaction

from core.clock import utc_now
from links.errors import PaymentLinkInactive
from links.models import LinkUse, PaymentLink
from links.reconciliation import check_links
from links.services import deactivate_link, expire_link, lock_for_use
from links.tasks import count_uses
from merchants.callers import Caller
from merchants.models import Merchant
from tests.events import event_types
from tests.links.conftest import new_link
from tests.links.paying_by_link import use
from tests.races import at_once, held_up

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def closing(call):
    """Make a call in another thread and give its connection back."""

    def run():
        try:
            return call()
        finally:
            connections.close_all()

    return run


def test_two_customers_cannot_both_take_the_last_use(api, merchant):
    link = new_link(api, merchant, max_uses=3)

    results = at_once([lambda: use(link.id)] * 12)

    refused = [result for result in results if isinstance(result, PaymentLinkInactive)]
    link.refresh_from_db()
    assert len(refused) == 9
    assert (link.status, link.uses_count, link.amount_collected) == ("used_up", 3, 3750)
    assert LinkUse.objects.count() == 3
    assert event_types("payment_link.p") == ["payment_link.payment.completed"] * 3


def test_customers_of_an_unlimited_link_do_not_wait_for_each_other(link):
    with transaction.atomic():
        lock_for_use(link.id, now=utc_now())
        [payment_id] = at_once([lambda: use(link.id)])

    assert isinstance(payment_id, str)


def test_counting_while_customers_pay_loses_nothing(api, merchant, link):
    results = at_once([lambda: use(link.id)] * 20 + [count_uses] * 4)

    count_uses()

    assert not [result for result in results if isinstance(result, Exception)]
    link.refresh_from_db()
    assert (link.uses_count, link.amount_collected) == (20, 25_000)
    assert list(check_links()) == []


def test_a_limit_waits_for_the_payments_that_are_under_way(api, merchant, link):
    client = api(merchant)
    path = f"/v1/payment-links/{link.id}"

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            use(link.id)
            answer = pool.submit(closing(lambda: client.patch(path, {"max_uses": 1}).status_code))
            waited = not wait([answer], timeout=0.3).done
        assert waited
        assert answer.result() == 422

    link.refresh_from_db()
    assert (link.max_uses, link.uses_count) == (None, 0)


def test_deactivating_while_customers_pay_ends_the_link_once(api, merchant, link):
    client = api(merchant)

    def stop():
        return client.post(f"/v1/payment-links/{link.id}/deactivate").status_code

    results = at_once([stop] * 4 + [lambda: use(link.id)] * 8)

    assert sorted(result for result in results if isinstance(result, int)) == [200, 422, 422, 422]
    assert event_types("payment_link.d") == ["payment_link.deactivated"]
    with pytest.raises(PaymentLinkInactive):
        use(link.id)
    assert Merchant.objects.count() == 1


def ends(link):
    caller = Caller(link.merchant, link.livemode, "staff:support")
    return lambda: deactivate_link(caller=caller, link_id=link.id, now=utc_now())


def expires(link):
    PaymentLink.objects.update(expires_at=utc_now() + timedelta(hours=1))
    return lambda: expire_link(link_id=link.id, now=utc_now() + timedelta(hours=2))


def test_the_expiry_of_a_link_waits_for_the_payments_that_are_under_way(link):
    ended = held_up(lambda: use(link.id), expires(link))

    assert not isinstance(ended, Exception)
    assert event_types("payment_link.")[1:] == [
        *("payment_link.payment.completed", "payment_link.expired"),
    ]


def test_the_end_of_a_link_waits_for_the_payments_that_are_under_way(link):
    """It was told as ended, and a customer who was paying at that moment still paid through it."""
    ended = held_up(lambda: use(link.id), ends(link))

    assert not isinstance(ended, Exception)
    assert (ended.status, ended.uses_count) == ("deactivated", 1)
    assert event_types("payment_link.") == [
        *("payment_link.created", "payment_link.payment.completed", "payment_link.deactivated"),
    ]


def test_a_customer_who_pays_while_a_link_is_ended_is_refused(link):
    refused = held_up(ends(link), lambda: use(link.id))

    assert isinstance(refused, PaymentLinkInactive)
    assert not LinkUse.objects.exists()
