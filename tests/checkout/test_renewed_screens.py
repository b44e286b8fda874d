"""POST /v1/till/renew-screens: who has the URL of a counter's screen does not keep it for good."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from backoffice.timeline import timeline_of_row
from core.clock import utc_now
from merchants.models import ApiKey, Merchant
from merchants.owner_notices import count_notice
from merchants.services import issue_key, revoke_key
from messages.models import Message
from payments.counters import screen_token, screen_url
from payments.models import Payment, Ticket
from tests.checkout.at_counters import cashier_at
from tests.checkout.shopper import Shopper
from tests.client import Api, ApiClient

pytestmark = pytest.mark.django_db
RENEW = "/v1/till/renew-screens"


def open_counter(merchant: Merchant, *, livemode: bool) -> tuple[ApiClient, Payment]:
    issued = issue_key(merchant=merchant, livemode=livemode, name="Till", now=utc_now())
    client = ApiClient(issued.secret)
    made = client.post("/v1/payments", {"payment_mode": "STATIC_PAY"}).json()
    counter = Payment.objects.get(pk=made["id"])
    assert made["counter_url"] == screen_url(counter)
    return client, counter


@pytest.mark.parametrize("livemode", [True, False])
def test_a_thief_of_a_key_keeps_no_screen_once_the_screens_are_renewed(
    merchant: Merchant, livemode: bool
) -> None:
    _, counter = open_counter(merchant, livemode=livemode)
    stolen = issue_key(merchant=merchant, livemode=livemode, name="Spare", now=utc_now())
    seen = ApiClient(stolen.secret).get(f"/v1/payments/{counter.id}").json()["counter_url"]
    thief = Shopper()
    thief.visit(seen.removeprefix("http://testserver"))
    revoke_key(key_id=stolen.key.id, now=utc_now())

    owner = ApiClient(
        issue_key(merchant=merchant, livemode=livemode, name="", now=utc_now()).secret
    )
    assert owner.post(RENEW, {}).status_code == 200

    thief.send(amount="1.00")
    assert thief.response.status_code == 404
    assert not Ticket.objects.exists()
    renewed = owner.get(f"/v1/payments/{counter.id}").json()["counter_url"]
    assert owner.get("/v1/payments").json()["payments"][0]["counter_url"] == renewed != seen
    cashier = Shopper()
    cashier.visit(renewed.removeprefix("http://testserver"))
    cashier.send(amount="1.00")
    assert Ticket.objects.get().amount == 100


def test_screens_of_the_other_mode_and_of_others_stay(
    merchant: Merchant, stranger: Merchant
) -> None:
    renewing, _ = open_counter(merchant, livemode=False)
    counters = [
        open_counter(merchant, livemode=True)[1],
        open_counter(stranger, livemode=False)[1],
    ]
    before = [screen_url(counter) for counter in counters]

    renewing.post(RENEW, {})

    again = Payment.objects.in_bulk([counter.id for counter in counters])
    assert [screen_url(again[counter.id]) for counter in counters] == before
    for counter in counters:
        assert cashier_at(counter).response.status_code == 200


def test_each_time_makes_others_and_a_repeat_makes_none(api: Api, merchant: Merchant) -> None:
    client, counter = open_counter(merchant, livemode=False)
    urls = {screen_url(counter)}

    for key in ("a", "b", "b"):
        client.post(RENEW, {}, idempotency_key=key)
        urls.add(client.get(f"/v1/payments/{counter.id}").json()["counter_url"])

    assert len(urls) == 3
    merchant.refresh_from_db()
    assert merchant.test_screens_renewed == 2


@pytest.mark.parametrize("livemode", [True, False])
def test_the_owner_and_staff_see_who_renewed_live_screens(
    merchant: Merchant, livemode: bool
) -> None:
    """It left no trail: neither could tell it from a fault when all tills closed at once."""
    client, _ = open_counter(merchant, livemode=livemode)

    for _ in range(2):
        client.post(RENEW, {})

    told = Message.objects.filter(kind="counter_screens", about=merchant.id)
    shown = [str(entry.title) for entry in timeline_of_row(merchant)]
    assert told.count() == (2 if livemode else 0)
    assert sum("Notice of renewed counter screens" in words for words in shown) == told.count()
    used = ApiKey.objects.filter(merchant=merchant, livemode=livemode).latest("created_at")
    assert all(used.hint in each.text and each.recipient == merchant.email for each in told)


def test_a_thief_who_uses_up_the_notices_renews_no_screens_unheard(merchant: Merchant) -> None:
    client, _ = open_counter(merchant, livemode=True)
    now = utc_now()
    assert all(count_notice(merchant.id, of=f"key_{each}", now=now) for each in range(20))
    assert count_notice(merchant.id, of=merchant.id, now=now)  # of a key that has replaced itself

    assert [client.post(RENEW, {}).status_code for _ in range(2)] == [200, 200]

    assert Message.objects.filter(kind="counter_screens").count() == 1


def test_no_process_shows_an_earlier_url_once_another_has_renewed_them(merchant: Merchant) -> None:
    client, counter = open_counter(merchant, livemode=False)
    shown = client.get(f"/v1/payments/{counter.id}").json()["counter_url"]

    Merchant.objects.filter(pk=merchant.pk).update(test_screens_renewed=1)

    renewed = screen_url(Payment.objects.get(pk=counter.id))
    [listed] = client.get("/v1/payments").json()["payments"]
    read = client.get(f"/v1/payments/{counter.id}").json()
    made = client.post("/v1/payments", {"payment_mode": "STATIC_PAY"}).json()
    assert listed["counter_url"] == read["counter_url"] == renewed != shown
    assert made["counter_url"] == screen_url(Payment.objects.get(pk=made["id"]))


def test_a_list_of_counters_reads_their_merchant_once(merchant: Merchant) -> None:
    client, _ = open_counter(merchant, livemode=False)
    open_counter(merchant, livemode=False)

    with CaptureQueriesContext(connection) as queries:
        assert len(client.get("/v1/payments").json()["payments"]) == 2

    assert sum('FROM "merchants_merchant"' in each["sql"] for each in queries) == 1


def test_each_counter_has_a_screen_of_its_own_once_they_are_renewed(merchant: Merchant) -> None:
    """A cashier who is moved to another counter leaves the screen of the first behind."""
    client, counter = open_counter(merchant, livemode=False)
    client.post(RENEW, {})
    another = open_counter(merchant, livemode=False)[1]

    token = screen_token(Payment.objects.get(pk=counter.id))
    assert Shopper().visit(f"/counter/{counter.id}/{token}").status_code == 200
    assert Shopper().visit(f"/counter/{another.id}/{token}").status_code == 404


def test_a_cashier_at_the_old_address_is_sent_for_the_new_one(merchant: Merchant) -> None:
    """The page offered the customer's way: to go on with the payment, or to scan the code."""
    client, counter = open_counter(merchant, livemode=False)
    cashier = cashier_at(counter)
    assert cashier.response.status_code == 200

    client.post(RENEW, {})

    cashier.visit(cashier.response.request["PATH_INFO"])
    assert cashier.response.status_code == 404
    assert "This screen has another address" in cashier.text
    assert f"/checkout/{counter.id}" not in cashier.text
