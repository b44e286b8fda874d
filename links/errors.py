"""The refusals that concern a payment link."""

from core.errors import ApiError
from links.statuses import LinkStatus


class PaymentLinkNotFound(ApiError):
    status, code, message = 404, "PAYMENT_LINK_NOT_FOUND", "There is no such payment link."


class PaymentLinkInactive(ApiError):
    status, code, message = 422, "PAYMENT_LINK_INACTIVE", "The payment link takes no payments."


class PaymentLinkExpired(ApiError):
    status, code, message = 422, "PAYMENT_LINK_EXPIRED", "The payment link has expired."


REFUSAL_BY_STATUS: dict[LinkStatus, type[ApiError]] = {
    LinkStatus.ACTIVE: PaymentLinkInactive,
    LinkStatus.DEACTIVATED: PaymentLinkInactive,
    LinkStatus.EXPIRED: PaymentLinkExpired,
    LinkStatus.USED_UP: PaymentLinkInactive,
}
