"""The words of payouts, balances and statements in the reference."""

from core.wording import Wording
from payouts.serializers import ONLY_WHEN_READY
from payouts.statement_file import LINE_COLUMNS

STATUSES = """
Where the money is.

- `scheduled`: set aside; it can still be canceled.
- `in_transit`: on its way to the bank.
- `paid`: the bank has booked it.
- `failed`: it did not arrive; the money is available again.
- `canceled`: canceled before it was sent; the money is available again.
- `returned`: the bank sent it back after it was paid; the money is available again.
""".strip()

ORIGINS = "What created it: the `schedule`, you through the `api`, or `staff`."

KINDS = """
Why money moved.

- `payment`: a customer paid; `tip` is a separate movement for any tip.
- `fee`, `refund_fee`: the service's fee for a payment, and the part returned with a refund.
- `refund`: money was refunded to a customer.
- `top_up`: a customer's wallet was topped up.
- `adjustment`: staff corrected the balance.
- `payout`, `payout_paid`: a payout was set aside; it arrived.
- `payout_returned`, `payout_reversed`: a payout did not arrive; the bank returned it later.
""".strip()

ACCOUNT_STATUSES = """
Whether payouts go to it.

- `pending`: it is waiting for review; payouts go to the previous account meanwhile.
- `open`: payouts in its currency go to it.
- `declined`: it was declined in review, or withdrawn.
- `closed`: it was closed or replaced by another.
""".strip()
PROOF_STATUSES = """
Whether there is a proof yet.

- `pending`: no signed head covers all of its transfers yet; ask again in a minute.
- `proven`: every leaf has a path to the head.
""".strip()
_ENTRY = (
    '{"amount":1250,"created_at":"2026-11-21T14:02:00.000000+00:00",'
    '"credit_owner":"mer_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg","credit_purpose":"merchant",'
    '"currency":"BSD","debit_owner":"cus_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",'
    '"debit_purpose":"wallet","description":"","id":5,"kind":"ledger_transfer","livemode":false,'
    '"movement":"payment","reference":"pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",'
    '"signature":"d83b0a4c:…","transaction_id":"txn_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"}'
)
_CHECKPOINT = "pay.example.com/ledger\n8\nJHsCbHo…=\n\n— pay.example.com/ledger Az3grl…=\n"

STATEMENT_STATUSES = (
    "`pending` while it is prepared, `ready` once its totals are complete: a period can be read a"
    " minute after its end."
)

WORDING = Wording(
    objects={
        "PayoutOutput": "A transfer from your balance to your bank account.",
        "PayoutWithMovements": "A payout with the newest movements that make it up.",
        "PayoutList": "A page of payouts, newest first.",
        "NewPayoutRequest": "What to pay out; an empty object pays out everything available.",
        "BankAccountOutput": "A bank account that payouts go to, one per currency.",
        "BankAccountList": "A page of bank accounts, newest first.",
        "NewBankAccountRequest": "Your account, with the bank's BIC, its clearing code, or both.",
        "PaidAccount": "The bank account, masked.",
        "StatementOutput": (
            "How the payout adds up:"
            " `opening_amount + movements_amount - payout_amount = closing_amount`."
        ),
        "MovementOutput": "An amount that entered your balance (positive) or left it (negative).",
        "MovementPage": "A page of the movements of a payout, newest first.",
        "BalanceOutput": "Your balance: an entry per currency in each list.",
        "BalanceAmount": "An amount in one currency.",
        "LedgerProofOutput": "Proof that your transfers of a transaction are in the log.",
        "LedgerProofLeaf": "A leaf of the log, and its path to the head.",
        "AccountStatementOutput": (
            "Your balance over a period. The opening balance plus the totals is the closing"
            " balance; amounts that left are negative. A `pending` statement has no totals yet."
        ),
        "AccountStatementLine": "A ledger transfer, from the point of view of your balance.",
        "AccountStatementLines": "A page of the lines of a statement, oldest first.",
        "AccountStatementList": "A page of statements, newest first.",
        "NewAccountStatementRequest": "The period: any that has ended.",
    },
    fields={
        "id": ("Its id.", "po_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "amount": ("In cents.", 98000),
        "description": ("Shown on your bank statement.", "Harbour Tours week 47"),
        "status": (STATUSES, "scheduled"),
        "origin": (ORIGINS, "api"),
        "bank_account": ("Where it goes.", {}),
        "arrival_date": ("The day on which it should reach your bank.", "2026-11-24"),
        "statement": ("How it adds up.", {}),
        "error_code": ("Why it failed or was returned, as a code.", "account_closed"),
        "error_message": ("Why, as a sentence for people.", "The bank account is closed."),
        "in_transit_at": ("When it was handed to the bank.", "2026-11-23T14:00:00.000Z"),
        "paid_at": ("When the bank booked it.", "2026-11-24T14:00:00.000Z"),
        "returned_at": ("When the bank returned it.", "2026-11-26T14:00:00.000Z"),
        "PaidAccount.id": ("Its id.", "ba_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "BankAccountOutput.id": ("Its id.", "ba_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "BankAccountOutput.status": (ACCOUNT_STATUSES, "pending"),
        "holder_name": ("The account holder, as known to the bank.", "Harbour Tours Ltd"),
        "NewBankAccountRequest.number": ("The account number or IBAN.", "0001234567894417"),
        "bic": ("The bank's BIC, 8 or 11 characters.", "BOTIBSNSXXX"),
        "clearing_code": ("The bank's national clearing code.", "77005"),
        "closed_at": ("When it was closed, withdrawn or declined.", "2026-11-26T14:00:00.000Z"),
        "bank_accounts": ("The accounts on this page.", []),
        "bank_name": ("The name of the bank.", "Bank of the Islands"),
        "last_four": ("The last four characters of the account number.", "4417"),
        "number": ("The number of the statement, from 1.", 12),
        "opening_amount": ("Your balance before, in cents.", 0),
        "movements_amount": ("The total of the movements, in cents.", 98000),
        "movements_count": ("How many movements there are.", 81),
        "payout_amount": ("What is paid out, in cents.", 98000),
        "closing_amount": ("Your balance afterwards, in cents.", 0),
        "movements": ("The movements: those on this page, or the newest [[movements_shown]].", []),
        "type": (KINDS, "payment"),
        "reference": (
            "The id of the payment, refund or payout behind it.",
            "pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "MovementOutput.amount": ("In cents.", 1225),
        "MovementOutput.description": ("What it was for.", "Two tickets to Rose Island"),
        "AccountStatementLine.amount": ("In cents.", 1225),
        "AccountStatementLine.description": ("What it was for.", "Two tickets to Rose Island"),
        "payouts": ("The payouts on this page.", []),
        "available": ("What can be paid out now.", []),
        "pending": ("What is set aside for scheduled payouts.", []),
        "in_transit": ("What is on its way to the bank.", []),
        "AccountStatementOutput.id": ("Its id.", "stm_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "AccountStatementOutput.status": (STATEMENT_STATUSES, "ready"),
        "AccountStatementOutput.closing_amount": ("Your balance at the end, in cents.", 15750),
        "AccountStatementOutput.opening_amount": ("Your balance at the start, in cents.", 0),
        "start_at": ("The start of the period (inclusive).", "2026-11-01T00:00:00.000Z"),
        "end_at": ("The end of the period (exclusive).", "2026-11-21T00:00:00.000Z"),
        "payments_amount": ("What customers paid, tips included, in cents.", 115250),
        "fees_amount": ("The service's fees, in cents.", -1000),
        "refunds_amount": ("What was refunded, in cents.", -500),
        "adjustments_amount": ("Corrections by staff, in cents.", 0),
        "payouts_amount": ("What was paid out, in cents.", -98000),
        "returned_payouts_amount": ("What was returned from payouts, in cents.", 0),
        "lines_count": ("How many lines there are.", 84),
        "ready_at": ("When it was complete.", "2026-11-21T14:00:00.000Z"),
        "statements": ("The statements on this page.", []),
        "lines": ("The lines on this page.", []),
        "LedgerProofOutput.status": (PROOF_STATUSES, "proven"),
        "checkpoint": ("The signed head of the log, as a C2SP signed note.", _CHECKPOINT),
        "leaves": ("One leaf for each of your transfers.", []),
        "index": ("The index of the leaf in the log, from 0.", 5),
        "entry": ("The exact bytes of the leaf; its hash is where the path starts.", _ENTRY),
        "path": (
            "Sibling hashes in base64, from the leaf up to the root, as in RFC 9162.",
            ["q2dLs0…=", "7ZPQ1e…=", "UZkzJc…="],
        ),
    },
    shown={
        "NewBankAccountRequest": ("currency", "bic"),
        "BankAccountOutput": ("bic",),
        "LedgerProofOutput": ("checkpoint", "leaves"),
        "AccountStatementOutput": ONLY_WHEN_READY,
        "NewPayoutRequest": ("amount", "description"),
        "NewAccountStatementRequest": ("currency",),
    },
    columns={"AccountStatementLines": LINE_COLUMNS},
)
