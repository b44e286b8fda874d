"""How many statements a customer's page costs: a bound that grows only on purpose."""

from typing import TYPE_CHECKING
from urllib.parse import urljoin

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from core.clock import utc_now
from customers.errors import ProofMethod
from customers.models import CustomerSession
from customers.passkeys import begin_payment
from customers.sessions import remember_proof
from payments.statuses import PaymentStatus
from tests.checkout.shopper import Shopper, signed_in_at
from tests.customers.authenticator import VirtualAuthenticator
from tests.customers.enrolment import enrol

if TYPE_CHECKING:
    from collections.abc import Callable

    from payments.models import Payment

pytestmark = pytest.mark.django_db
FRAMING = ("BEGIN", "SAVEPOINT", "RELEASE", "COMMIT")


class PressStatements(CaptureQueriesContext):
    """The statements of the block, written out one a line, without their framing."""

    def __init__(self) -> None:
        super().__init__(connection)

    def __repr__(self) -> str:
        return "\n".join(self.work)

    @property
    def work(self) -> list[str]:
        texts = [query["sql"] for query in self.captured_queries]
        return [text for text in texts if not text.startswith(FRAMING)]

    @property
    def transactions(self) -> int:
        """How many outermost savepoints: inside the test's own transaction, that is what one is."""
        depth = found = 0
        for query in self.captured_queries:
            begins = query["sql"].startswith("SAVEPOINT")
            found += begins and not depth
            depth += begins - query["sql"].startswith("RELEASE")
        return found

    @property
    def payment_locks(self) -> int:
        return sum('FOR NO KEY UPDATE OF "payments_payment"' in text for text in self.work)


def test_the_status_costs_one_statement_of_three_columns(payment):
    with PressStatements() as statements:
        assert Client().get(f"{payment.hosted_url}/status").status_code == 200

    assert len(statements.work) == 1, statements
    assert statements.work[0].partition(" FROM ")[0].count(",") == 2, statements


def test_the_page_of_a_payment_costs_one_statement_that_leaves_the_logos_bytes(payment):
    with PressStatements() as statements:
        assert Client().get(payment.hosted_url).status_code == 200

    assert len(statements.work) == 1, statements
    assert "digest" in statements.work[0], statements
    assert '"png"' not in statements.work[0], statements


@pytest.mark.parametrize("form", ["png", "svg"])
def test_a_qr_code_costs_one_statement(payment, form):
    with PressStatements() as statements:
        assert Client().get(f"{payment.hosted_url}/qr.{form}").status_code == 200

    assert len(statements.work) == 1, statements


@pytest.fixture
def shopper(payment_of: "Callable[..., Payment]") -> Shopper:
    """A customer who is signed in and has paid this merchant before, by PIN."""
    shopper = signed_in_at(payment_of(1_250))
    shopper.send(pin="1234")
    assert "<h1>Paid</h1>" in shopper.text
    return shopper


def press(shopper: Shopper, to: str = "", **values: str) -> PressStatements:
    """Send a form of the page without going where it leads; return what it took."""
    form = shopper.form(to)
    path = urljoin(shopper.path, form.action) if form.action else shopper.path
    with PressStatements() as statements:
        response = shopper.client.post(path, form.fields | values)
    assert response.status_code == 303
    return statements


def test_a_press_that_pays_is_one_transaction_with_one_lock(shopper, payment_of):
    payment = payment_of(150)
    shopper.visit(payment.hosted_url)
    statements = press(shopper, to="/pay")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
    assert statements.transactions == 1, statements
    assert statements.payment_locks == connection.features.has_select_for_update, statements
    assert len(statements.work) <= 14, statements


def test_a_press_that_asks_for_the_pin_is_one_transaction_with_one_lock(shopper, payment_of):
    payment = payment_of(1_250)
    shopper.visit(payment.hosted_url)
    statements = press(shopper, to="/pay")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.REQUIRES_ACTION
    assert statements.transactions == 1, statements
    assert statements.payment_locks == connection.features.has_select_for_update, statements
    assert len(statements.work) <= 6, statements


def test_a_pin_is_counted_in_a_transaction_and_pays_in_another(shopper, payment_of):
    payment = payment_of(1_250)
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    statements = press(shopper, pin="1234")

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
    assert statements.transactions == 2, statements
    assert len(statements.work) <= 17, statements


def test_a_passkey_uses_its_challenge_up_in_a_transaction_and_pays_in_another(shopper, payment_of):
    session, now = CustomerSession.objects.get(ended_at=None), utc_now()
    remember_proof(session, ProofMethod.PIN, now=now)
    device = VirtualAuthenticator()
    enrol(session, device, now)
    payment = payment_of(12_500)
    shopper.visit(payment.hosted_url)
    shopper.send(to="/pay")
    asked = begin_payment(session=session, payment_id=payment.id, amount=12_500, now=now)
    statements = press(shopper, credential=device.get(asked))

    payment.refresh_from_db()
    assert payment.status == PaymentStatus.COMPLETED
    assert statements.transactions == 2, statements
    assert len(statements.work) <= 17, statements
