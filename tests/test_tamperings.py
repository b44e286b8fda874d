"""Fifty-odd ways to tamper with a shop's money, with all rights on the database: each is named."""

from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from customers.models import Customer
from ledger.models import Transfer
from merchants.models import Merchant
from payouts.models import Payout
from refunds.models import Refund
from tests.ledger.command import verify
from tests.ledger.thief import all_rights
from tests.run_environment import ON_POSTGRESQL
from tests.source_tree import ROOT
from tests.tampered_shop import copied, folder, furnish

pytestmark = [pytest.mark.django_db(transaction=not ON_POSTGRESQL), pytest.mark.slow]

FORGED = "was not written by the service, or was changed."
MOVE = (
    "INSERT INTO ledger_unsealedtransfer (transfer_id, debit_account_id, credit_account_id, amount)"
)
QUEUE = f"{MOVE} SELECT id, debit_account_id, credit_account_id, amount FROM ledger_transfer"
OLDER = "'2020-01-01 00:00:00+00:00'"

# By the name in docs/tampering.md: what is done, and what is said of it.
TAMPERINGS: dict[str, tuple[list[str], str]] = {
    "sealed amount": (
        ["UPDATE ledger_transfer SET amount = amount + 1 WHERE id = {sealed}"],
        "Transfer {sealed} or its seal",
    ),
    "payment completed to failed": (
        [
            "UPDATE payments_payment SET status = 'failed', completed_at = NULL,"
            f" transaction_id = NULL, failed_at = {OLDER} WHERE id = '{{late}}'"
        ],
        "is the payment of no completed {late}",
    ),
    "fee": (
        ["UPDATE payments_payment SET fee = 1 WHERE id = '{sale}'"],
        "Payment {sale} is completed without the transfer of its fee.",
    ),
    "payout amount": (
        ["UPDATE payouts_payout SET amount = 1 WHERE id = '{scheduled}'"],
        f"Payout {{scheduled}} {FORGED}",
    ),
    "amount refunded": (
        ["UPDATE payments_payment SET amount_refunded = 0 WHERE id = '{sale}'"],
        "Payment {sale} is not refunded by the sum of its refunds.",
    ),
    "wallet balance": (
        ["UPDATE ledger_account SET balance = balance + 5 WHERE id = {wallet}"],
        "Account {wallet} ",
    ),
    "account owner": (
        ["UPDATE ledger_account SET owner = 'cus_thief' WHERE id = {thief_wallet}"],
        "or its seal",
    ),
    "sealed_at": (
        [f"UPDATE ledger_seal SET sealed_at = {OLDER} WHERE sequence = {{seal}}"],
        "or its seal {seal} was changed.",
    ),
    "unsealed amount, wallet with it": (
        [
            "UPDATE ledger_transfer SET amount = 21 WHERE id = {late_transfer}",
            "UPDATE ledger_unsealedtransfer SET amount = 21 WHERE transfer_id = {late_transfer}",
            "UPDATE ledger_account SET balance = balance + 4300 WHERE id = {wallet}",
        ],
        f"Transfer {{late_transfer}} {FORGED}",
    ),
    "debit moved to another customer": (
        [
            "UPDATE ledger_transfer SET debit_account_id = {thief_wallet}"
            " WHERE id = {late_transfer}"
        ],
        f"Transfer {{late_transfer}} {FORGED}",
    ),
    "newest unsealed rows deleted": (
        [
            "DELETE FROM ledger_unsealedtransfer WHERE transfer_id = {late_transfer}",
            "DELETE FROM ledger_transfer WHERE id = {late_transfer}",
            "UPDATE ledger_account SET balance = balance + 4321 WHERE id = {wallet}",
        ],
        "Payment {late} is completed without the transfer of its amount.",
    ),
    "plain insert of a top-up": (
        [
            copied(Transfer, "{top_up}", reference="'txn_x'", amount="1000000"),
            f"{QUEUE} WHERE reference = 'txn_x'",
            "UPDATE ledger_account SET balance = balance + 1000000 WHERE id = {wallet}",
        ],
        FORGED,
    ),
    "plain insert of an adjustment": (
        [
            copied(Transfer, "{top_up}", reference="'ins_none'", kind="'adjustment'"),
            f"{QUEUE} WHERE reference = 'ins_none'",
            "UPDATE ledger_account SET balance = balance + 700 WHERE id = {wallet}",
        ],
        FORGED,
    ),
    "plain insert to another's wallet": (
        [
            copied(
                Transfer,
                "{top_up}",
                reference="'ref_x'",
                debit_account_id="{till}",
                credit_account_id="{thief_wallet}",
                amount="100",
            ),
            f"{QUEUE} WHERE reference = 'ref_x'",
            "UPDATE ledger_account SET balance = balance + 100 WHERE id = {thief_wallet}",
        ],
        FORGED,
    ),
    "open payment's amount": (
        ["UPDATE payments_payment SET amount = 1 WHERE id = '{open}'"],
        f"Payment {{open}} {FORGED}",
    ),
    "open payment's merchant": (
        ["UPDATE payments_payment SET merchant_id = '{stranger}' WHERE id = '{open}'"],
        f"Payment {{open}} {FORGED}",
    ),
    "transitions deleted": (
        ["DELETE FROM payments_paymenttransition WHERE payment_id = '{sale}'"],
        "Payment {sale} is in a status to which no transition led.",
    ),
    "dates moved": (
        [f"UPDATE payments_payment SET completed_at = {OLDER} WHERE id = '{{sale}}'"],
        "Payment {sale} says another completed_at than its transition.",
    ),
    "date of birth moved": (
        [f"UPDATE payments_payment SET created_at = {OLDER} WHERE id = '{{open}}'"],
        f"Payment {{open}} {FORGED}",
    ),
    "payout's bank account": (
        [
            "UPDATE payouts_payout SET bank_account_id = '{account}' WHERE id = '{scheduled}'",
        ],
        f"Payout {{scheduled}} {FORGED}",
    ),
    "holder, BIC": (
        ["UPDATE payouts_bankaccount SET holder_name = 'T', bic = 'EVILBSNSXXX' WHERE id = '{account}'"],
        f"Bank account {{account}} {FORGED}",
    ),
    "account number copied": (
        [
            "UPDATE payouts_bankaccount SET encrypted_number = (SELECT encrypted_number FROM"
            " payouts_bankaccount WHERE id = '{account}') WHERE id = '{other_account}'"
        ],
        f"Bank account {{other_account}} {FORGED}",
    ),
    "in transit to scheduled": (
        [
            "UPDATE payouts_payout SET status = 'scheduled', in_transit_at = NULL, batch_id = NULL"
            " WHERE id = '{sent}'"
        ],
        "Payout {sent} is in a status to which no transition led.",
    ),
    "payout made": (
        [copied(Payout, "{scheduled}", id="'po_x'", statement_id="999999")],
        f"Payout po_x {FORGED}",
    ),
    "event deleted": (
        ["DELETE FROM webhooks_event WHERE id = '{event}'"],
        "Event {event} is missing; leaf",
    ),
    "event's body": (
        ["UPDATE webhooks_event SET body = body || body WHERE id = '{event}'"],
        f"Event {{event}} {FORGED}",
    ),
    "customer's phone": (
        ["UPDATE customers_customer SET phone = '+12425550199' WHERE id = '{thief}'"],
        f"Customer {{thief}} {FORGED}",
    ),
    "fee rate": (
        ["UPDATE merchants_merchant SET fee_basis_points = 7 WHERE id = '{merchant}'"],
        f"Merchant {{merchant}} {FORGED}",
    ),
    "refund's author and date": (
        [f"UPDATE refunds_refund SET created_by = 'x', created_at = {OLDER}"],
        f"Refund {{refund}} {FORGED}",
    ),
    # Twenty of our own
    "customer frozen": (
        [f"UPDATE customers_customer SET frozen_at = {OLDER} WHERE id = '{{thief}}'"],
        f"Customer {{thief}} {FORGED}",
    ),
    "merchant verified": (
        ["UPDATE merchants_merchant SET status = 'suspended' WHERE id = '{merchant}'"],
        f"Merchant {{merchant}} {FORGED}",
    ),
    "bank account closed": (
        [f"UPDATE payouts_bankaccount SET closed_at = {OLDER} WHERE id = '{{account}}'"],
        f"Bank account {{account}} {FORGED}",
    ),
    "instruction's arguments": (
        ["UPDATE backoffice_instruction SET amount = 99999"],
        f"Instruction {{instruction}} {FORGED}",
    ),
    "order's payee": (
        ["UPDATE payouts_payoutorder SET holder_name = 'Thief' WHERE payout_id = '{sent}'"],
        "The orders of batch {batch} were changed.",
    ),
    "batch's date": (
        ["UPDATE payouts_payoutbatch SET execution_date = '2030-01-01'"],
        f"Payout batch {{batch}} {FORGED}",
    ),
    "batch's file": (
        ["UPDATE payouts_payoutbatch SET file_hash = 'x'"],
        f"Payout batch {{batch}} {FORGED}",
    ),
    "payout's merchant": (
        ["UPDATE payouts_payout SET merchant_id = '{stranger}' WHERE id = '{scheduled}'"],
        f"Payout {{scheduled}} {FORGED}",
    ),
    "payout's transitions deleted": (
        ["DELETE FROM payouts_payouttransition WHERE payout_id = '{sent}'"],
        "Payout {sent} is in a status to which no transition led.",
    ),
    "who paid out": (
        ["UPDATE payouts_payouttransition SET actor = 'staff:eve' WHERE payout_id = '{sent}'"],
        "Payout transition",
    ),
    "refund inserted": (
        [copied(Refund, "{refund}", id="'ref_x'", transaction_id="'txn_x'")],
        f"Refund ref_x {FORGED}",
    ),
    "signature of another row": (
        [
            "UPDATE payments_payment SET signature = (SELECT signature FROM payments_payment"
            " WHERE id = '{sale}') WHERE id = '{open}'"
        ],
        f"Payment {{open}} {FORGED}",
    ),
    "signature removed with a change": (
        ["UPDATE payments_payment SET signature = NULL, amount = 1 WHERE id = '{open}'"],
        f"Payment {{open}} {FORGED}",
    ),
    "leaf deleted": (
        ["DELETE FROM ledger_logleaf WHERE \"index\" = 3"],
        "Leaf 3 is missing.",
    ),
    "leaf changed": (
        ["UPDATE ledger_logleaf SET signature = 'x' WHERE \"index\" = 3"],
        "or its leaf 3 was changed.",
    ),
    "opening of the log": (
        ["UPDATE ledger_logleaf SET subject = '7' WHERE \"index\" = 0"],
        "Leaf 0 does not say how the chain stood when the log began.",
    ),
    "end of the log cut off": (
        [
            "DELETE FROM ledger_logleaf WHERE \"index\" >= 5",
            "DELETE FROM ledger_checkpoint",
            "DELETE FROM ledger_witnessstate",
        ],
        "is not of this log: it has fewer leaves by now.",
    ),
    "checkpoint forged": (
        ["UPDATE ledger_checkpoint SET root = signed.hash FROM ledger_logleaf AS signed"
         " WHERE signed.\"index\" = 0"],
        "is not of this log: what it covers was changed since.",
    ),
    "event given to another": (
        ["UPDATE webhooks_event SET merchant_id = '{stranger}' WHERE id = '{event}'"],
        f"Event {{event}} {FORGED}",
    ),
    "why it moved": (
        ["UPDATE payments_paymenttransition SET cause = 'x' WHERE payment_id = '{sale}'"],
        "Payment transition",
    ),
    "log entry deleted": (
        ["DELETE FROM ledger_waitingentry"],
        "Payment {late} is not in the log.",
    ),
    "written with triggers off": (
        [copied(Customer, "{thief}", id="'cus_x'", phone="'+12425550198'")],
        f"Customer cus_x {FORGED}",
    ),
    "merchant inserted": (
        [copied(Merchant, "{merchant}", id="'mer_x'", slug="'x'")],
        f"Merchant mer_x {FORGED}",
    ),
    "payment mode": (
        ["UPDATE payments_payment SET payment_mode = 'REFERENCE_PAY' WHERE id = '{open}'"],
        f"Payment {{open}} {FORGED}",
    ),
}  # fmt: skip


@pytest.fixture
def names(api, merchant, stranger, settings: Settings, tmp_path: Path) -> dict[str, Any]:
    settings.CHECKPOINT_WITNESSES = [folder(tmp_path)]
    found = furnish(api, merchant, stranger)
    if ON_POSTGRESQL:  # foreign keys are checked now, while there still is something to find
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    return found


def test_it_finds_nothing_wrong_with_an_honest_shop(names) -> None:
    assert verify("--all")[1].startswith("The ledger is right")


@pytest.mark.parametrize("name", TAMPERINGS)
def test_it_is_named(names, name: str) -> None:
    statements, said = TAMPERINGS[name]
    with all_rights(), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.format(**names))

    code, printed = verify("--all")

    assert code == 1
    assert said.format(**names) in printed


@pytest.mark.parametrize("name", [name for name in TAMPERINGS if name.startswith("plain insert")])
def test_it_is_named_with_the_login_of_the_service(names, name: str) -> None:
    statements, said = TAMPERINGS[name]
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement.format(**names))

    assert said.format(**names) in verify("--all")[1]


def test_an_older_state_put_back_is_named(names) -> None:
    customer = Customer.objects.get(pk=names["thief"])
    before = customer.signature
    customer.phone = "+12425550166"
    customer.save(update_fields=["phone"])

    Customer.objects.filter(pk=customer.pk).update(phone="+12425550177", signature=before)
    with all_rights(), connection.cursor() as cursor:  # the trigger has noted it: forget that, too
        cursor.execute(
            "DELETE FROM ledger_waitingentry WHERE id = (SELECT max(id) FROM ledger_waitingentry)"
        )

    assert f"Customer {customer.pk} is not as the log has it." in verify("--all")[1]


def test_the_page_tells_of_each() -> None:
    page = (ROOT / "docs/tampering.md").read_text()

    assert [name for name in TAMPERINGS if f"| {name} |" not in page] == []
