"""The refusals of the ledger."""

from core.errors import ApiError


class InsufficientBalance(ApiError):
    status, code = 422, "INSUFFICIENT_BALANCE"
    message = "There is not enough money in the account."
