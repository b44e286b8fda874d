"""The refusals that staff encounter: shown on a page, and recorded in the audit trail."""

from core.errors import ApiError, NotFound
from refunds.errors import RefundAmountMismatch, RefundExceedsPayment


def advice_on(error: ApiError) -> str:
    """Return the details of a refusal and, unless it belongs to the API's reference, its remedy."""
    remedy = "" if error.test_mode else error.remedy
    return f"{error.details} {remedy}".strip()


class Forbidden(ApiError):
    status, code, message = 403, "FORBIDDEN", "Your role does not allow this."
    remedy = "Ask a colleague whose role has it, or ask an Administrator for the role."


class InstructionNotFound(NotFound):
    message = "There is no such instruction."


class FormAlreadySubmitted(ApiError):
    status, code = 422, "ALREADY_SENT"
    message = "This form has already been submitted. Check the result before submitting another."
    remedy = "Open the object and check whether it was done; to do more, open a new form."


class SelfApproval(ApiError):
    status, code = 422, "SELF_APPROVAL"
    message = "You cannot decide on your own request, or on one about you."
    remedy = "Ask a colleague to look at Approvals."


class IndependentApproverRequired(ApiError):
    status, code = 422, "NO_SECOND_PERSON"
    message = "This must be approved by someone independent of the requester."
    remedy = "Ask a colleague who had no part in it, and whose account neither of you changed."


class InstructionDecided(ApiError):
    status, code, message = 422, "ALREADY_DECIDED", "This has already been decided."
    remedy = "The instruction shows who decided, and the result."


class GlassNotBroken(ApiError):
    status, code = 422, "GLASS_NOT_BROKEN"
    message = "This takes a second person, or the break-glass delay."
    remedy = "Ask a colleague to approve it, or wait until the time shown."


class SecretNotThere(ApiError):
    status, code = 422, "SECRET_NOT_THERE"
    message = "There is no key to collect."
    remedy = "Revoke the key and request another."


class RowAltered(ApiError):
    status, code = 422, "ROW_ALTERED"
    message = (
        "Nothing was done: what is stored here was changed by something other than this service."
    )
    remedy = "Leave it as it is, and tell the operators of the service at once; so was logged."


class InstructionExpired(ApiError):
    status, code = 422, "INSTRUCTION_EXPIRED"
    message = "This request has expired. Submit it again."
    remedy = "Submit it again if it is still needed."


class RequesterNotAuthorized(ApiError):
    status, code = 422, "REQUESTER_GONE"
    message = "The requester no longer has the right to ask for this. Decline it."
    remedy = "Decline it; anyone who has the right can submit the same request."


class IdentityNotProven(ApiError):
    status, code = 422, "IDENTITY_NOT_PROVEN"
    message = "The caller's answers do not prove their identity."
    remedy = "Ask about another payment, or change nothing on the phone."


class ActionLimitReached(ApiError):
    status, code, message = 429, "TOO_OFTEN", "You have reached the hourly limit for this action."
    remedy = "Wait, or ask a colleague."


class AccountNotEligible(ApiError):
    status, code, message = 422, "STAFF_UNFIT", "This is not possible for that account."
    remedy = "Read what the page says about it; an Administrator may be able to do it."


class NothingToSend(ApiError):
    status, code, message = 422, "NOTHING_TO_SEND", "There is nothing to send."
    remedy = "Check the list again: its items have been dealt with in the meantime."


class ClockWrong(ApiError):
    status, code = 422, "CLOCK_WRONG"
    message = "Nothing was done: the clock of this machine is wrong."
    remedy = "Tell the operators of the service; try again once the clock is right."


class BankFileStale(ApiError):
    status, code = 422, "BANK_FILE_STALE"
    message = (
        "What the file says has changed since it was uploaded. Decline it, and upload it again."
    )
    remedy = "Decline the request, upload the file again, and compare what it then says."


class ExportsTooMany(ApiError):
    status, code = 422, "EXPORTS_TOO_MANY"
    message = "Several of your exports are still being made."
    remedy = "Wait until one is ready; see Exports."


class ErasureRefused(ApiError):
    status, code, message = 422, "ERASURE_REFUSED", "This customer cannot be erased yet."
    remedy = "Settle what the page names, then try again."


class MessageNotWaiting(ApiError):
    status, code = 422, "MESSAGE_NOT_WAITING"
    message = "Only a message that could not be sent can be sent again."
    remedy = "Check its status, and wait for the attempt in progress."


class MerchantChangedMeanwhile(ApiError):
    status, code = 422, "MERCHANT_CHANGED"
    message = "The merchant has changed its details since this form was opened. Look again."
    remedy = "Check the details that the form shows now, then verify the merchant or decline."


class LogoNotRead(ApiError):
    status, code = 422, "LOGO_NOT_READ"
    message = "The logo has not been read yet: you have not seen what customers would."
    remedy = "Open the form again in a minute, and look at the logo."


class RefundFormStale(RefundAmountMismatch):
    message = "What can be refunded has changed since this form was opened."


class RefundRequestStale(RefundAmountMismatch):
    message = "What can be refunded has changed since this was requested."


class RefundTooLarge(RefundExceedsPayment):
    message = "That is more than is left."
