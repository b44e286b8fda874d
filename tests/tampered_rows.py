"""Tamperings with rows that money goes by: what is done, and what a proof says of it."""

from ledger.models import Transfer
from payouts.models import Payout
from tests.tampered_shop import copied

FORGED = "was not written by the service, or was changed."
MOVE = (
    "INSERT INTO ledger_unsealedtransfer (transfer_id, debit_account_id, credit_account_id, amount)"
)
QUEUE = f"{MOVE} SELECT id, debit_account_id, credit_account_id, amount FROM ledger_transfer"
OLDER = "'2020-01-01 00:00:00+00:00'"

ROWS: dict[str, tuple[list[str], str]] = {
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
        ["UPDATE payouts_bankaccount SET bic = 'EVILBSNSXXX' WHERE id = '{account}'"],
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
}  # fmt: skip
