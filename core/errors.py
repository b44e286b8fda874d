"""The errors of the contract that belong to no resource. A class holds all there is to know of one.

Raise one anywhere below a view; `core.handler` renders it as `{"error", "code", "details"}`. The
reference explains each code from its class; `[[name]]` in its words becomes the limit in force.
"""

from collections.abc import Iterable, Mapping
from typing import ClassVar, Self

RETRY_SOON: Mapping[str, str] = {"Retry-After": "1"}
RETRY = "Send the same request again, with the same Idempotency-Key."
WRONG_ID = "The id is mistyped, or the object belongs to another merchant or to the other mode."
CHECK_ID = "Copy the id from the response or event that contained it; use a key of that mode."


class ApiError(Exception):
    """An expected refusal. Keyword arguments name the fields at fault and what each must be.

    `cause` says when the code occurs, `remedy` what to do then, `test_mode` how to provoke it with
    a test key; without that, the code is for staff, not part of the contract, and needs no cause.
    """

    status: ClassVar[int]
    code: ClassVar[str]
    message: ClassVar[str]
    cause: ClassVar[str] = ""
    remedy: ClassVar[str]
    test_mode: ClassVar[str] = ""
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
    cause = "The body is not a JSON object or repeats a key, or a query parameter is invalid."
    remedy = "`details` says what is wrong; sending the same request again will not help."
    test_mode = "`GET /v1/payments?limit=0`."


class Unauthorized(ApiError):
    status, code, message = 401, "UNAUTHORIZED", "A valid API key is needed."
    cause = "The key is missing, mistyped, revoked or expired."
    remedy = "Send `Authorization: Bearer <key>`; if the key was rolled, send the new one."
    test_mode = "Any request with `Authorization: Bearer sk_test_0`."
    default_headers: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}


class NotFound(ApiError):
    status, code, message = 404, "NOT_FOUND", "There is nothing at this address."
    cause = "The path does not exist, or neither does an object whose kind has no code of its own."
    remedy = "Compare the path with this reference (`/v1` first, no trailing slash); check the id."
    test_mode = "`GET /v1/nothing`."


class MethodNotAllowed(ApiError):
    status, code, message = 405, "METHOD_NOT_ALLOWED", "This address does not take this method."
    cause = "The path exists, but does not support this method."
    remedy = "`details` and the header `Allow` list the methods it supports."
    test_mode = "`DELETE /v1/payments`."

    @classmethod
    def but(cls, allowed: Iterable[str]) -> Self:
        """Return the refusal of a method where only the given ones are allowed."""
        methods = ", ".join(allowed)
        error = cls(f"The method must be one of {methods}.")
        error.headers["Allow"] = methods
        return error


class Conflict(ApiError):
    status, code, message = 409, "CONFLICT", "Another request holds this object. Try again."
    cause = "Another request has been holding the same object for several seconds."
    remedy = f"Wait for `Retry-After`. {RETRY}"
    test_mode = "By the header only."
    default_headers = RETRY_SOON


class RequestTooLarge(ApiError):
    status, code, message = 413, "REQUEST_TOO_LARGE", "The request body is too large."
    cause = "The body is larger than [[body_kib]] KiB."
    remedy = "Keep data that we do not need in your own system; send fewer line items."
    test_mode = "A `description` of 300,000 characters."


class UnsupportedMediaType(ApiError):
    status, code, message = 415, "UNSUPPORTED_MEDIA_TYPE", "Send application/json in UTF-8."
    cause = "The body is not `application/json`, is not UTF-8, or is compressed."
    remedy = "Send `Content-Type: application/json`."
    test_mode = "A POST with `Content-Type: text/plain`."


class ValidationFailed(ApiError):
    status, code, message = 422, "VALIDATION_FAILED", "A field has a value that is not allowed."
    cause = "A field has an invalid value, or the request is not possible at present."
    remedy = "`details` names each field and what it must be."
    test_mode = '`POST /v1/payments` with `{"amount": 1, "currency": "bsd"}`.'


class InvalidAmount(ApiError):
    status, code, message = 422, "INVALID_AMOUNT", "The amount is not a valid number of cents."
    cause = (
        "The amount is missing, not an integer from 1 to [[most_grouped]], or contradicts another."
    )
    remedy = 'Send cents as a JSON integer: 1250, not 12.5, 1250.0 or "1250".'
    test_mode = '`POST /v1/payments` with `{"amount": 0}`.'


class IdempotencyKeyReused(ApiError):
    status, code = 422, "IDEMPOTENCY_KEY_REUSED"
    message = "This Idempotency-Key belongs to another request."
    cause = (
        "The key was already used: with a different method, path or body (each byte counts); "
        "with another API key, if the response shows a secret; or to register a merchant more than "
        "[[keys_shown]] ago."
    )
    remedy = (
        "Use a new key for each new request. If this is a retry, first look for what the earlier "
        "request made: it has taken effect."
    )
    test_mode = "Create two payments of different amounts with one key."


class RateLimited(ApiError):
    status, code, message = 429, "RATE_LIMITED", "Too many requests. Slow down and try again."
    cause = (
        "More than [[rate_minute]] requests a minute ([[rate_burst]] at once) or [[rate_hour]] an "
        "hour; or too many test events, or searches (`q`) with a test key, at once."
    )
    remedy = "Wait for `Retry-After`; the header `RateLimit` says how many requests are left."
    test_mode = "Send [[rate_refused]] requests within [[rate_window]], if limits are on."
    default_headers = RETRY_SOON

    @classmethod
    def retry_in(cls, seconds: int, reason: str = "") -> Self:
        """Return the refusal that says, after a reason, in how many seconds to try again."""
        seconds = max(1, seconds)
        error = cls(f"{reason} Try again in {seconds} second{'s' * (seconds > 1)}.".lstrip())
        error.headers["Retry-After"] = str(seconds)
        return error


class InternalError(ApiError):
    """An unexpected failure, reported without internal details."""

    status, code, message = 500, "INTERNAL_ERROR", "Something went wrong on our side."
    cause = "A fault on our side; it has been logged."
    remedy = f"{RETRY} Quote `X-Request-Id` when you ask for help."
    test_mode = "By the header only."


class ServiceUnavailable(ApiError):
    status, code = 503, "SERVICE_UNAVAILABLE"
    message = "The service cannot answer right now. Try again shortly."
    cause = "The database does not respond, or the service is overloaded."
    remedy = f"Wait for `Retry-After`. {RETRY}"
    test_mode = "By the header only."
    default_headers = RETRY_SOON
