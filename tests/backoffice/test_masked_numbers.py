"""The masked digits of a telephone number are not told by the search box."""

from dataclasses import replace

import pytest

from backoffice import search_results
from backoffice.roles import Role
from backoffice.search_query import SearchQuery
from customers.models import Customer
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment

pytestmark = pytest.mark.django_db


@pytest.fixture
def paid(merchant: Merchant) -> Payment:
    return paid_payment(merchant)


@pytest.fixture(autouse=True)
def few_misses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let three numbers be looked up in vain."""
    monkeypatch.setattr(search_results, "MISSES", replace(search_results.MISSES, times=3))


def test_a_masked_number_cannot_be_tried_out(office: Office, paid: Payment) -> None:
    """Three digits are masked: a thousand searches told them to anyone who may search."""
    assert paid.customer is not None
    viewer = office(Role.VIEWER)

    def status_of(text: str) -> int:
        return viewer.get("/admin/search/", {"q": text}).status_code

    assert [status_of(f"+1 242 357 100{digit}") for digit in range(4)] == [200, 200, 200, 429]
    assert status_of(paid.customer.phone) == 429
    assert status_of(paid.id) == 302
    colleague = office(Role.SUPPORT).get("/admin/search/", {"q": paid.customer.phone})
    assert colleague.status_code == 200


def test_a_payment_with_the_same_words_opens_no_way_to_a_masked_number(
    office: Office, merchant: Merchant
) -> None:
    """Anyone with a test key can store what each search for a number then finds."""
    paid_payment(merchant, description="12 34")
    viewer = office(Role.VIEWER)
    numbers = [f"2 4 2 3 5 {digit} 12 34" for digit in range(4)]

    tried = [viewer.get("/admin/search/", {"q": number}).status_code for number in numbers]

    assert tried == [302, 302, 302, 302]  # straight to the payment with those words
    assert viewer.get("/admin/search/", {"q": "+1 242 357 9999"}).status_code == 429


def test_many_at_once_look_up_no_more_numbers_than_one_after_another(
    office: Office, paid: Payment, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer, looked_up = office(Role.VIEWER), []

    def look_up_during_others(question: SearchQuery) -> list[Customer]:
        looked_up.append(question.phone)
        if len(looked_up) < 6:
            viewer.get("/admin/search/", {"q": f"+1 242 357 100{len(looked_up)}"})
        return []

    monkeypatch.setattr(search_results, "_customers", look_up_during_others)
    viewer.get("/admin/search/", {"q": "+1 242 357 1000"})
    assert len(looked_up) == 3


def test_numbers_of_customers_are_looked_up_without_end(office: Office, paid: Payment) -> None:
    assert paid.customer is not None
    support = office(Role.SUPPORT)

    found = [support.get("/admin/search/", {"q": paid.customer.phone}) for _ in range(5)]

    assert {response.status_code for response in found} == {200}


def test_a_number_that_is_an_invoices_is_found_all_the_same(
    office: Office, merchant: Merchant
) -> None:
    paid_payment(merchant, invoice_number="20261234567")
    support = office(Role.SUPPORT)
    for digit in range(5):
        support.get("/admin/search/", {"q": f"+1 242 357 100{digit}"})

    assert support.get("/admin/search/", {"q": "20261234567"}).status_code in (200, 302)


def test_addresses_cannot_be_tried_out_either(office: Office, paid: Payment) -> None:
    """Which of a list of addresses are customers', anyone who may search would learn."""
    viewer = office(Role.VIEWER)

    def status_of(text: str) -> int:
        return viewer.get("/admin/search/", {"q": text}).status_code

    tried = [status_of(f"guess{number}@example.com") for number in range(4)]

    assert tried == [200, 200, 200, 429]


def test_addresses_of_customers_are_looked_up_without_end(office: Office, paid: Payment) -> None:
    assert paid.customer is not None
    Customer.objects.filter(pk=paid.customer.pk).update(email="pat@example.com")
    support = office(Role.SUPPORT)

    found = [support.get("/admin/search/", {"q": "pat@example.com"}) for _ in range(5)]

    assert not {response.status_code for response in found} & {429}
