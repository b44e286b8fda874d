"""The refusals that staff meet. They are shown on a page, and kept in the audit trail."""

from core.errors import ApiError
from refunds.errors import RefundAmountMismatch, RefundExceedsPayment


class Forbidden(ApiError):
    status, code, message = 403, "FORBIDDEN", "Your role does not allow this."


class InstructionNotFound(ApiError):
    status, code, message = 404, "NOT_FOUND", "There is no such instruction."


class FormAlreadySubmitted(ApiError):
    status, code = 422, "ALREADY_SENT"
    message = "This form was sent before. Look at what came of it before you send another."


class SelfApproval(ApiError):
    status, code = 422, "SELF_APPROVAL"
    message = "You asked for this yourself, so someone else must decide."


class IndependentApproverRequired(ApiError):
    status, code = 422, "NO_SECOND_PERSON"
    message = "This takes someone who can be told from whoever asked for it."


class InstructionDecided(ApiError):
    status, code, message = 422, "ALREADY_DECIDED", "This has been decided already."


class InstructionExpired(ApiError):
    status, code = 422, "LAPSED"
    message = "This has waited too long and lapsed. Ask for it again."


class RequesterNotAuthorized(ApiError):
    status, code = 422, "REQUESTER_GONE"
    message = "Whoever asked for this may not ask for it any more. Decline it."


class IdentityNotProven(ApiError):
    status, code = 422, "IDENTITY_NOT_PROVEN"
    message = "What the caller said does not prove who they are."


class ActionLimitReached(ApiError):
    status, code, message = 429, "TOO_OFTEN", "You have done this too often in an hour."


class AccountNotEligible(ApiError):
    status, code, message = 422, "STAFF_UNFIT", "This cannot be done to that account."


class NothingToSend(ApiError):
    status, code, message = 422, "NOTHING_TO_SEND", "There is nothing to send."


class RefundFormStale(RefundAmountMismatch):
    message = "Some of it was given back since this form was opened."


class RefundTooLarge(RefundExceedsPayment):
    message = "That is more than is left."
