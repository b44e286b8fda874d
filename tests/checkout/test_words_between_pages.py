"""What a shop changes between a press and the page that it leads to is told there."""

from urllib.parse import urljoin

import pytest

from core.clock import utc_now
from funding.models import TopUp
from links.services import LinkDraft, create_link
from merchants.callers import Caller
from merchants.models import Merchant
from payments.models import Payment
from tests.checkout.descriptions import CHANGED, describe
from tests.checkout.shopper import Shopper
from tests.factories import PaymentFactory
from tests.funding.money_in import customer_with, short_of_money
from tests.payments.counter_sales import counter_of, ticket_on

pytestmark = pytest.mark.django_db
PHONE = "+1 242 555 0100"


def payment_at(shopper: Shopper, merchant: Merchant, amount: int = 4_000) -> Payment:
    """Open a payment, and look at it."""
    payment = PaymentFactory.create(merchant=merchant, amount=amount, description="A phone")
    shopper.visit(payment.hosted_url)
    return payment


def press_and_swap(shopper: Shopper, *, to: str = "", **values: str) -> None:
    """Press; the shop, which polls, changes the words before the browser has followed."""
    form = shopper.form(to)
    path = urljoin(shopper.path, form.action) if form.action else shopper.path
    answer = shopper.client.post(path, form.fields | values)
    assert answer.status_code == 303
    describe(Payment.objects.latest("pk"), "A box")
    shopper.visit(urljoin(path, answer["Location"]))


def told(shopper: Shopper, payment: Payment) -> bool:
    """Whether the customer reads at the payment itself, unpaid, that other words stand there."""
    assert Payment.objects.get(pk=payment.pk).completed_at is None
    return shopper.path == payment.hosted_url and CHANGED in shopper.text


@pytest.mark.parametrize("step", ["phone", "code", "pin"])
def test_between_a_step_and_the_next(merchant: Merchant, step: str) -> None:
    """A shop needs 0.2 seconds; the new page carried the new words on to the press that pays."""
    shopper = Shopper()
    payment = payment_at(shopper, merchant)
    if step == "pin":
        shopper.sign_in()
        shopper.send(to="/back")
    elif step == "code":
        shopper.send(to="/pay")
        shopper.send(phone=PHONE)
    if step == "code":
        press_and_swap(shopper, code="000000")
    else:
        press_and_swap(shopper, to="/pay")

    assert told(shopper, payment)
    assert "A box" in shopper.text
    shopper.send(to="/pay")
    if step == "phone":
        shopper.send(phone=PHONE)
        shopper.send(code="000000")
    shopper.send(pin="1234")
    assert "<h1>Paid</h1>" in shopper.text


def test_between_the_code_and_the_review_that_pays_by_a_press(merchant: Merchant) -> None:
    shopper = Shopper()
    payment = payment_at(shopper, merchant, 150)
    shopper.send(to="/pay")
    shopper.send(phone=PHONE)
    press_and_swap(shopper, code="000000")

    assert told(shopper, payment)


def test_while_a_page_is_open_that_is_then_loaded_again(merchant: Merchant) -> None:
    shopper = Shopper()
    payment = payment_at(shopper, merchant)
    shopper.sign_in()
    pin_page = shopper.path
    describe(payment, "A box")
    for _ in range(2):  # a shop that holds the window can have it go there again and again
        shopper.visit(pin_page)
        assert told(shopper, payment)
    shopper.visit(f"{payment.hosted_url}/cancel")
    assert shopper.path == f"{payment.hosted_url}/cancel"
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    assert shopper.path == pin_page


def test_between_a_way_to_add_money_and_its_page(merchant: Merchant) -> None:
    """There, too, one press confirms the payment, which is paid once the money has come."""
    payment = PaymentFactory.create(merchant=merchant, amount=150, description="A phone")
    customer_with(40)
    shopper = short_of_money(payment)
    shopper.send(to="/pay")
    press_and_swap(shopper, way="simulated")

    assert "A box" in shopper.text
    assert shopper.path == f"/top-ups/{TopUp.objects.get().pk}"
    shopper.send(to="/prove")
    assert told(shopper, payment)


@pytest.mark.parametrize(
    "answer", [{}, {"tip": "0", "other_tip": ""}, {"amount": "12.50"}], ids=["sum", "tip", "keys"]
)
def test_between_a_counter_and_the_payment_that_it_opens(
    merchant: Merchant, answer: dict[str, str]
) -> None:
    counter = counter_of(merchant, tips_allowed="tip" in answer)
    if "amount" not in answer:
        ticket_on(counter, 1_250)
    shopper = Shopper()
    shopper.visit(counter.hosted_url)
    press_and_swap(shopper, **answer)

    assert told(shopper, Payment.objects.get(static_payment=counter))


def test_between_a_link_and_the_payment_that_it_opens(merchant: Merchant) -> None:
    caller = Caller(merchant, livemode=False, actor="test")
    draft = LinkDraft(currency="BSD", amount=150, description="A phone")
    link = create_link(caller=caller, draft=draft, now=utc_now())
    shopper = Shopper()
    shopper.visit(f"/pay/{merchant.slug}/{link.id}")
    press_and_swap(shopper)

    assert told(shopper, Payment.objects.get(link=link))


def test_what_another_payment_was_agreed_to_says_nothing_of_this_one(merchant: Merchant) -> None:
    shopper = Shopper()
    payment_at(shopper, merchant)
    shopper.sign_in()
    other = PaymentFactory.create(merchant=merchant, amount=4_000, description="A box")
    shopper.visit(other.hosted_url)

    assert (shopper.path, CHANGED in shopper.text) == (other.hosted_url, False)


@pytest.mark.parametrize("value", ["", "x", "{id}", "{id}.", "{id}.x", "\x00.{id}", '"'])
def test_whatever_the_cookie_says_the_page_is_shown(merchant: Merchant, value: str) -> None:
    shopper = Shopper()
    payment = PaymentFactory.create(merchant=merchant, amount=4_000, description="A phone")
    shopper.client.cookies["agreed"] = value.format(id=payment.id)
    shopper.visit(payment.hosted_url)

    assert "A phone" in shopper.text
    shopper.sign_in()
    assert shopper.path == f"{payment.hosted_url}/pin"
