"""GET /v1/ledger/proof/:transaction_id, and what checks its answer without the service."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from core.ids import new_id
from core.log_receipts import ReceiptRefused, proven_entries
from core.signed_notes import NoteSigner
from ledger.checkpoints import verifiers
from ledger.transaction_receipts import LogReceipt, ReceiptLeaf
from tests.factories import MerchantFactory
from tests.ledger.funding import NOW
from tests.ledger.thief import all_rights
from tests.refunds.refunding import sell
from tests.tampered_shop import witness

pytestmark = pytest.mark.django_db(transaction=True)


def path_of(transaction_id: str | None) -> str:
    return f"/v1/ledger/proof/{transaction_id}"


@pytest.fixture
def sale(merchant):
    return sell(merchant, 1_000, fee=1_000)


@pytest.fixture
def receipt(api, merchant, sale) -> dict[str, Any]:
    witness()
    found: dict[str, Any] = api(merchant).get(path_of(sale.transaction_id)).json()
    return found


def test_it_proves_the_payment_and_its_fee(merchant, sale, receipt) -> None:
    assert receipt["status"] == "proven"
    assert receipt["transaction_id"] == sale.transaction_id
    entries = proven_entries(receipt, verifiers())
    assert [entry["movement"] for entry in entries] == ["payment", "fee"]
    assert {entry["reference"] for entry in entries} == {sale.id}
    assert [entry["amount"] for entry in entries] == [1_000, 100]
    assert entries[0]["credit_owner"] == merchant.id
    assert entries[0]["debit_owner"] == sale.customer_id


def test_it_is_pending_until_a_signed_head_has_it(api, merchant, sale) -> None:
    response = api(merchant).get(path_of(sale.transaction_id))

    assert response.status_code == 200
    assert response.json() == {"transaction_id": sale.transaction_id, "status": "pending"}


def test_it_holds_for_each_leaf_of_a_log_of_any_size(api, merchant) -> None:
    sales = [sell(merchant, amount) for amount in range(101, 110)]
    witness()

    for sale in sales:
        proof = api(merchant).get(path_of(sale.transaction_id)).json()
        assert proven_entries(proof, verifiers())[0]["amount"] == sale.amount


def test_what_does_not_exist_is_404(api, merchant) -> None:
    response = api(merchant).get(path_of(new_id("txn", NOW)))

    assert (response.status_code, response.json()["code"]) == (404, "NOT_FOUND")
    assert response.json()["error"] == "There is no such transaction."


def test_a_stranger_learns_nothing(api, merchant, sale, receipt) -> None:
    unknown = api(merchant).get(path_of(new_id("txn", NOW)))

    for caller in (api(MerchantFactory()), api(merchant, live=True)):
        response = caller.get(path_of(sale.transaction_id))
        assert (response.status_code, response.content) == (404, unknown.content)


def test_the_public_key_is_open_to_all(client) -> None:
    response = client.get("/.well-known/checkpoint-keys")

    assert response.status_code == 200
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response.text == f"{verifiers()[0]}\n"
    assert client.post("/.well-known/checkpoint-keys").status_code == 405


def test_a_file_has_what_is_proven_and_what_is_not_yet() -> None:
    leaf = ReceiptLeaf(index=3, entry="{}", path=["YQ=="])
    proven = LogReceipt(transaction_id="txn_1", status="proven", checkpoint="note", leaves=[leaf])

    assert proven.as_json() == {
        "transaction_id": "txn_1",
        "status": "proven",
        "checkpoint": "note",
        "leaves": [{"index": 3, "entry": "{}", "path": ["YQ=="]}],
    }
    assert LogReceipt(transaction_id="txn_1", status="pending").as_json() == {
        "transaction_id": "txn_1",
        "status": "pending",
        "checkpoint": "",
        "leaves": [],
    }


def changed(receipt: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return json.loads(json.dumps(receipt)) | changes


def test_a_receipt_that_was_changed_is_refused(receipt) -> None:
    entry = receipt["leaves"][0]["entry"].replace('"amount":1000', '"amount":9000')
    first, second = receipt["leaves"]
    other = NoteSigner.generate("testserver/ledger").sign("testserver/ledger\n4\nAAAA\n")
    steps = [f"!{step}" for step in first["path"]]
    forgeries = [
        ("does not lead", changed(receipt, leaves=[first | {"entry": entry}, second])),
        ("lead to the head", changed(receipt, leaves=[first | {"index": first["index"] + 1}])),
        ("has signed", changed(receipt, checkpoint=other)),
        ("another transaction", changed(receipt, transaction_id="txn_x")),
        ("is no receipt", {"transaction_id": "txn_x"}),
        ("is no receipt", changed(receipt, leaves=[first | {"path": steps}, second])),
        ("of another transaction", changed(receipt, leaves=[])),
    ]

    for why, forged in forgeries:
        with pytest.raises(ReceiptRefused, match=why):
            proven_entries(forged, verifiers())


def test_what_was_changed_in_the_database_is_not_proven(api, merchant, sale, receipt) -> None:
    with all_rights(), connection.cursor() as cursor:
        cursor.execute("UPDATE ledger_transfer SET amount = 1 WHERE kind = 'payment'")

    forged = api(merchant).get(path_of(sale.transaction_id)).json()

    with pytest.raises(ReceiptRefused):
        proven_entries(forged, verifiers())


def test_the_command_checks_a_file_as_the_api_sends_it(
    api, merchant, sale, receipt, tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In UTF-8, whatever the locale."""
    monkeypatch.setattr("io.text_encoding", lambda encoding, stacklevel=2: encoding or "latin-1")
    file = tmp_path / "receipt.json"
    file.write_bytes(api(merchant).get(path_of(sale.transaction_id)).content)
    assert "—" in receipt["checkpoint"], "which is in no single byte"

    call_command("verify_receipt", str(file), "--key", str(verifiers()[0]))

    said = capsys.readouterr().out
    assert "payment " in said
    assert "1000 BSD" in said
    assert "Proven: log testserver/ledger of " in said


def test_the_command_refuses_another_key(receipt, tmp_path: Path, capsys) -> None:
    file = tmp_path / "receipt.json"
    file.write_text(json.dumps(receipt))

    with pytest.raises(SystemExit):
        call_command("verify_receipt", str(file), key=NoteSigner.generate("x").verifier)

    assert "No key that is known has signed" in capsys.readouterr().err


@pytest.mark.usefixtures("development")
def test_development_proves_it_without_a_header(api, sale, receipt) -> None:
    assert api(None).get(path_of(sale.transaction_id)).json() == receipt
    unknown = api(None).get(path_of(new_id("txn", NOW)))
    assert (unknown.status_code, unknown.json()["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("content", ["[]", '"proven"', "{"])
def test_the_command_refuses_what_is_no_receipt(tmp_path: Path, settings, content: str) -> None:
    file = tmp_path / "receipt.json"
    file.write_text(content)

    with pytest.raises(CommandError, match="must be the JSON of a receipt"):
        call_command("verify_receipt", str(file))
    settings.CHECKPOINT_KEY = ""
    with pytest.raises(CommandError, match="Give the public key with --key"):
        call_command("verify_receipt", str(file))
