"""Why a payment fails, in words for the merchant, for the customer and for staff."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy

from customers.errors import PinLocked, VerificationFailed
from ledger.errors import InsufficientBalance
from links.errors import PaymentLinkExpired, PaymentLinkInactive
from merchants.errors import MerchantInactive
from payments.errors import PaymentDeclined, PaymentFailed

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One reason. The merchant gets `code` and `message`; staff read `staff` after "Not paid:"."""

    code: str
    message: str
    customer: "_StrPromise"
    staff: str


DECLINED = Failure(
    code=PaymentFailed.code,
    message=PaymentDeclined.message,
    customer=gettext_lazy("The payment was declined."),
    staff="it was declined",
)
TOO_LITTLE_MONEY = Failure(
    code=InsufficientBalance.code,
    message=InsufficientBalance.message,
    customer=gettext_lazy("There was not enough money in the wallet."),
    staff="there was too little money in the wallet",
)
PIN_LOCKED = Failure(
    code=PinLocked.code,
    message="The PIN was wrong too often.",
    customer=gettext_lazy(
        "Too many wrong PINs: your PIN is locked. Set a new one with a code to your phone."
    ),
    staff="the PIN was wrong too often and is locked",
)
NOT_VERIFIED = Failure(
    code=VerificationFailed.code,
    message="The passkey failed too often.",
    customer=gettext_lazy("The passkey could not be checked."),
    staff="the customer could not be verified",
)
LINK_INACTIVE = Failure(
    code=PaymentLinkInactive.code,
    message=PaymentLinkInactive.message,
    customer=DECLINED.customer,
    staff="its link takes no more payments",
)
LINK_EXPIRED = Failure(
    code=PaymentLinkExpired.code,
    message=PaymentLinkExpired.message,
    customer=DECLINED.customer,
    staff="its link has expired",
)
MERCHANT_SUSPENDED = Failure(
    code=MerchantInactive.code,
    message=MerchantInactive.message,
    customer=DECLINED.customer,
    staff="its merchant was suspended",
)

_BY_CODE = {
    failure.code: failure
    for failure in (
        DECLINED,
        TOO_LITTLE_MONEY,
        PIN_LOCKED,
        NOT_VERIFIED,
        LINK_INACTIVE,
        LINK_EXPIRED,
        MERCHANT_SUSPENDED,
    )
}


def failure_of(code: str | None) -> Failure:
    """Return the failure for an error code; DECLINED for a code that is no longer in use."""
    return _BY_CODE.get(code or "", DECLINED)
