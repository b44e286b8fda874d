"""The refusals that concern a payment link."""

from core.errors import CHECK_ID, WRONG_ID, ApiError
from links.statuses import LinkStatus


class PaymentLinkNotFound(ApiError):
    status, code, message = 404, "PAYMENT_LINK_NOT_FOUND", "There is no such payment link."
    cause, remedy = WRONG_ID, CHECK_ID
    test_mode = "`GET /v1/payment-links/link_0`."


class PaymentLinkInactive(ApiError):
    status, code, message = 422, "PAYMENT_LINK_INACTIVE", "The payment link takes no payments."
    cause = "The link has been deactivated or used up."
    remedy = "Create a new link."
    test_mode = "Deactivate a link twice."


class PaymentLinkExpired(ApiError):
    status, code, message = 422, "PAYMENT_LINK_EXPIRED", "The payment link has expired."
    cause = "The link's `expires_at` has passed."
    remedy = "PATCH `expires_at` before it passes; afterwards, create a new link."
    test_mode = "Create a link that expires in a minute, wait, then change it."


REFUSAL_BY_STATUS: dict[LinkStatus, type[ApiError]] = {
    LinkStatus.ACTIVE: PaymentLinkInactive,
    LinkStatus.DEACTIVATED: PaymentLinkInactive,
    LinkStatus.EXPIRED: PaymentLinkExpired,
    LinkStatus.USED_UP: PaymentLinkInactive,
}
