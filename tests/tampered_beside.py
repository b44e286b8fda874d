"""Tamperings with what no signature covers, and with whole rows: other rows know better."""

from tests.tampered_rows import OLDER

BESIDE: dict[str, tuple[list[str], str]] = {
    "refund's transaction": (
        ["UPDATE refunds_refund SET transaction_id = 'txn_x' WHERE id = '{refund}'"],
        "Refund {refund} has succeeded without the transfer of its amount.",
    ),
    "fee that a refund gave back": (
        ["UPDATE refunds_refund SET fee_returned = fee_returned + 1 WHERE id = '{refund}'"],
        "Refund {refund} has succeeded without the transfer of its fee.",
    ),
    "tip": (
        ["UPDATE payments_payment SET tip = 5 WHERE id = '{sale}'"],
        "Payment {sale} is completed without the transfer of its tip.",
    ),
    "payout taken out of its batch": (
        ["UPDATE payouts_payout SET batch_id = NULL WHERE id = '{sent}'"],
        "Payout {sent} was ordered in batch {batch}, but is not in it.",
    ),
    "payout's order deleted": (
        [
            "DELETE FROM payouts_payoutorder WHERE payout_id = '{sent}'",
            "UPDATE payouts_payout SET batch_id = NULL WHERE id = '{sent}'",
        ],
        "Batch {batch} says 1 payouts",
    ),
    "batch deleted with its orders": (
        [
            "DELETE FROM payouts_payoutorder WHERE payout_id = '{sent}'",
            "UPDATE payouts_payout SET batch_id = NULL WHERE id = '{sent}'",
            "DELETE FROM payouts_payoutbatch WHERE id = '{batch}'",
        ],
        "Payout batch {batch} is missing",
    ),
    "when a payout left": (
        [f"UPDATE payouts_payout SET in_transit_at = {OLDER} WHERE id = '{{sent}}'"],
        "Payout {sent} says another in_transit_at than its transition.",
    ),
    "bank entry taken for a payout that came back": (
        [
            "UPDATE payouts_bankentry SET state = 'matched', payout_id = '{scheduled}',"
            f" resolved_at = {OLDER}, problem = '' WHERE id = '{{entry}}'",
            f"UPDATE payouts_payout SET return_booked_at = {OLDER} WHERE id = '{{scheduled}}'",
        ],
        "Bank entry {entry} is not of the money of payout {scheduled}.",
    ),
    "bank entry deleted with its file": (
        [
            "DELETE FROM payouts_bankentry WHERE id = '{entry}'",
            "DELETE FROM payouts_bankfile",
        ],
        "Bank entry {entry} is missing",
    ),
    "line of what a payout pays": (
        ["UPDATE payouts_statementline SET amount = amount + 1"],
        "is not what its transfer moved.",
    ),
    "what a payout's statement opens with": (
        [
            "UPDATE payouts_statement SET opening_amount = opening_amount + 1,"
            " movements_amount = movements_amount - 1"
        ],
        "does not open with what the one before closed with.",
    ),
    "purpose of an account": (
        ["UPDATE ledger_account SET purpose = 'fees' WHERE id = {thief_wallet}"],
        "or its seal",
    ),
    "decimals of an account": (
        ["UPDATE ledger_account SET exponent = 0 WHERE id = {till}"],
        "Account {till} counts BSD with 0 decimals.",
    ),
    "customer deleted": (
        ["DELETE FROM customers_customer WHERE id = '{thief}'"],
        "Customer {thief} is missing",
    ),
    "merchant deleted": (
        ["DELETE FROM merchants_merchant WHERE id = '{stranger}'"],
        "Merchant {stranger} is missing",
    ),
    "instruction deleted": (
        ["DELETE FROM backoffice_instruction WHERE id = '{instruction}'"],
        "Instruction {instruction} is missing",
    ),
}
