"""The refusals that concern merchants and their keys."""

from core.errors import ApiError


class MerchantNotFound(ApiError):
    status, code, message = 404, "MERCHANT_NOT_FOUND", "There is no such merchant."


class SlugTaken(ApiError):
    status, code, message = 422, "SLUG_TAKEN", "Another merchant has this slug."


class MerchantNotVerified(ApiError):
    status, code = 422, "MERCHANT_NOT_VERIFIED"
    message = "Live keys work once the merchant has been verified."


class MerchantInactive(ApiError):
    status, code, message = 422, "MERCHANT_INACTIVE", "This merchant has been suspended."


class MerchantStatusUnchanged(ApiError):
    status, code = 422, "VALIDATION_FAILED"
    message = "The merchant has this status already."


class ApiKeyNotFound(ApiError):
    status, code, message = 404, "NOT_FOUND", "There is no such API key."


class ApiKeyNotActive(ApiError):
    status, code, message = 422, "VALIDATION_FAILED", "This API key is revoked or has expired."
