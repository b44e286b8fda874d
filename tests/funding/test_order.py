"""Adding money at the checkout: what is missing, by a way of choice; and on the own page"""

import pytest

from core.clock import utc_now
from customers.models import CustomerSession
from funding.errors import FundingLimitReached
from funding.models import TopUp
from funding.tasks import expire_top_ups
from messages.models import Message
from payments.models import Payment
from tests.checkout.shopper import Shopper
from tests.funding.money_in import LIVE, added, customer_with, held, ordered, short_of_money

pytestmark = pytest.mark.django_db


def test_it_adds_what_is_missing_and_the_payment_goes_on_by_itself(payment_of):
    payment, customer = payment_of(150), customer_with(40)
    shopper = short_of_money(payment)
    shopper.send(to="/pay")
    assert "Add B$1.10" in shopper.text

    shopper.send(way="simulated")
    assert shopper.path.startswith("/top-ups/")
    assert "B$1.50 is paid to" in shopper.text
    added()

    assert Payment.objects.get().status == "completed"
    assert held(customer) == 0
    shopper.visit(payment.hosted_url)
    assert "<h1>Paid</h1>" in shopper.text


def test_with_a_pin_proved_ahead_it_goes_on_by_itself(payment_of):
    payment = payment_of(1_250)
    customer_with(410)
    shopper = short_of_money(payment)
    shopper.send(way="bank_transfer")
    assert "Confirm now and pay automatically" in shopper.text

    shopper.send(to="/prove")
    shopper.send(pin="1234")

    assert shopper.path.startswith("/top-ups/")
    assert "B$12.50 is paid to" in shopper.text
    assert Payment.objects.get().status == "pending"


def test_without_a_proof_the_customer_presses_pay(payment_of):
    payment = payment_of(1_250)
    customer_with(410)
    shopper = short_of_money(payment)
    shopper.send(way="simulated")
    added()

    assert Payment.objects.get().status == "pending"
    shopper.visit(f"{payment.hosted_url}?added=1")
    assert "Your money has arrived. Press Pay to finish." in shopper.text
    shopper.send(to="/pay")
    shopper.send(pin="1234")
    assert Payment.objects.get().status == "completed"


def test_the_same_press_twice_is_one_top_up(payment_of):
    payment = payment_of(1_250)
    customer_with(410)
    first, second = short_of_money(payment), short_of_money(payment)

    first.send(way="bank_transfer")
    second.visit(payment.hosted_url)

    assert "B$8.40 is on its way to your wallet." in second.text
    assert TopUp.objects.count() == 1


def test_only_the_very_same_wish_is_the_same_top_up(payment_of):
    customer = customer_with(0)
    first = ordered(customer)
    assert ordered(customer) == first

    late = ordered(customer_with(0, "+12425550110"))
    TopUp.objects.filter(pk=late.pk).update(expires_at=late.created_at)
    others = (
        late,
        ordered(late.customer),
        ordered(customer, 2_001),
        ordered(customer, way="simulated"),
        ordered(customer, payment=payment_of(2_000)),
        ordered(customer_with(0, "+12425550109")),
    )

    assert len({first, *others}) == 7


def test_another_way_can_be_chosen(payment_of):
    payment = payment_of(1_250)
    customer_with(410)
    shopper = short_of_money(payment)
    shopper.send(way="bank_transfer")

    shopper.send(to="/cancel")
    shopper.visit(f"{payment.hosted_url}/short")
    shopper.send(way="agent")

    assert "12 Bay Street" in shopper.text
    assert list(TopUp.objects.order_by("pk").values_list("status", flat=True)) == [
        "canceled",
        "pending",
    ]


def test_it_refuses_a_way_that_is_not_offered(payment_of, settings):
    settings.FUNDING_CASH_PLACE = ""
    payment = payment_of(1_250)
    customer_with(410)
    shopper = short_of_money(payment)

    shopper.send(way="agent")

    assert shopper.response.status_code == 422
    assert TopUp.objects.count() == 0


def test_a_stranger_cannot_cancel_it(payment_of):
    payment = payment_of(1_250)
    customer_with(410)
    shopper = short_of_money(payment)
    shopper.send(way="bank_transfer")
    address = shopper.path
    stranger = Shopper()
    stranger.visit(f"/account?test={payment.pk}")
    stranger.send(phone="+1 242 555 0100")
    stranger.send(code="000000")
    token = stranger.form("/sign-out").fields["csrfmiddlewaretoken"]

    stranger.visit(address)
    assert "Choose another way" not in stranger.text
    answer = stranger.client.post(f"{address}/cancel", {"csrfmiddlewaretoken": token})

    assert answer.status_code == 404
    assert TopUp.objects.get().status == "pending"


def test_signing_out_withdraws_what_was_proved(payment_of):
    payment = payment_of(150)
    customer_with(40)
    shopper = short_of_money(payment)
    shopper.send(to="/pay")
    shopper.send(way="simulated")
    CustomerSession.objects.update(ended_at=utc_now())

    added()

    assert Payment.objects.get().status == "pending"
    assert Message.objects.filter(kind="top_up", text__contains="is not paid yet").exists()


def test_what_was_proved_for_one_payment_is_of_no_use_for_another(payment_of):
    proved, other = payment_of(1_250), payment_of(1_260)
    customer_with(410)
    shopper = short_of_money(proved)
    shopper.send(way="agent")
    shopper.send(to="/prove")
    shopper.send(pin="1234")
    shopper.visit(other.hosted_url)
    shopper.send(to="/pay")
    shopper.send(way="simulated")

    added()

    assert set(Payment.objects.values_list("status", flat=True)) == {"pending"}


def test_a_day_has_a_limit(settings):
    settings.FUNDING_DAY_AMOUNT = 3_000
    customer = customer_with(0, LIVE, livemode=True)
    ordered(customer, 2_000)

    with pytest.raises(FundingLimitReached) as refusal:
        ordered(customer, 1_001)

    assert refusal.value.left == 1_000
    assert ordered(customer, 1_000).amount == 1_000


def test_the_page_says_what_is_left_of_the_day(payment_of, settings):
    settings.FUNDING_DAY_AMOUNT = 1_000
    shopper = Shopper()
    shopper.visit(f"/account?test={payment_of(150).pk}")
    shopper.send(phone="+1 242 555 0107")
    shopper.send(code="000000")
    shopper.visit("/account/add?test=1")

    shopper.send(amount="10.01", way="simulated")

    assert "You can add up to B$10.00 more today." in shopper.text
    assert TopUp.objects.count() == 0


def test_what_does_not_come_in_time_expires():
    top_up = ordered(customer_with(0))
    TopUp.objects.update(expires_at=top_up.created_at)

    assert expire_top_ups() == 1

    assert TopUp.objects.get().status == "expired"


@pytest.mark.parametrize(("way", "is_added_late"), [("bank_transfer", True), ("agent", False)])
def test_an_expired_one_says_what_became_of_the_money_and_leads_to_another(
    payment_of, way, is_added_late
):
    """Its page said "Expired", and to trust its address: neither what happened nor what next."""
    customer = customer_with(410)
    payment = payment_of(1_250)
    top_up, shopper = ordered(customer, way=way), short_of_money(payment)
    TopUp.objects.update(expires_at=top_up.created_at)
    shopper.visit(f"/top-ups/{top_up.pk}")

    assert "Its time has run out. Nothing was added to the wallet." in shopper.text
    assert ("A transfer with this reference is added all the same" in shopper.text) == is_added_late
    assert 'class="seal is-still"' in shopper.text
    assert '<a class="pay" href="/account/add?test=1">Add money</a>' in shopper.text
    assert "Trust its address" not in shopper.text
    TopUp.objects.update(payment=payment)
    shopper.visit(f"/top-ups/{top_up.pk}")
    assert f'<a class="pay" href="{payment.hosted_url}">Back to' in shopper.text
    assert ">Add money</a>" not in shopper.text  # the payment itself offers ways


def test_an_unknown_top_up_is_not_found():
    shopper = Shopper()
    for path in ("/top-ups/top_1", "/top-ups/top_1/status"):
        assert shopper.visit(path).status_code == 404


def test_the_own_page_adds_money_and_shows_it(payment_of):
    payment = payment_of(150)
    customer = customer_with(410)
    shopper = Shopper()
    shopper.visit(f"/account?test={payment.pk}")
    shopper.send(phone=customer.phone)
    shopper.send(code="000000")
    assert "Add money" in shopper.text

    shopper.visit("/account/add?test=1")
    shopper.send(amount="20", way="simulated")
    assert "Waiting" in shopper.text
    added()

    shopper.visit(shopper.path)
    assert "<h1>Added</h1>" in shopper.text
    shopper.visit("/account?test=1")
    assert "Money added" in shopper.text
    assert held(customer) == 2_410
