"""The refusals that concern a payment."""

from core.errors import CHECK_ID, WRONG_ID, ApiError, Conflict
from payments.statuses import PaymentStatus


class PaymentNotFound(ApiError):
    status, code, message = 404, "PAYMENT_NOT_FOUND", "There is no such payment."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`GET /v1/payments/pay_0`."


class PaymentExpired(ApiError):
    status, code, message = 422, "PAYMENT_EXPIRED", "The payment has expired."
    cause = "`expires_at` has passed: [[life]], the due date, or the `expires_in` you set."
    remedy = "Create a new payment."
    test_mode = "Create one with `expires_in` 60, wait a minute, then confirm it."


class PaymentAlreadyCompleted(ApiError):
    status, code, message = 422, "PAYMENT_ALREADY_COMPLETED", "The payment is already completed."
    cause = "The payment has been paid. If two people pay it at once, only one is charged."
    remedy = "Fulfill the order; to give the money back, refund the payment."
    test_mode = "Confirm a payment twice, or cancel it after confirming it."


class PaymentCanceled(ApiError):
    status, code, message = 422, "PAYMENT_CANCELED", "The payment was canceled."
    cause = "The customer or your server canceled the payment."
    remedy = "Create a new payment."
    test_mode = "Cancel a payment twice."


class PaymentFailed(ApiError):
    status, code, message = 422, "PAYMENT_FAILED", "The payment has failed."
    cause = "The payment was declined, or verification failed too often."
    remedy = "Create a new payment. The failed one's `error_code` and `error_message` say why."
    test_mode = "Confirm with `customer_phone` [[phone_declined]]."


class PaymentDeclined(PaymentFailed):
    """Declined while the customer is still at the checkout, and can be paid another way."""

    message = "The payment was declined."


class PaymentInProgress(ApiError):
    status, code, message = 422, "PAYMENT_IN_PROGRESS", "The payment is being paid right now."
    cause = "The payment is `processing`, or in `requires_action`: its customer is asked for proof."
    remedy = (
        "`processing`: wait for the event, or read the payment again in a few seconds. "
        "`requires_action`: a customer who leaves the page keeps it so until `expires_at`."
    )
    test_mode = "Confirm with `customer_phone` [[phone_slow]], then cancel within [[slow]]."


class PaymentNotCompleted(ApiError):
    status, code, message = 422, "PAYMENT_NOT_COMPLETED", "The payment is not completed."
    cause = "Only a completed payment can be refunded."
    remedy = "Cancel a payment that has not been paid."
    test_mode = "Refund a payment that was just created."


class DevelopmentOnly(ApiError):
    status, code = 422, "DEVELOPMENT_ONLY"
    message = "This works on test payments only."
    cause = "A live payment can only be paid by its customer."
    remedy = "Send the customer to `checkout_url`; confirm test payments."
    test_mode = "Confirm any payment with a live key."


class DescriptionChanged(Conflict):
    """The shop has changed the description since the customer read it."""


class TicketClosed(Conflict):
    message = "This sum has been paid, was withdrawn, or has waited too long."


class TicketsTooMany(Conflict):
    message = "Too many sums wait at this counter. Withdraw one first."


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
