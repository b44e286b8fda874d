"""Texts on how a payment ended, or why a page cannot be shown, with what to do next."""

from dataclasses import dataclass, replace

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from checkout.opening_limits import SignInToOpen
from checkout.payment_view import PaymentView
from core.concurrency import ConcurrencyLimitReached
from core.errors import ApiError, Conflict, RateLimited
from customers.errors import CustomerFrozen, NewProofLimitReached
from customers.security_alerts import way_to_staff
from links.errors import PaymentLinkExpired, PaymentLinkInactive
from merchants.errors import MerchantInactive
from payments.failures import failure_of
from payments.models import Payment
from payments.statuses import PaymentStatus

BAD, STILL = "is-bad", "is-still"
FAULT_OF_OURS = 500
RECEIPTS = "/receipts/"  # pages of what was paid: none may say that no money has been taken


@dataclass(frozen=True)
class Ending:
    """A headline, what happened, and where to go from here.

    `untaken` replaces the general "no money was taken" if that might be untrue for others.
    """

    title: str
    look: str
    happened: str
    next: str = ""
    again_address: str = ""
    again_words: str = ""
    back_address: str = ""
    untaken: str = ""


def ending_of(payment: Payment, payment_view: PaymentView, *, status: PaymentStatus) -> Ending:
    """Return the ending of a payment that was not paid."""
    if status == PaymentStatus.CANCELED and payment.ticket_id is not None:
        return Ending(
            _("This sum is no longer open"),
            STILL,
            _("It was paid with another phone, or taken off the counter."),
            again_address=payment_view.again_address,
            again_words=_("See what is open"),
            untaken=_("Nothing has been paid with this phone."),
        )
    ask_anew = _("If you still want to pay, ask %(name)s for a new payment.")
    if status == PaymentStatus.EXPIRED:
        title, look = _("Payment Expired"), STILL
        by_then = _("It had to be paid by %(when)s.") % {"when": payment_view.until}
        happened = by_then if payment_view.until else _("Its time has run out.")
        ask_anew = _("It can no longer be paid, but %(name)s can create a new one.")
    elif status == PaymentStatus.CANCELED:
        title, look = _("This payment was canceled"), STILL
        happened = _("It can no longer be paid.")
    else:
        title, look = _("The payment failed"), BAD
        happened = str(failure_of(payment.error_code).customer)
    return Ending(
        title,
        look,
        happened,
        next=ask_anew % {"name": payment_view.payee.name},
        again_address=payment_view.again_address,
        again_words=_("Start again"),
        back_address=payment_view.cancel_address,
    )


def replaced(end: Ending, payment_view: PaymentView, *, by: str) -> Ending:
    """Return the ending with a link to the merchant's replacement payment."""
    return replace(
        end,
        next=_("%(name)s has made a new payment for you.") % {"name": payment_view.payee.name},
        again_address=reverse("checkout", args=[by]),
        again_words=_("Go to the new payment"),
    )


def stop_for(error: ApiError, *, payment_address: str, is_paid: bool = False) -> Ending:
    """Return the ending for an error, with a button back to the payment if there is one.

    `is_paid`: the page is a receipt, whose money has been taken before.
    """
    if isinstance(error, ConcurrencyLimitReached):
        return _crowded()
    if isinstance(error, SignInToOpen):
        return _sign_in_to_open()
    if error.status >= FAULT_OF_OURS:
        return _fault_of_ours(payment_address)
    end = _end_for(error)
    if is_paid and isinstance(error, RateLimited):
        return replace(end, happened=_("For your safety, you need to wait a little."))
    if payment_address and not isinstance(error, _NO_WAY_BACK):
        words = end.again_words or _("Continue with the payment")
        return replace(end, again_address=payment_address, again_words=words)
    return end


def _end_for(error: ApiError) -> Ending:
    if error.status in (404, 405):
        return _missing()
    for kind, ending in _STOPS:
        if isinstance(error, kind):
            return ending()
    return Ending(
        _("That did not work"),
        BAD,
        _("No money has been taken."),
        next=_("Check the payment, then try again."),
    )


def _fault_of_ours(payment_address: str) -> Ending:
    return Ending(
        _("Something went wrong"),
        BAD,
        _("This is our fault. The page of the payment shows whether it was paid."),
        next=_("Check it before you try again. Nothing is ever paid twice."),
        again_address=payment_address,
        again_words=_("View the payment"),
    )


def _missing() -> Ending:
    return Ending(
        _("We cannot find this page"),
        STILL,
        _("The address may be cut off or mistyped."),
        next=_("Open the link again from where you got it, or scan the code once more."),
    )


def _too_often() -> Ending:
    return Ending(
        _("Too many attempts"),
        BAD,
        _("For your safety, you need to wait a little. No money has been taken."),
        next=_("Wait a few minutes, then try again."),
    )


def _busy() -> Ending:
    return Ending(
        _("One moment"),
        STILL,
        _("This payment was being changed elsewhere at the same moment."),
        next=_("Check the payment, then try again."),
        again_words=_("View the payment"),
    )


def _crowded() -> Ending:
    return Ending(
        _("One moment"),
        STILL,
        _("Others are printing at the moment."),
        next=_("Load this page again in a few seconds."),
    )


def _sign_in_to_open() -> Ending:
    return Ending(
        _("Sign in to pay here"),
        STILL,
        _("Many payments were started here within an hour."),
        next=_("Sign in with your phone, then come back to this page. Or try again later."),
        again_address=reverse("account"),
        again_words=_("Sign in"),
    )


def _frozen() -> Ending:
    return Ending(
        _("Your wallet cannot pay at the moment"),
        BAD,
        _("It is frozen. No money has been taken."),
        next=way_to_staff(),
        again_words=_("View the payment"),
    )


def _new_proof() -> Ending:
    hours = settings.RISK_NEW_PROOF_HOURS
    limited = ngettext(
        "For your safety, it can pay only small amounts in its first hour.",
        "For your safety, it can pay only small amounts in its first %(hours)d hours.",
        hours,
    )
    return Ending(
        _("Your PIN or passkey is new"),
        STILL,
        f"{limited % {'hours': hours}} {_('No money has been taken.')}",
        next=_("Pay a smaller amount now, or this one then. If it has ended, ask for a new one."),
        again_words=_("View the payment"),
    )


def page_too_old(again_address: str, again_words: str, *, is_paid: bool = False) -> Ending:
    """Return the ending for a form with an expired token, with a link to reopen it.

    `is_paid`: the form is on a receipt, whose money has been taken before.
    """
    return Ending(
        _("This page was open too long"),
        STILL,
        _nothing_done(is_paid=is_paid),
        next=_("Open it again, and try once more."),
        again_address=again_address,
        again_words=again_words,
    )


def no_cookie(again_address: str, again_words: str, *, is_paid: bool = False) -> Ending:
    """Return the ending for a form from a browser that keeps no cookies, as `page_too_old` does."""
    return Ending(
        _("Your browser sent no cookie"),
        STILL,
        _nothing_done(is_paid=is_paid),
        next=_("Allow cookies for this site in your browser, then try once more."),
        again_address=again_address,
        again_words=again_words,
    )


def _nothing_done(*, is_paid: bool) -> str:
    if is_paid:
        return _("For your safety, nothing was done.")
    return _("For your safety, nothing was done. No money has been taken.")


def wallet_stopped() -> Ending:
    """Return the confirmation that the customer has frozen the wallet."""
    return Ending(
        _("Your wallet is frozen"),
        STILL,
        _("No one can sign in or pay with it, and every device has been signed out."),
        next=way_to_staff(),
    )


def which_shop() -> Ending:
    """Return where to sign in with a test phone, if the page does not know for which merchant."""
    return Ending(
        _("Sign in from a test payment"),
        STILL,
        _("In test mode, each shop has its own customers. No one is signed in here now."),
        next=_("Open one of the shop's test payments, and sign in from there."),
    )


def counter_closed() -> Ending:
    return Ending(
        _("This counter is closed"),
        STILL,
        _("Payments can no longer be made here."),
        next=_("Ask at the till."),
    )


def _merchant_suspended() -> Ending:
    return Ending(
        _("You cannot pay here at the moment"),
        STILL,
        _("This shop can take no payments now. No money has been taken."),
        next=_("Try again later, or ask the shop."),
    )


def _link_ended() -> Ending:
    return Ending(
        _("This link takes no more payments"),
        STILL,
        _("It has expired, was switched off, or has been used up. Nothing has been taken now."),
        next=_("Ask the person who sent it to you for a new one."),
    )


# After these errors, a payment started through the link cannot continue either.
_NO_WAY_BACK = (PaymentLinkInactive, PaymentLinkExpired, MerchantInactive)

_STOPS = (
    (RateLimited, _too_often),
    (Conflict, _busy),
    (CustomerFrozen, _frozen),
    (NewProofLimitReached, _new_proof),
    (MerchantInactive, _merchant_suspended),
    (PaymentLinkInactive, _link_ended),
    (PaymentLinkExpired, _link_ended),
)
