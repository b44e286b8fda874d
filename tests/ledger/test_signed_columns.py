"""What each signature covers: rows of every version before are proved by it, for ever."""

from ledger.signed_row_checks import signed_fields

MADE = ("created_at",)
MOVED = ("from_status", "to_status", "at", "actor")
MONEY = ("amount", "currency")
# Never changed, only added to: a column that comes later goes into `added_later` of the field, with
# the value that the rows have which are there. Without it the proof takes each of them for forged.
SIGNED = {
    "ledger.Transfer": (
        "transaction_id", "kind", "reference", "debit_account_id", "credit_account_id", *MONEY,
        "livemode", "description", *MADE, "debit_account.owner", "debit_account.purpose",
        "credit_account.owner", "credit_account.purpose",
    ),
    "merchants.Merchant": ("id", "status", "fee_basis_points", *MADE),
    "webhooks.Event": (
        "id", "merchant_id", "livemode", "type", "resource_id", "body", "is_test", "request_id",
        *MADE,
    ),
    "customers.Customer": ("id", "phone", "livemode", "frozen_at", *MADE),
    "payments.Payment": (
        "id", "merchant_id", "livemode", *MONEY, "payment_mode", "link_id", "static_payment_id",
        *MADE,
    ),
    "payments.PaymentTransition": ("payment_id", *MOVED, "cause"),
    "refunds.Refund": (
        "id", "payment_id", "merchant_id", "livemode", *MONEY, "reason", "created_by", *MADE,
    ),
    "refunds.RefundTransition": ("refund_id", *MOVED),
    "payouts.BankAccount": (
        "id", "merchant_id", "livemode", "currency", "holder_name", "bank_name", "bic",
        "clearing_code", "encrypted_number", "last_four", *MADE, "created_by", "closed_at",
        "closed_by",
    ),
    "payouts.PayoutBatch": (
        "id", "livemode", "currency", "count", "total_amount", "execution_date", "message_id",
        "orders_hash", "file_hash", *MADE, "created_by",
    ),
    "payouts.Payout": (
        "id", "merchant_id", "livemode", *MONEY, "origin", "bank_account_id", "statement_id",
        *MADE,
    ),
    "payouts.PayoutTransition": ("payout_id", *MOVED, "cause"),
    "payouts.BankEntry": (
        "id", "file_id", "statement_id", "livemode", "source", "key", "kind", *MONEY,
        "end_to_end_id", "message_reference", "bank_reference", "booking_date", "code", "message",
        *MADE,
    ),
    "payouts.PayoutOrder": (
        "payout_id", "batch_id", "end_to_end_id", "amount", "holder_name", "bank_name", "bic",
        "clearing_code", "encrypted_number", "description",
    ),
    "funding.TopUp": (
        "id", "customer_id", "payment_id", "livemode", "way", *MONEY, "reference", *MADE,
    ),
    "funding.TopUpTransition": ("top_up_id", *MOVED, "cause"),
    "backoffice.Instruction": (
        "id", "kind", "task", "subject_id", "merchant_id", "livemode", *MONEY, "arguments",
        "sealed_arguments", "reason", "status", "asked_by_id", "asked_at", "decided_by_id",
        "decided_at", "result_id", "glass_broken_at",
    ),
}  # fmt: skip
ADDED_LATER = {
    "payouts.BankAccount": [("is_pending", False)],
    "payouts.BankEntry": [
        *(("charge_amount", 0), ("entry_reference", ""), ("uetr", ""), ("transaction_id", "")),
    ],
}


def test_no_signature_covers_other_columns_than_it_did() -> None:
    found, later = {}, {}
    for field in signed_fields():
        label = field.model._meta.label
        found[label] = field.signed[: len(field.signed) - len(field.added_later)]
        if field.added_later:
            later[label] = [*field.added_later.items()]

    assert found == SIGNED
    assert later == ADDED_LATER
