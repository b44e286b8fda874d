"""The proof of a receipt: a page with the verdict, and the file that shows it."""

import json

import pytest
from django.db import connection

from checkout.receipts import signed_head
from core.log_receipts import proven_entries
from ledger.checkpoints import verifiers
from tests.checkout.pdf_text import text_of
from tests.checkout.shopper import Shopper
from tests.ledger.thief import all_rights
from tests.refunds.refunding import sell
from tests.tampered_shop import witness

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sale(merchant):
    return sell(merchant, 1_000, fee=1_000)


def test_it_says_which_entry_the_payment_is(sale) -> None:
    witness()
    shopper = Shopper()

    shopper.visit(f"/receipts/{sale.id}")
    assert f'href="/receipts/{sale.id}/proof"' in shopper.text
    shopper.visit(f"/receipts/{sale.id}/proof")

    assert "This receipt is genuine" in shopper.text
    assert "<strong>Paid</strong>" in shopper.text
    assert '<dt>Entry in the log</dt><dd class="num">2</dd>' in shopper.text
    assert f'href="/receipts/{sale.id}.json"' in shopper.text
    assert sale.transaction_id in shopper.text


def test_each_receipt_shows_the_head(sale) -> None:
    shopper = Shopper()
    shopper.visit(f"/receipts/{sale.id}")
    assert "Signed head" not in shopper.text

    witness()

    shopper.visit(f"/receipts/{sale.id}")
    assert f"<dt>Signed head</dt><dd><code>{signed_head()}</code></dd>" in shopper.text
    drawn = text_of(Shopper().visit(f"/receipts/{sale.id}.pdf").content)
    assert signed_head().split()[1][:20] in drawn


def test_its_file_proves_the_payment_and_tells_nothing_of_the_fee(sale) -> None:
    witness()

    response = Shopper().visit(f"/receipts/{sale.id}.json")

    entries = proven_entries(json.loads(response.content), verifiers())
    assert [(entry["movement"], entry["amount"]) for entry in entries] == [("payment", 1_000)]
    assert response["Content-Disposition"].endswith(f'"receipt-{sale.id}.json"')


def test_it_is_being_made_at_first(sale) -> None:
    shopper = Shopper()
    shopper.visit(f"/receipts/{sale.id}/proof")

    assert "The proof is being made" in shopper.text
    assert ".json" not in shopper.text


def test_it_says_where_it_does_not_hold(sale) -> None:
    witness()
    with all_rights(), connection.cursor() as cursor:
        cursor.execute("UPDATE ledger_transfer SET amount = 1 WHERE kind = 'payment'")

    shopper = Shopper()
    shopper.visit(f"/receipts/{sale.id}/proof")

    assert "This receipt is not valid" in shopper.text


def test_what_is_not_paid_has_none(api, merchant) -> None:
    body = {"payment_mode": "DYNAMIC_PAY", "amount": 500}
    payment_id = api(merchant).post("/v1/payments", body).json()["id"]
    shopper = Shopper()

    shopper.visit(f"/receipts/{payment_id}.json")

    assert shopper.path.endswith(f"/checkout/{payment_id}")
