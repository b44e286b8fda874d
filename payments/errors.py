"""The refusals that concern a payment."""

from core.errors import ApiError
from payments.statuses import PaymentStatus


class PaymentNotFound(ApiError):
    status, code, message = 404, "PAYMENT_NOT_FOUND", "There is no such payment."


class PaymentExpired(ApiError):
    status, code, message = 422, "PAYMENT_EXPIRED", "The payment has expired."


class PaymentAlreadyCompleted(ApiError):
    status, code, message = 422, "PAYMENT_ALREADY_COMPLETED", "The payment is already completed."


class PaymentCanceled(ApiError):
    status, code, message = 422, "PAYMENT_CANCELED", "The payment was canceled."


class PaymentFailed(ApiError):
    status, code, message = 422, "PAYMENT_FAILED", "The payment has failed."


class PaymentInProgress(ApiError):
    status, code, message = 422, "PAYMENT_IN_PROGRESS", "The payment is being paid right now."


class PaymentNotCompleted(ApiError):
    status, code, message = 422, "PAYMENT_NOT_COMPLETED", "The payment is not completed."


class DevelopmentOnly(ApiError):
    status, code = 422, "DEVELOPMENT_ONLY"
    message = "This works on test payments only."


REFUSAL_BY_STATUS: dict[PaymentStatus, type[ApiError]] = {
    PaymentStatus.CREATED: PaymentNotCompleted,
    PaymentStatus.PENDING: PaymentInProgress,
    PaymentStatus.REQUIRES_ACTION: PaymentInProgress,
    PaymentStatus.PROCESSING: PaymentInProgress,
    PaymentStatus.COMPLETED: PaymentAlreadyCompleted,
    PaymentStatus.FAILED: PaymentFailed,
    PaymentStatus.EXPIRED: PaymentExpired,
    PaymentStatus.CANCELED: PaymentCanceled,
}
