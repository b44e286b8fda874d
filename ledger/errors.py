"""The refusals of the ledger."""

from core.errors import ApiError


class InsufficientBalance(ApiError):
    status, code = 422, "INSUFFICIENT_BALANCE"
    message = "There is not enough money in the account."
    cause = (
        "The customer's wallet (for a payout, the merchant's balance) does not cover the amount."
    )
    remedy = "The customer tops up or pays less; `GET /v1/balance` shows what can be paid out."
    test_mode = "Confirm with `customer_phone` [[phone_poor]], or request a payout of [[most]]."
