"""The refusals that concern a payout or a bank account."""

from core.errors import CHECK_ID, WRONG_ID, ApiError, InvalidAmount, NotFound, ValidationFailed


class PayoutNotFound(ApiError):
    status, code, message = 404, "PAYOUT_NOT_FOUND", "There is no such payout."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`GET /v1/payouts/po_0`."


class PayoutBatchNotFound(NotFound):
    message = "There is no such batch of payouts."


class BankAccountNotFound(NotFound):
    message = "There is no such bank account."


class PayoutNotCancelable(ValidationFailed):
    message = "The payout can no longer be canceled."


class PayoutStatusUnfit(ValidationFailed):
    message = "The payout is not in a status for this."


class BankAccountMissing(ValidationFailed):
    message = "There is no bank account to pay out to."


class PayoutTooSmall(InvalidAmount):
    message = "The amount is too small to be paid out."


class NothingToExport(ValidationFailed):
    message = "No payout is due to be sent."


class PayoutFileChanged(ValidationFailed):
    message = "The file differs from the one that was written before for this batch."


class PayoutsShut(ValidationFailed):
    message = (
        "The database was restored: payouts wait until what is in transit was compared with the "
        "bank (manage.py restored --reconciled)."
    )


class DebtorUnknown(ValidationFailed):
    message = "Set PAYOUT_DEBTOR_ACCOUNT and PAYOUT_DEBTOR_BIC or PAYOUT_DEBTOR_CLEARING_CODE."
