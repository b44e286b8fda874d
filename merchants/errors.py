"""The refusals that concern merchants and their keys."""

from core.errors import CHECK_ID, WRONG_ID, ApiError, NotFound, ValidationFailed

INVALID_KEY = "The API key is not valid."  # whatever is wrong with it
INVALID_HEADER = "Authorization: must be Bearer, a space and the API key."


class MerchantNotFound(ApiError):
    status, code, message = 404, "MERCHANT_NOT_FOUND", "There is no such merchant."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`GET /v1/merchants/mer_0`."


class SlugTaken(ApiError):
    status, code, message = 422, "SLUG_TAKEN", "Another merchant has this slug."
    cause = "Another merchant has the slug."
    remedy = "Choose another, or omit it to have one derived from the name."
    test_mode = "Register twice with the same slug."


class MerchantNotVerified(ApiError):
    status, code = 422, "MERCHANT_NOT_VERIFIED"
    message = "Live keys work once the merchant has been verified."
    cause = "A live key was used before the merchant was verified."
    remedy = "Continue with the test key; live keys work as soon as the merchant is verified."
    test_mode = "Any request with a new merchant's live key, if verification is required."


class MerchantInactive(ApiError):
    status, code, message = 422, "MERCHANT_INACTIVE", "This merchant has been suspended."
    cause = "The merchant is suspended: neither its live keys nor its test keys work."
    remedy = "Contact us for the reason; until then nothing can be created or read."
    test_mode = "By the header only."


class InsufficientScope(ApiError):
    status, code, message = 403, "INSUFFICIENT_SCOPE", "This API key may not do that."
    cause = "The key is restricted to scopes that do not include the one named in `details`."
    remedy = "Use a key that has the scope, or create one: `POST /v1/api-keys`."
    test_mode = "Create a key with the scope `*:read`, then create a payment with it."


class MerchantStatusUnchanged(ValidationFailed):
    message = "The merchant's status cannot be changed in this way."


class ApiKeyNotFound(NotFound):
    message = "There is no such API key."


class ApiKeyNotActive(ValidationFailed):
    message = "This API key is revoked or has expired."


class ApiKeyRolled(ValidationFailed):
    message = "This API key has been rolled already."


class TooManyKeys(ValidationFailed):
    message = "This merchant has as many active API keys as it may have."


class MerchantChangeNotFound(NotFound):
    message = "There is no such change of a merchant."


class MerchantChangeDecided(ValidationFailed):
    message = "This change has been decided or superseded already."
