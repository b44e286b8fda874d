"""The status and the code of each error, which callers have in their programs by now."""

import backoffice.errors
import core.errors
import customers.errors
import ledger.errors
import links.errors
import merchants.errors
import payments.errors
import payouts.errors
import refunds.errors
import webhooks.errors
from tests.config.error_classes import ERRORS

TOLD = {
    backoffice.errors: {
        "Forbidden": (403, "FORBIDDEN"),
        "FormAlreadySubmitted": (422, "ALREADY_SENT"),
        "SelfApproval": (422, "SELF_APPROVAL"),
        "IndependentApproverRequired": (422, "NO_SECOND_PERSON"),
        "InstructionDecided": (422, "ALREADY_DECIDED"),
        "GlassNotBroken": (422, "GLASS_NOT_BROKEN"),
        "SecretNotThere": (422, "SECRET_NOT_THERE"),
        "RowAltered": (422, "ROW_ALTERED"),
        "InstructionExpired": (422, "INSTRUCTION_EXPIRED"),
        "RequesterNotAuthorized": (422, "REQUESTER_GONE"),
        "IdentityNotProven": (422, "IDENTITY_NOT_PROVEN"),
        "ActionLimitReached": (429, "TOO_OFTEN"),
        "AccountNotEligible": (422, "STAFF_UNFIT"),
        "NothingToSend": (422, "NOTHING_TO_SEND"),
        "ClockWrong": (422, "CLOCK_WRONG"),
        "BankFileStale": (422, "BANK_FILE_STALE"),
        "ExportsTooMany": (422, "EXPORTS_TOO_MANY"),
        "ErasureRefused": (422, "ERASURE_REFUSED"),
        "MessageNotWaiting": (422, "MESSAGE_NOT_WAITING"),
        "MerchantChangedMeanwhile": (422, "MERCHANT_CHANGED"),
        "LogoNotRead": (422, "LOGO_NOT_READ"),
    },
    core.errors: {
        "InvalidRequest": (400, "INVALID_REQUEST"),
        "Unauthorized": (401, "UNAUTHORIZED"),
        "NotFound": (404, "NOT_FOUND"),
        "MethodNotAllowed": (405, "METHOD_NOT_ALLOWED"),
        "Conflict": (409, "CONFLICT"),
        "RequestTooLarge": (413, "REQUEST_TOO_LARGE"),
        "UnsupportedMediaType": (415, "UNSUPPORTED_MEDIA_TYPE"),
        "ValidationFailed": (422, "VALIDATION_FAILED"),
        "InvalidAmount": (422, "INVALID_AMOUNT"),
        "IdempotencyKeyReused": (422, "IDEMPOTENCY_KEY_REUSED"),
        "RateLimited": (429, "RATE_LIMITED"),
        "InternalError": (500, "INTERNAL_ERROR"),
        "ServiceUnavailable": (503, "SERVICE_UNAVAILABLE"),
    },
    customers.errors: {
        "CustomerNotFound": (404, "CUSTOMER_NOT_FOUND"),
        "InvalidPin": (422, "INVALID_PIN"),
        "PinLocked": (422, "PIN_LOCKED"),
        "VerificationFailed": (422, "VERIFICATION_FAILED"),
    },
    ledger.errors: {
        "InsufficientBalance": (422, "INSUFFICIENT_BALANCE"),
    },
    links.errors: {
        "PaymentLinkNotFound": (404, "PAYMENT_LINK_NOT_FOUND"),
        "PaymentLinkInactive": (422, "PAYMENT_LINK_INACTIVE"),
        "PaymentLinkExpired": (422, "PAYMENT_LINK_EXPIRED"),
    },
    merchants.errors: {
        "MerchantNotFound": (404, "MERCHANT_NOT_FOUND"),
        "SlugTaken": (422, "SLUG_TAKEN"),
        "MerchantNotVerified": (422, "MERCHANT_NOT_VERIFIED"),
        "MerchantInactive": (422, "MERCHANT_INACTIVE"),
        "InsufficientScope": (403, "INSUFFICIENT_SCOPE"),
    },
    payments.errors: {
        "PaymentNotFound": (404, "PAYMENT_NOT_FOUND"),
        "PaymentExpired": (422, "PAYMENT_EXPIRED"),
        "PaymentAlreadyCompleted": (422, "PAYMENT_ALREADY_COMPLETED"),
        "PaymentCanceled": (422, "PAYMENT_CANCELED"),
        "PaymentFailed": (422, "PAYMENT_FAILED"),
        "PaymentInProgress": (422, "PAYMENT_IN_PROGRESS"),
        "PaymentNotCompleted": (422, "PAYMENT_NOT_COMPLETED"),
        "DevelopmentOnly": (422, "DEVELOPMENT_ONLY"),
    },
    payouts.errors: {
        "PayoutNotFound": (404, "PAYOUT_NOT_FOUND"),
    },
    refunds.errors: {
        "RefundNotFound": (404, "REFUND_NOT_FOUND"),
        "RefundExceedsPayment": (422, "REFUND_EXCEEDS_PAYMENT"),
        "RefundAmountMismatch": (422, "REFUND_AMOUNT_MISMATCH"),
        "InquiryNotFound": (404, "INQUIRY_NOT_FOUND"),
        "InquiryNotOpen": (422, "INQUIRY_NOT_OPEN"),
        "InquiryChanged": (422, "INQUIRY_CHANGED"),
    },
    webhooks.errors: {
        "WebhookNotFound": (404, "WEBHOOK_NOT_FOUND"),
        "EventNotFound": (404, "EVENT_NOT_FOUND"),
        "DeliveryNotFound": (404, "DELIVERY_NOT_FOUND"),
    },
}


def test_each_error_is_told_by_its_own_status_and_code() -> None:
    own = [error for error in ERRORS if "code" in vars(error)]

    assert {room.__name__: errors for room, errors in TOLD.items()} == {
        room: {each.__name__: (each.status, each.code) for each in own if each.__module__ == room}
        for room in {error.__module__ for error in own}
    }


def test_what_has_no_code_of_its_own_is_told_as_what_has_it() -> None:
    statuses = {code: status for errors in TOLD.values() for status, code in errors.values()}

    assert len(statuses) == sum(map(len, TOLD.values()))
    assert {error.__name__ for error in ERRORS if error.status != statuses[error.code]} == set()
