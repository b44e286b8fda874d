"""The refusals that staff meet. They are shown on a page, and kept in the audit trail."""

from core.errors import ApiError, NotFound
from refunds.errors import RefundAmountMismatch, RefundExceedsPayment


class Forbidden(ApiError):
    status, code, message = 403, "FORBIDDEN", "Your role does not allow this."
    cause = "None of your roles has the right that this takes."
    remedy = "Ask a colleague whose role has it, or an Administrator for the role."


class InstructionNotFound(NotFound):
    message = "There is no such instruction."


class AlreadySent(ApiError):
    status, code = 422, "ALREADY_SENT"
    message = "This form was sent before. Look at what came of it before you send another."
    cause = "The form was sent twice, or the page was loaded again after it."
    remedy = "Open the object and look whether it was done; open the form anew for more."


class SelfApproval(ApiError):
    status, code = 422, "SELF_APPROVAL"
    message = "You asked for this yourself, so someone else must decide."
    cause = "Money above a limit takes two people, and you are the first."
    remedy = "Ask a colleague to look at Approvals."


class NoSecondPerson(ApiError):
    status, code = 422, "NO_SECOND_PERSON"
    message = "This takes someone who can be told from whoever asked for it."
    cause = "Whoever asked for it added you, gave you roles or reset your account lately."
    remedy = "Ask a colleague whose account they did not touch."


class InstructionDecided(ApiError):
    status, code, message = 422, "ALREADY_DECIDED", "This has been decided already."
    cause = "Someone approved, declined or withdrew it before you."
    remedy = "Look at the instruction for who did, and what came of it."


class InstructionLapsed(ApiError):
    status, code = 422, "LAPSED"
    message = "This has waited too long and lapsed. Ask for it again."
    cause = "Nobody decided about it within its time."
    remedy = "Ask for it again, if it is still wanted."


class RequesterGone(ApiError):
    status, code = 422, "REQUESTER_GONE"
    message = "Whoever asked for this may not ask for it any more. Decline it."
    cause = "Their account is closed, or has lost the right since."
    remedy = "Decline it; whoever has the right may ask for the same."


class IdentityNotProven(ApiError):
    status, code = 422, "IDENTITY_NOT_PROVEN"
    message = "What the caller said does not prove who they are."
    cause = "What was entered is not what is known of the customer."
    remedy = "Ask for two other things, or do nothing on the phone."


class TooOften(ApiError):
    status, code, message = 429, "TOO_OFTEN", "You have done this too often in an hour."
    cause = "An account may do this a number of times within an hour, so that none is emptied."
    remedy = "Wait, or ask a colleague."


class StaffUnfit(ApiError):
    status, code, message = 422, "STAFF_UNFIT", "This cannot be done to that account."
    cause = "The account is your own, closed, or the last of its kind."
    remedy = "Read what the page says about it; an Administrator may do it."


class NothingToSend(ApiError):
    status, code, message = 422, "NOTHING_TO_SEND", "There is nothing to send."
    cause = "No payout is due, or no delivery of it has failed."
    remedy = "Look at the list that was asked from: what it holds was done meanwhile."


class RefundFormStale(RefundAmountMismatch):
    message = "Some of it was given back since this form was opened."


class RefundTooLarge(RefundExceedsPayment):
    message = "That is more than is left."
