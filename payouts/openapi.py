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
- `canceled`: called off before it left; the money is available again.
- `returned`: the bank sent it back after it was paid; the money is available again.
""".strip()

ORIGINS = "Who asked for it: the `schedule`, you by the `api`, or `staff`."

KINDS = """
Why money moved.

- `payment`: a customer paid; `tip` beside it, where a part of that was one.
- `fee`, `refund_fee`: the service's fee of a payment, and what of it comes back with a refund.
- `refund`: money went back to a customer.
- `top_up`: a customer's wallet was filled.
- `adjustment`: staff corrected the balance.
- `payout`, `payout_paid`: a payout was set aside; it has arrived.
- `payout_returned`, `payout_reversed`: a payout never arrived; the bank sent it back.
""".strip()

ACCOUNT_STATUSES = """
Whether money is sent to it.

- `pending`: it waits for a review; payouts go to the one before meanwhile.
- `open`: payouts in its currency go there.
- `declined`: the review came to nothing, or it was withdrawn.
- `closed`: it was closed, or another has taken its place.
""".strip()
PROOF_STATUSES = """
Whether there is a proof yet.

- `pending`: no signed head has all of it yet; ask again in a minute.
- `proven`: each leaf leads to the head.
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
    "`pending` while it is made, `ready` once its sums are complete: a period is read a minute"
    " after its end."
)

WORDING = Wording(
    objects={
        "PayoutOutput": "Money that leaves your balance for your bank account.",
        "PayoutWithMovements": "A payout with the newest movements that make it up.",
        "PayoutList": "A page of payouts, newest first.",
        "NewPayoutRequest": "What is to be paid out; an empty object pays out all there is.",
        "BankAccountOutput": "A bank account to which you are paid out, one per currency.",
        "BankAccountList": "A page of bank accounts, newest first.",
        "NewBankAccountRequest": "Your account; the bank by its BIC, its clearing code, or both.",
        "PaidAccount": "The bank account, as far as it is shown.",
        "StatementOutput": (
            "How the payout adds up:"
            " `opening_amount + movements_amount - payout_amount = closing_amount`."
        ),
        "MovementOutput": "What came into your balance (positive), or left it (negative).",
        "MovementPage": "A page of the movements of a payout, newest first.",
        "BalanceOutput": "Your balance: an entry per currency in each list.",
        "BalanceAmount": "Money of one currency.",
        "LedgerProofOutput": "What shows that your transfers of a transaction are in the log.",
        "LedgerProofLeaf": "A leaf of the log, and the way from it to the head.",
        "AccountStatementOutput": (
            "Your balance over a period. The opening, the sums below it and the closing add up;"
            " what left is negative. One that is `pending` has no sums yet."
        ),
        "AccountStatementLine": "A transfer of the ledger, as your balance sees it.",
        "AccountStatementLines": "A page of the lines of a statement, oldest first.",
        "AccountStatementList": "A page of statements, newest first.",
        "NewAccountStatementRequest": "The period: any that is over.",
    },
    fields={
        "id": ("Its id.", "po_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "amount": ("In cents.", 98000),
        "description": ("Shown on the statement of your bank.", "Harbour Tours week 47"),
        "status": (STATUSES, "scheduled"),
        "origin": (ORIGINS, "api"),
        "bank_account": ("Where it goes.", {}),
        "arrival_date": ("The day on which your bank should have it.", "2026-11-24"),
        "statement": ("How it adds up.", {}),
        "error_code": ("Why it failed or was returned, for programs.", "account_closed"),
        "error_message": ("Why, for people.", "The bank account is closed."),
        "in_transit_at": ("When it was handed to the bank.", "2026-11-23T14:00:00.000Z"),
        "paid_at": ("When the bank had booked it.", "2026-11-24T14:00:00.000Z"),
        "returned_at": ("When the bank had sent it back.", "2026-11-26T14:00:00.000Z"),
        "PaidAccount.id": ("Its id.", "ba_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "BankAccountOutput.id": ("Its id.", "ba_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "BankAccountOutput.status": (ACCOUNT_STATUSES, "pending"),
        "holder_name": ("Whose account it is, as the bank knows it.", "Harbour Tours Ltd"),
        "NewBankAccountRequest.number": ("The account number or IBAN.", "0001234567894417"),
        "bic": ("The BIC of the bank, of 8 or 11 characters.", "BOTIBSNSXXX"),
        "clearing_code": ("The national code of the bank.", "77005"),
        "closed_at": ("When it was closed, withdrawn or declined.", "2026-11-26T14:00:00.000Z"),
        "bank_accounts": ("The accounts of this page.", []),
        "bank_name": ("The bank.", "Bank of the Islands"),
        "last_four": ("The last four characters of the account number.", "4417"),
        "number": ("Counts your statements, from 1.", 12),
        "opening_amount": ("Your balance before, in cents.", 0),
        "movements_amount": ("The sum of the movements, in cents.", 98000),
        "movements_count": ("How many movements there are.", 81),
        "payout_amount": ("What is paid out, in cents.", 98000),
        "closing_amount": ("Your balance afterwards, in cents.", 0),
        "movements": ("The movements: of this page, or the newest 100.", []),
        "type": (KINDS, "payment"),
        "reference": (
            "The id of the payment, refund or payout behind it.",
            "pay_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg",
        ),
        "MovementOutput.amount": ("In cents.", 1225),
        "MovementOutput.description": ("What it was for.", "Two tickets to Rose Island"),
        "AccountStatementLine.amount": ("In cents.", 1225),
        "AccountStatementLine.description": ("What it was for.", "Two tickets to Rose Island"),
        "payouts": ("The payouts of this page.", []),
        "available": ("What can be paid out now.", []),
        "pending": ("What is set aside for scheduled payouts.", []),
        "in_transit": ("What is on its way to the bank.", []),
        "AccountStatementOutput.id": ("Its id.", "stm_0W1f9AbCq7XvJm4TzN8rKd2YwLs6Hg"),
        "AccountStatementOutput.status": (STATEMENT_STATUSES, "ready"),
        "AccountStatementOutput.closing_amount": ("Your balance at the end, in cents.", 15750),
        "AccountStatementOutput.opening_amount": ("Your balance at the start, in cents.", 0),
        "start_at": ("Its first instant.", "2026-11-01T00:00:00.000Z"),
        "end_at": ("The first instant after it.", "2026-11-21T00:00:00.000Z"),
        "payments_amount": ("What customers paid, tips included, in cents.", 115250),
        "fees_amount": ("The service's fees, in cents.", -1000),
        "refunds_amount": ("What was refunded, in cents.", -500),
        "adjustments_amount": ("What staff corrected, in cents.", 0),
        "payouts_amount": ("What was paid out, in cents.", -98000),
        "returned_payouts_amount": ("What came back of payouts, in cents.", 0),
        "lines_count": ("How many lines there are.", 84),
        "ready_at": ("When it was complete.", "2026-11-21T14:00:00.000Z"),
        "statements": ("The statements of this page.", []),
        "lines": ("The lines of this page.", []),
        "LedgerProofOutput.status": (PROOF_STATUSES, "proven"),
        "checkpoint": ("The head of the log as it was signed: a note of C2SP.", _CHECKPOINT),
        "leaves": ("A leaf for each transfer of yours.", []),
        "index": ("Which leaf of the log it is, from 0.", 5),
        "entry": ("The leaf, byte by byte: its hash begins the path.", _ENTRY),
        "path": (
            "Hashes in base64, from the leaf's neighbor up, as in RFC 9162.",
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
