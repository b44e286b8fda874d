"""Tamperings that go together: rows with their signatures, leaves and heads, and whole tables."""

from payments.models import Payment
from tests.tampered_rows import FORGED, OLDER
from tests.tampered_shop import copied

NO_HEADS = [
    "DELETE FROM ledger_checkpoint",
    "DELETE FROM ledger_witnessstate",
    "DELETE FROM ledger_logsubtree",
]
WITHOUT_WITNESS = "end of the log, its heads and the folder of the witness"
TOGETHER: dict[str, tuple[list[str], str]] = {
    "row, its signature and its leaf": (
        [
            "UPDATE customers_customer SET phone = '+12425550199', signature = 'x'"
            " WHERE id = '{thief}'",
            "UPDATE ledger_logleaf SET signature = 'x' WHERE subject = '{thief}'",
        ],
        f"Customer {{thief}} {FORGED}",
    ),
    "leaf and its row": (
        [
            "DELETE FROM ledger_logleaf WHERE subject = '{sealed}' AND kind = 'ledger_transfer'",
            "DELETE FROM ledger_transfer WHERE id = {sealed}",
        ],
        "Leaf",
    ),
    "signatures of two rows swapped": (
        [
            "UPDATE customers_customer SET signature = 'x' || signature",
            "UPDATE customers_customer SET signature = ("
            "SELECT substr(other.signature, 2) FROM customers_customer AS other"
            " WHERE other.id <> customers_customer.id AND other.signature LIKE 'x%' LIMIT 1)"
            " WHERE id = '{thief}'",
        ],
        f"Customer {{thief}} {FORGED}",
    ),
    "phones of two customers swapped": (
        [
            "UPDATE customers_customer SET phone = '+1' WHERE id = '{thief}'",
            "UPDATE customers_customer SET phone = '+12425550177' WHERE id = '{customer}'",
        ],
        f"Customer {{customer}} {FORGED}",
    ),
    "wallets of two customers swapped": (
        [
            "UPDATE ledger_account SET owner = 'cus_x' WHERE id = {wallet}",
            "UPDATE ledger_account SET owner = '{customer}' WHERE id = {thief_wallet}",
            "UPDATE ledger_account SET owner = '{thief}' WHERE id = {wallet}",
        ],
        f"Transfer {{late_transfer}} {FORGED}",
    ),
    "money between two wallets": (
        [
            "UPDATE ledger_account SET balance = balance - 100 WHERE id = {wallet}",
            "UPDATE ledger_account SET balance = balance + 100 WHERE id = {thief_wallet}",
        ],
        "its transfers make",
    ),
    "payment copied from test to live": (
        [copied(Payment, "{sale}", id="'pay_x'", transaction_id="'txn_x'", livemode="TRUE")],
        f"Payment pay_x {FORGED}",
    ),
    "transfer moved from test to live with its accounts": (
        [
            "UPDATE ledger_transfer SET livemode = NOT livemode WHERE id = {sealed}",
            "UPDATE ledger_account SET livemode = NOT livemode WHERE id IN"
            " (SELECT debit_account_id FROM ledger_transfer WHERE id = {sealed})",
        ],
        f"Transfer {{sealed}} {FORGED}",
    ),
    "transfer's debit and credit swapped": (
        [
            "UPDATE ledger_transfer SET debit_account_id = credit_account_id,"
            " credit_account_id = debit_account_id WHERE id = {sealed}"
        ],
        f"Transfer {{sealed}} {FORGED}",
    ),
    "payment and its transitions deleted": (
        [
            "DELETE FROM payments_paymenttransition WHERE payment_id = '{open}'",
            "DELETE FROM payments_payment WHERE id = '{open}'",
        ],
        "Payment {open} is missing",
    ),
    "an older table of transitions restored": (
        ["DELETE FROM payments_paymenttransition WHERE id >= {transition}"],
        "is in a status to which no transition led.",
    ),
    "an older table of accounts restored": (
        ["UPDATE ledger_account SET balance = 0"],
        "has balance 0; its transfers make",
    ),
    WITHOUT_WITNESS: (
        [
            'DELETE FROM ledger_logleaf WHERE "index" > 0',
            *NO_HEADS,
        ],
        "Transfer {sealed} is not in the log.",
    ),
    "leaf given another table": (
        ["UPDATE ledger_logleaf SET kind = 'payments_x' WHERE \"index\" = 3"],
        "is of payments_x, and there is no such table.",
    ),
    "leaf given a key that is none": (
        [
            "UPDATE ledger_logleaf SET subject = 'x' WHERE \"index\" ="
            " (SELECT max(\"index\") FROM ledger_logleaf WHERE kind = 'ledger_transfer')"
        ],
        "Transfer x is missing; leaf",
    ),
    "event given the body of another": (
        [
            "UPDATE webhooks_event SET body = (SELECT other.body FROM webhooks_event AS other"
            " WHERE other.id <> '{event}' ORDER BY id LIMIT 1) WHERE id = '{event}'"
        ],
        f"Event {{event}} {FORGED}",
    ),
    "bank account exchanged together with its payout's": (
        [
            "UPDATE payouts_payout SET bank_account_id = '{other_account}'"
            " WHERE bank_account_id = '{account}'",
            "UPDATE payouts_bankaccount SET closed_at = "
            + OLDER
            + " WHERE id = '{account}'",
        ],
        f"Payout {{sent}} {FORGED}",
    ),
    "fee rate, with the fee of an open sale": (
        [
            "UPDATE merchants_merchant SET fee_basis_points = 777 WHERE id = '{merchant}'",
            "UPDATE payments_payment SET fee = 0 WHERE id = '{sale}'",
        ],
        f"Merchant {{merchant}} {FORGED}",
    ),
    "refund made again for another": (
        ["UPDATE refunds_refund SET payment_id = '{late}' WHERE id = '{refund}'"],
        f"Refund {{refund}} {FORGED}",
    ),
    "seal and unsealed copy of one transfer": (
        [
            "INSERT INTO ledger_unsealedtransfer (transfer_id, debit_account_id,"
            " credit_account_id, amount) SELECT id, debit_account_id, credit_account_id, amount"
            " FROM ledger_transfer WHERE id = {sealed}"
        ],
        "Transfer {sealed} is sealed and counted as waiting, too.",
    ),
}  # fmt: skip
