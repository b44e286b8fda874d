"""The refusals that concern a refund."""

from core.errors import ApiError


class RefundNotFound(ApiError):
    status, code, message = 404, "REFUND_NOT_FOUND", "There is no such refund."


class RefundExceedsPayment(ApiError):
    status, code = 422, "REFUND_EXCEEDS_PAYMENT"
    message = "The refund is more than what is left of the payment."


class RefundAmountMismatch(ApiError):
    status, code = 422, "REFUND_AMOUNT_MISMATCH"
    message = "What is left to refund is not what the request expects."


class RefundFinal(ApiError):
    """Not part of the API: staff or the sweep came after the refund had ended."""

    status, code, message = 422, "VALIDATION_FAILED", "The refund has ended already."
