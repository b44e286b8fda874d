"""The refusals that concern a payout or a bank account."""

from typing import ClassVar

from core.errors import (
    CHECK_ID,
    WRONG_ID,
    ApiError,
    Conflict,
    InvalidAmount,
    NotFound,
    ValidationFailed,
)


class PayoutNotFound(ApiError):
    status, code, message = 404, "PAYOUT_NOT_FOUND", "There is no such payout."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`GET /v1/payouts/po_0`."


class PayoutBatchNotFound(NotFound):
    message = "There is no such batch of payouts."


class BankEntryNotFound(NotFound):
    message = "There is no such bank entry."


class TransactionNotFound(NotFound):
    message = "There is no such transaction."


class AccountStatementNotFound(NotFound):
    message = "There is no such statement."


class AccountStatementPending(Conflict):
    message = "The statement is still being made. Try again."
    rule: ClassVar[str] = "is pending"

    def __init__(self, seconds: int) -> None:
        super().__init__(status=f"{self.rule}; ask again after {seconds} seconds")
        self.headers = {"Retry-After": str(seconds)}


class AccountStatementsTooMany(AccountStatementPending):
    message = "Other statements are still being made. Try again."
    rule = "is pending for as many as there may be at once"


class BankAccountNotFound(NotFound):
    message = "There is no such bank account."


class PayoutNotCancelable(ValidationFailed):
    message = "The payout can no longer be canceled."


class PayoutStatusUnfit(ValidationFailed):
    message = "The payout's status does not allow this."


class PayoutReturnTooLate(ValidationFailed):
    message = "Banks no longer return a payout of that age."


class BankAccountMissing(ValidationFailed):
    message = "There is no bank account to pay out to."


class PayoutTooSmall(InvalidAmount):
    message = "The amount is too small to be paid out."


class NothingToExport(ValidationFailed):
    message = "No payout is due to be sent."


class PayoutFileChanged(ValidationFailed):
    message = "The file differs from the one written earlier for this batch."


class BankFileUnreadable(ValidationFailed):
    message = "This is not a readable pain.002, camt.053 or camt.054."


class BankFileUnfit(ValidationFailed):
    message = "The file contradicts itself, the configuration or an earlier file."


class BankEntryUnfit(ValidationFailed):
    message = "The entry cannot be matched in this way."


class PayoutsShut(ValidationFailed):
    message = (
        "The database was restored: payouts wait until what is in transit was compared with the "
        "bank (manage.py restored --reconciled)."
    )


class BankEntriesWaiting(ValidationFailed):
    message = "Bank entries about our orders are waiting: explain them, then open payouts."


class DebtorUnknown(ValidationFailed):
    message = "Set PAYOUT_DEBTOR_ACCOUNT and PAYOUT_DEBTOR_BIC or PAYOUT_DEBTOR_CLEARING_CODE."
