"""The refusals that concern a refund."""

from core.errors import CHECK_ID, WRONG_ID, ApiError, ValidationFailed


class RefundNotFound(ApiError):
    status, code, message = 404, "REFUND_NOT_FOUND", "There is no such refund."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`GET /v1/refunds/ref_0`."


class RefundExceedsPayment(ApiError):
    status, code = 422, "REFUND_EXCEEDS_PAYMENT"
    message = "The refund is more than what is left of the payment."
    cause = "The refunds together would exceed the payment."
    remedy = "Refund at most `amount_refundable`."
    test_mode = "Refund a payment twice."


class RefundAmountMismatch(ApiError):
    status, code = 422, "REFUND_AMOUNT_MISMATCH"
    message = "What is left to refund is not what the request expects."
    cause = "`refund_amount_available` is not the remaining amount: there has been another refund."
    remedy = "Read `amount_refundable` again, then decide whether to refund."
    test_mode = "Refund a completed payment with `refund_amount_available` 1."


class InquiryNotFound(ApiError):
    status, code, message = 404, "INQUIRY_NOT_FOUND", "There is no such inquiry."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`GET /v1/inquiries/inq_0`."


class InquiryNotOpen(ApiError):
    status, code, message = 422, "INQUIRY_NOT_OPEN", "The inquiry does not wait for an answer."
    cause = "It has been answered, refunded or closed, perhaps by someone else."
    remedy = "Read the inquiry. If the customer writes again, it is reopened."
    test_mode = "Report a problem on the receipt of a test payment, and answer it twice."


class InquiryChanged(ApiError):
    """Not part of the API: staff answered what they had read, and it says more by now."""

    status, code = 422, "INQUIRY_CHANGED"
    message = "Someone has written or answered since this form was opened."
    cause = "The customer, the merchant or a colleague wrote while the form was open."
    remedy = "Read it on the inquiry's page, in another window, before you send this."


class RefundFinal(ValidationFailed):
    """Not part of the API: staff or the sweep acted on a refund that had already ended."""

    message = "The refund has ended already."
