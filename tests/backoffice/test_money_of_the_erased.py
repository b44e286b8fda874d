"""No one gives money to a wallet that no one can open, and what such a one holds can be taken."""

import pytest

from backoffice.models import Instruction
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.instructions import instruct
from core.clock import utc_now
from customers.models import Customer
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import paid_payment, refund_request
from tests.funding.money_in import LIVE, customer_with, erase_first, erased, held

pytestmark = pytest.mark.django_db
NO_ONE = "a refund goes to a wallet that no one can open, and Finance has to settle it"
WHY = {"currency": "BSD", "reason": "Paid at the desk", "note": "Receipt 7"}


@pytest.fixture
def customer() -> Customer:
    return customer_with(0, LIVE, livemode=True)


@pytest.mark.parametrize(
    ("name", "values"),
    [("top-up", {"amount": "8.00"}), ("adjust", {"amount": "8.00", "direction": "give"})],
)
def test_one_who_is_erased_just_then_is_given_nothing(
    office: Office,
    customer: Customer,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    values: dict[str, str],
) -> None:
    """The erasure commits after the customer was read, and before the row is locked."""
    finance = office(Role.FINANCE)
    erase_first(customer, monkeypatch)

    response = act(finance, customer, name, **WHY, **values)

    assert (response.status_code, held(customer)) == (422, 0)
    assert not Instruction.objects.exists()


def test_what_waited_while_the_person_was_erased_is_not_given(
    office: Office, customer: Customer
) -> None:
    act(office(Role.FINANCE), customer, "adjust", amount="80.00", direction="give", **WHY)
    erased(customer)

    response = act(
        office(Role.ADMINISTRATOR), Instruction.objects.get(), "approve", note="So be it"
    )

    assert (response.status_code, held(customer)) == (422, 0)
    assert Instruction.objects.get().status == "waiting"


def test_a_refund_to_an_erased_person_can_be_taken(office: Office) -> None:
    customer = customer_with(800, LIVE, livemode=True)
    erased(customer)

    act(office(Role.FINANCE), customer, "adjust", amount="8.00", direction="take", **WHY)

    assert held(customer) == 0


def test_a_refund_to_an_erased_person_is_known_to_reach_no_one(office: Office) -> None:
    """The form and the approver said nothing of it, and the page that “•••” had paid."""
    payment = paid_payment(amount=250_000)
    request = refund_request(payment, 200_000)
    asked = instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())
    support, finance = office(Role.SUPPORT), office(Role.FINANCE)
    pages = [
        (support, page_of_act(payment, "refund")),
        (finance, page_of_act(asked, "approve")),
    ]
    assert all(NO_ONE not in browser.get(url).content.decode() for browser, url in pages)

    erased(payment.paying_customer)

    assert all(NO_ONE in browser.get(url).content.decode() for browser, url in pages)
    shown = support.get(page_of(payment)).content.decode()
    assert "by a customer whose data was erased since: B$2,500.00 BSD." in shown
