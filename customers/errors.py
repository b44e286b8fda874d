"""The refusals of the customers' room. Pages show them in words of their own."""

from datetime import datetime
from enum import StrEnum

from core.errors import ApiError, Conflict, NotFound


class CustomerNotFound(ApiError):
    status, code, message = 404, "CUSTOMER_NOT_FOUND", "There is no such customer."
    cause = "The customer has asked to be forgotten."
    remedy = "Nothing: payments and refunds keep their `customer_id`."
    test_mode = "By the header only: no address of the API names a customer."


class InvalidPin(ApiError):
    """`tries_left` is how many more wrong PINs there may be before the PIN is locked."""

    status, code, message = 422, "INVALID_PIN", "The PIN is not right."
    cause = "The customer entered a wrong PIN."
    remedy = "The customer tries again: [[pin_tries]] wrong ones lock it for [[pin_lock]]."
    test_mode = "Confirm with `customer_phone` [[phone_wrong_pin]]."

    def __init__(self, tries_left: int | None = None) -> None:
        self.tries_left = tries_left
        super().__init__("" if tries_left is None else f"tries left: {tries_left}")


class PinLocked(ApiError):
    """`until` is when the PIN can be tried again; without it, only a reset helps."""

    status, code = 422, "PIN_LOCKED"
    message = "The PIN is locked after too many wrong tries."
    cause = "Too many wrong PINs."
    remedy = "The customer waits [[pin_lock]], resets the PIN by a code, or uses a passkey."
    test_mode = "Confirm with `customer_phone` [[phone_pin_locked]]."

    def __init__(self, until: datetime | None = None) -> None:
        self.until = until
        super().__init__()


class PinDisabled(PinLocked):
    """Too many wrong PINs in a row: a reset by code makes a new one."""

    message = "The PIN is switched off after too many wrong tries. Reset it with a code."


class PinAlreadySet(Conflict):
    message = "There is a PIN already. Change it instead."


class VerificationFailed(ApiError):
    status, code = 422, "VERIFICATION_FAILED"
    message = "The customer could not be verified."
    cause = "The customer could not be verified: a wrong or expired code, or a passkey that failed."
    remedy = "The customer tries again at the checkout."
    test_mode = "Enter another code than [[code]] at the test checkout."


class CustomerFrozen(VerificationFailed):
    message = "This customer's account is frozen and cannot pay."


class PinNotSet(VerificationFailed):
    message = "There is no PIN yet."


class InvalidCode(VerificationFailed):
    """`tries_left` is how often the code may still be entered."""

    message = "The code is not right."

    def __init__(self, tries_left: int) -> None:
        self.tries_left = tries_left
        super().__init__(f"tries left: {tries_left}")


class CodeExpired(VerificationFailed):
    message = "The code has expired. Ask for a new one."


class Proof(StrEnum):
    """What customers prove themselves by."""

    CODE = "code"
    PIN = "pin"
    PASSKEY = "passkey"


class ProofNeeded(VerificationFailed):
    """`proof` is what the customer has to show first, fresh."""

    message = "More proof is needed that it is you."

    def __init__(self, proof: Proof) -> None:
        self.proof = proof
        super().__init__(f"needed: {proof}")


class PasskeyMissing(VerificationFailed):
    message = "There is no passkey yet."


class TooManyPasskeys(VerificationFailed):
    message = "There are too many passkeys. Remove one first."


class PasskeyNotFound(NotFound):
    message = "There is no such passkey."
