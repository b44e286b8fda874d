"""The errors of the contract that belong to no resource. An error class is its status and code.

Raise one anywhere below a view; `core.handler` writes it as `{"error", "code", "details"}`.
"""

from collections.abc import Mapping

RETRY_SOON: Mapping[str, str] = {"Retry-After": "1"}


class ApiError(Exception):
    """An expected refusal. Keyword arguments name the fields at fault and what each must be."""

    status = 500
    code = "INTERNAL_ERROR"
    message = "Something went wrong on our side."
    default_headers: Mapping[str, str] = {}

    def __init__(self, details: str = "", **fields: str) -> None:
        named = "; ".join(f"{name}: {reason}" for name, reason in fields.items())
        self.details = details or named
        self.headers = dict(self.default_headers)
        super().__init__(self.code, self.details)

    @property
    def body(self) -> dict[str, str]:
        """The response body: three strings."""
        return {"error": self.message, "code": self.code, "details": self.details}


class InvalidRequest(ApiError):
    status, code, message = 400, "INVALID_REQUEST", "The request could not be understood."


class Unauthorized(ApiError):
    status, code, message = 401, "UNAUTHORIZED", "A valid API key is needed."
    default_headers: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}


class NotFound(ApiError):
    status, code, message = 404, "NOT_FOUND", "There is nothing at this address."


class MethodNotAllowed(ApiError):
    status, code, message = 405, "METHOD_NOT_ALLOWED", "This address does not take this method."


class Conflict(ApiError):
    status, code, message = 409, "CONFLICT", "Another request holds this object. Try again."
    default_headers = RETRY_SOON


class RequestTooLarge(ApiError):
    status, code, message = 413, "REQUEST_TOO_LARGE", "The request body is too large."


class UnsupportedMediaType(ApiError):
    status, code, message = 415, "UNSUPPORTED_MEDIA_TYPE", "Send application/json in UTF-8."


class ValidationFailed(ApiError):
    status, code, message = 422, "VALIDATION_FAILED", "A field has a value that is not allowed."


class InvalidAmount(ApiError):
    status, code, message = 422, "INVALID_AMOUNT", "The amount is not a valid number of cents."


class IdempotencyKeyReused(ApiError):
    status, code = 422, "IDEMPOTENCY_KEY_REUSED"
    message = "This Idempotency-Key belongs to another request."


class RateLimited(ApiError):
    status, code, message = 429, "RATE_LIMITED", "Too many requests. Slow down and try again."


class InternalError(ApiError):
    """An unexpected failure, reported without internal details."""


class ServiceUnavailable(ApiError):
    status, code = 503, "SERVICE_UNAVAILABLE"
    message = "The service cannot answer right now. Try again shortly."
    default_headers = RETRY_SOON
