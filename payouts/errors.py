"""The refusals that concern a payout or a bank account."""

from core.errors import ApiError, NotFound


class PayoutNotFound(ApiError):
    status, code, message = 404, "PAYOUT_NOT_FOUND", "There is no such payout."


class PayoutBatchNotFound(NotFound):
    message = "There is no such batch of payouts."


class BankEntryNotFound(NotFound):
    message = "There is no such entry of the bank."


class BankAccountNotFound(NotFound):
    message = "There is no such bank account."


class PayoutNotCancelable(ApiError):
    status, code, message = 422, "VALIDATION_FAILED", "The payout can no longer be canceled."


class PayoutStatusUnfit(ApiError):
    status, code, message = 422, "VALIDATION_FAILED", "The payout is not in a status for this."


class PayoutReturnTooLate(ApiError):
    status, code = 422, "VALIDATION_FAILED"
    message = "Banks no longer send a payout of that age back."


class BankAccountMissing(ApiError):
    status, code = 422, "VALIDATION_FAILED"
    message = "There is no bank account to pay out to."


class PayoutTooSmall(ApiError):
    status, code, message = 422, "INVALID_AMOUNT", "The amount is too small to be paid out."


class NothingToExport(ApiError):
    status, code, message = 422, "VALIDATION_FAILED", "No payout is due to be sent."


class PayoutFileChanged(ApiError):
    status, code = 422, "VALIDATION_FAILED"
    message = "The file differs from the one that was written before for this batch."


class BankFileUnreadable(ApiError):
    status, code = 422, "VALIDATION_FAILED"
    message = "This is no pain.002, camt.053 or camt.054 that can be read."


class BankFileUnfit(ApiError):
    status, code = 422, "VALIDATION_FAILED"
    message = "The file contradicts itself, the configuration or an earlier file."


class BankEntryUnfit(ApiError):
    status, code = 422, "VALIDATION_FAILED"
    message = "The entry cannot be matched in this way."


class PayoutsShut(ApiError):
    status, code = 422, "VALIDATION_FAILED"
    message = (
        "The database was restored: payouts wait until what is in transit was compared with the "
        "bank (manage.py restored --reconciled)."
    )


class DebtorUnknown(ApiError):
    status, code = 422, "VALIDATION_FAILED"
    message = "Set PAYOUT_DEBTOR_ACCOUNT and PAYOUT_DEBTOR_BIC or PAYOUT_DEBTOR_CLEARING_CODE."
