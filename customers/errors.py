"""The errors about customers. Pages show them in their own words."""

from datetime import datetime
from enum import StrEnum

from core.errors import ApiError, Conflict, NotFound, ValidationFailed


class CustomerNotFound(ApiError):
    status, code, message = 404, "CUSTOMER_NOT_FOUND", "There is no such customer."
    cause = "The customer's data was erased at their request."
    remedy = "None: payments and refunds keep their `customer_id`."
    test_mode = "By the header only: no path of the API takes a customer id."


class InvalidPin(ApiError):
    """`attempts_left` is how many more wrong PINs there may be before the PIN is locked."""

    status, code, message = 422, "INVALID_PIN", "The PIN is not right."
    cause = "The customer entered a wrong PIN."
    remedy = "The customer tries again; [[pin_attempts]] wrong PINs lock it for [[pin_lock]]."
    test_mode = "Confirm with `customer_phone` [[phone_wrong_pin]]."

    def __init__(self, attempts_left: int | None = None) -> None:
        self.attempts_left = attempts_left
        super().__init__("" if attempts_left is None else f"attempts left: {attempts_left}")


class PinLocked(ApiError):
    """`until` is when the PIN can be tried again; without it, only a reset helps.

    `was_checked`: the PIN that was entered was the wrong one that locks it; others are not checked.
    """

    status, code = 422, "PIN_LOCKED"
    message = "The PIN is locked after too many wrong attempts."
    cause = "The customer entered too many wrong PINs."
    remedy = "The customer waits [[pin_lock]], resets the PIN with a code, or uses a passkey."
    test_mode = "Confirm with `customer_phone` [[phone_pin_locked]]."

    def __init__(self, until: datetime | None = None, *, was_checked: bool = False) -> None:
        self.until, self.was_checked = until, was_checked
        super().__init__()


class PinDisabled(PinLocked):
    """Too many wrong PINs in a row: only a reset by code helps."""

    message = "The PIN is switched off after too many wrong attempts. Reset it with a code."


class PinAlreadySet(Conflict):
    message = "There is a PIN already. Change it instead."


class VerificationFailed(ApiError):
    status, code = 422, "VERIFICATION_FAILED"
    message = "The customer could not be verified."
    cause = (
        "The customer could not be verified: the code was wrong or expired, or the passkey failed."
    )
    remedy = "The customer tries again at the checkout."
    test_mode = "Enter any code other than [[code]] at the test checkout."


class CustomerFrozen(VerificationFailed):
    message = "This customer's account is frozen and cannot pay."


class NewProofLimitReached(VerificationFailed):
    message = "After a new PIN or passkey, this customer cannot pay so much yet."


class CustomerErased(VerificationFailed):
    message = "The customer's data has been erased."


class PinNotSet(VerificationFailed):
    message = "There is no PIN yet."


class InvalidCode(VerificationFailed):
    """`attempts_left` is how often the code may still be entered."""

    message = "The code is not right."

    def __init__(self, attempts_left: int) -> None:
        self.attempts_left = attempts_left
        super().__init__(f"attempts left: {attempts_left}")


class CodeExpired(VerificationFailed):
    message = "The code has expired. Ask for a new one."


class ProofMethod(StrEnum):
    """How a customer can verify themselves."""

    CODE = "code"
    PIN = "pin"
    PASSKEY = "passkey"


class ProofNeeded(VerificationFailed):
    """`proof` is the verification that is needed first."""

    message = "More proof is needed that it is you."

    def __init__(self, proof: ProofMethod) -> None:
        self.proof = proof
        super().__init__(f"needed: {proof}")


class PasskeyMissing(VerificationFailed):
    message = "There is no passkey yet."


class TooManyPasskeys(VerificationFailed):
    message = "There are too many passkeys. Remove one first."


class PasskeyNotFound(NotFound):
    message = "There is no such passkey."


class PhoneUnreachable(ValidationFailed):
    """The gateway has refused the number that a code was to be sent to."""


class CountryNotServed(ValidationFailed):
    message = "No codes are sent to this country."
