"""The refusals that staff meet. They are shown on a page, and kept in the audit trail."""

from core.errors import ApiError
from refunds.errors import RefundAmountMismatch, RefundExceedsPayment


class Forbidden(ApiError):
    status, code, message = 403, "FORBIDDEN", "Your role does not allow this."


class InstructionNotFound(ApiError):
    status, code, message = 404, "NOT_FOUND", "There is no such instruction."


class FormAlreadySubmitted(ApiError):
    status, code = 422, "ALREADY_SENT"
    message = "This form has already been submitted. Check the result before submitting another."


class SelfApproval(ApiError):
    status, code = 422, "SELF_APPROVAL"
    message = "You cannot approve your own request."


class IndependentApproverRequired(ApiError):
    status, code = 422, "NO_SECOND_PERSON"
    message = "This must be approved by someone independent of the requester."


class InstructionDecided(ApiError):
    status, code, message = 422, "ALREADY_DECIDED", "This has already been decided."


class InstructionExpired(ApiError):
    status, code = 422, "LAPSED"
    message = "This request has expired. Submit it again."


class RequesterNotAuthorized(ApiError):
    status, code = 422, "REQUESTER_GONE"
    message = "The requester no longer has the right to ask for this. Decline it."


class IdentityNotProven(ApiError):
    status, code = 422, "IDENTITY_NOT_PROVEN"
    message = "The caller's answers do not prove their identity."


class ActionLimitReached(ApiError):
    status, code, message = 429, "TOO_OFTEN", "You have reached the hourly limit for this action."


class AccountNotEligible(ApiError):
    status, code, message = 422, "STAFF_UNFIT", "This is not possible for that account."


class NothingToSend(ApiError):
    status, code, message = 422, "NOTHING_TO_SEND", "There is nothing to send."


class RefundFormStale(RefundAmountMismatch):
    message = "Part of it has been refunded since this form was opened."


class RefundTooLarge(RefundExceedsPayment):
    message = "That is more than is left."
