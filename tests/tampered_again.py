"""More tamperings: with what the bank said, with who decided, with copies of what is signed."""

from payments.models import PaymentTransition
from payouts.models import PayoutBatch
from tests.tampered_rows import FORGED, OLDER
from tests.tampered_shop import copied

FORGET = [
    "DELETE FROM ledger_checkpoint",
    "DELETE FROM ledger_witnessstate",
    "DELETE FROM ledger_waitingentry",
]
PLANTED_USER = (
    "INSERT INTO auth_user (username, password, is_superuser, first_name, last_name, email,"
    f" is_staff, is_active, date_joined) VALUES ('x', '', TRUE, '', '', '', TRUE, TRUE, {OLDER})"
)
AGAIN: dict[str, tuple[list[str], str]] = {
    "sealed tail with its payout": (
        [
            "DELETE FROM payouts_payouttransition WHERE payout_id = '{scheduled}'",
            "DELETE FROM payouts_payout WHERE id = '{scheduled}'",
            "DELETE FROM ledger_seal WHERE sequence >= {seal}",
            "DELETE FROM ledger_logleaf WHERE \"index\" >= 6",
            *FORGET,
        ],
        "is not of this log: it has fewer leaves by now.",
    ),
    "bank entry's booking date": (
        ["UPDATE payouts_bankentry SET booking_date = '2020-01-01' WHERE id = '{entry}'"],
        f"Bank entry {{entry}} {FORGED}",
    ),
    "bank entry's code": (
        ["UPDATE payouts_bankentry SET code = 'AC04' WHERE id = '{entry}'"],
        f"Bank entry {{entry}} {FORGED}",
    ),
    "bank entry credited to a top-up that is still awaited": (
        [
            "UPDATE payouts_bankentry SET state = 'matched', credited_to = '{coming}',"
            f" resolved_at = {OLDER} WHERE id = '{{entry}}'"
        ],
        "{entry}",
    ),
    "payment made one of a counter": (
        ["UPDATE payments_payment SET static_payment_id = '{open}' WHERE id = '{late}'"],
        f"Payment {{late}} {FORGED}",
    ),
    "payment's customer": (
        ["UPDATE payments_payment SET customer_id = '{thief}' WHERE id = '{sale}'"],
        "Payment {sale} is completed without the transfer of its amount.",
    ),
    "payment's transaction": (
        ["UPDATE payments_payment SET transaction_id = 'txn_x' WHERE id = '{sale}'"],
        "Payment {sale} is completed without the transfer of its amount.",
    ),
    "awaited top-up's reference": (
        ["UPDATE funding_topup SET reference = 'TU-THIEF' WHERE id = '{coming}'"],
        f"Top-up {{coming}} {FORGED}",
    ),
    "instruction approved": (
        [
            PLANTED_USER,
            "UPDATE backoffice_instruction SET status = 'carried_out', decided_by_id ="
            f" (SELECT id FROM auth_user WHERE username = 'x'), decided_at = {OLDER}",
        ],
        f"Instruction {{instruction}} {FORGED}",
    ),
    "instruction of another requester": (
        [
            PLANTED_USER,
            "UPDATE backoffice_instruction SET asked_by_id ="
            " (SELECT id FROM auth_user WHERE username = 'x')",
        ],
        f"Instruction {{instruction}} {FORGED}",
    ),
    "why a payout moved": (
        ["UPDATE payouts_payouttransition SET cause = 'x' WHERE payout_id = '{sent}'"],
        "Payout transition",
    ),
    "who refunded": (
        ["UPDATE refunds_refundtransition SET actor = 'staff:x'"],
        "Refund transition",
    ),
    "refund deleted": (
        [
            "DELETE FROM refunds_refundtransition",
            "DELETE FROM refunds_refund",
        ],
        "is the refund of no",
    ),
    "transition copied with its signature": (
        [
            copied(PaymentTransition, "{transition}"),
        ],
        "Payment {sale} lacks a transition.",
    ),
    "unsealed transfer hidden from the sealer": (
        ["DELETE FROM ledger_unsealedtransfer WHERE transfer_id = {late_transfer}"],
        "Transfer {late_transfer} is neither sealed nor waiting for its seal.",
    ),
    "seal replaced": (
        ["UPDATE ledger_seal SET hash = 'x' WHERE sequence = {seal}"],
        "or its seal {seal} was changed.",
    ),
    "log entry given another signature": (
        ["UPDATE ledger_waitingentry SET signature = 'x' WHERE subject = '{late}'"],
        "Payment {late} is not as the log has it.",
    ),
    "log entry of a row that is none": (
        [
            "INSERT INTO ledger_waitingentry (kind, subject, signature)"
            " VALUES ('payments_payment', '{sale}', '')"
        ],
        "Payment {sale} is not as the log has it.",
    ),
    "currency of an account": (
        ["UPDATE ledger_account SET currency = 'USD' WHERE id = {wallet}"],
        "is of another currency or mode than its",
    ),
    "mode of a transfer": (
        ["UPDATE ledger_transfer SET livemode = NOT livemode WHERE id = {late_transfer}"],
        f"Transfer {{late_transfer}} {FORGED}",
    ),
    "how many a batch pays": (
        ["UPDATE payouts_payoutbatch SET count = 9 WHERE id = '{batch}'"],
        f"Payout batch {{batch}} {FORGED}",
    ),
    "batch inserted": (
        [copied(PayoutBatch, "{batch}", id="'bat_x'", message_id="'B-x'")],
        f"Payout batch bat_x {FORGED}",
    ),
    "bank account of another merchant": (
        ["UPDATE payouts_bankaccount SET merchant_id = '{stranger}' WHERE id = '{account}'"],
        f"Bank account {{account}} {FORGED}",
    ),
    "event's request": (
        ["UPDATE webhooks_event SET request_id = 'x' WHERE id = '{event}'"],
        f"Event {{event}} {FORGED}",
    ),
    "date of birth of a merchant": (
        [f"UPDATE merchants_merchant SET created_at = {OLDER} WHERE id = '{{merchant}}'"],
        f"Merchant {{merchant}} {FORGED}",
    ),
    "note of a signed head": (
        ["UPDATE ledger_checkpoint SET note = 'x'"],
        "is not as it was signed.",
    ),
    "signed head planted": (
        [
            "INSERT INTO ledger_checkpoint (size, root, note, created_at)"
            f" SELECT 9999, root, note, {OLDER} FROM ledger_checkpoint"
        ],
        "Checkpoint 9999 is not of this log: it has fewer leaves by now.",
    ),
    "account planted with money": (
        [
            "INSERT INTO ledger_account (owner, purpose, currency, livemode, exponent, balance)"
            " VALUES ('cus_x', 'wallet', 'BSD', FALSE, 2, 500)"
        ],
        "(cus_x wallet BSD test) has balance 500; its transfers make 0.",
    ),
    "refund held back for ever": (
        ["UPDATE payments_payment SET amount_refund_pending = 100 WHERE id = '{sale}'"],
        "Payment {sale} is not refunded by the sum of its refunds.",
    ),
    "seal moved": (
        ["UPDATE ledger_seal SET sequence = sequence + 1000 WHERE sequence = {seal}"],
        "Seal {seal} is missing.",
    ),
    "leaf appended": (
        [
            "INSERT INTO ledger_logleaf (\"index\", kind, subject, signature, hash, logged_at)"
            " SELECT (SELECT max(\"index\") + 1 FROM ledger_logleaf), 'payments_payment', 'pay_x',"
            f" 'x', hash, {OLDER} FROM ledger_logleaf WHERE \"index\" = 0"
        ],
        "was changed.",
    ),
    "restore that never was": (
        ["UPDATE ledger_logleaf SET kind = 'restored' WHERE \"index\" = 3"],
        "or its leaf 3 was changed.",
    ),
}  # fmt: skip
