"""How pages show top-ups: the ways to add money, and the state of a top-up."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from checkout.payment_view import version_of
from core.creditor_references import grouped
from core.formats import money_and_code
from customers.models import Customer
from funding.models import FundingWay, TopUp
from funding.providers import ways_offered
from funding.statuses import CREDITABLE, TopUpStatus
from payments.models import Payment

W, S = FundingWay, TopUpStatus
TOP_UPS_SHOWN = 5
_NAMES = {
    W.BANK_TRANSFER: gettext_noop("Bank transfer"),
    W.AGENT: gettext_noop("Cash"),
    W.SIMULATED: gettext_noop("Simulated"),
}
_ABOUT = {
    W.BANK_TRANSFER: gettext_noop("From your bank, in one or two business days."),
    W.AGENT: gettext_noop("Show a code and pay in cash. The money arrives at once."),
    W.SIMULATED: gettext_noop("Test money. It arrives in a few seconds."),
}
_STATES = {
    S.PENDING: (gettext_noop("Waiting"), "is-wait"),
    S.SUCCEEDED: (gettext_noop("Added"), ""),
    S.FAILED: (gettext_noop("Failed"), "is-bad"),
    S.CANCELED: (gettext_noop("Canceled"), "is-wait"),
    S.EXPIRED: (gettext_noop("Expired"), "is-wait"),
    S.REVERSED: (gettext_noop("Taken back"), "is-bad"),
}


# What a page says of a top-up that has ended without its money.
_ENDS = {
    S.FAILED: gettext_noop("It did not work. Nothing was added to the wallet."),
    S.CANCELED: gettext_noop("It was canceled. Nothing was added to the wallet."),
    S.EXPIRED: gettext_noop("Its time has run out. Nothing was added to the wallet."),
    S.REVERSED: gettext_noop(
        "%(amount)s was taken back from the wallet: the money did not reach us after all, or was "
        "meant for someone else."
    ),
}
_LATE = gettext_noop("A transfer with this reference is added all the same, once it arrives.")


@dataclass(frozen=True)
class WayChoice:
    """A way to add money, and how long it takes."""

    way: str
    name: str
    about: str


@dataclass(frozen=True)
class TopUpView:
    """A top-up as the pages show it. `version` changes whenever the page has to be reloaded."""

    id: str
    way: str
    way_name: str
    state: str
    look: str
    amount: int
    currency: str
    reference: str
    created_at: datetime
    expires_at: datetime
    arrived_at: datetime | None
    transaction_id: str
    is_pending: bool
    version: str
    ended: str = ""

    @property
    def address(self) -> str:
        return reverse("top-up", args=[self.id])

    @property
    def seal(self) -> str:
        """The look of its seal, once it no longer waits."""
        return "is-still" if self.look == "is-wait" else self.look


def choices_of(*, livemode: bool, currency: str) -> list[WayChoice]:
    """Return the ways to add money, in the language of the page.

    The first one is the page's main button, so a bank transfer, which takes days, comes last.
    """
    offered = ways_offered(livemode=livemode, currency=currency)
    return [
        WayChoice(way, _(_NAMES[way]), _(_ABOUT[way]))
        for way in sorted(offered, key=lambda way: way == W.BANK_TRANSFER)
    ]


def bank_rows() -> list[tuple[str, str]]:
    """Return the bank details for a transfer, as (label, value) rows."""
    rows = [
        (_("To"), settings.PAYOUT_DEBTOR_NAME),
        (_("Account"), settings.PAYOUT_DEBTOR_ACCOUNT),
        (_("Bank"), settings.FUNDING_BANK_NAME),
        (_("Bank code"), settings.PAYOUT_DEBTOR_BIC or settings.PAYOUT_DEBTOR_CLEARING_CODE),
    ]
    return [(name, value) for name, value in rows if value]


def on_its_way(payment: Payment, customer: Customer, *, now: datetime) -> TopUp | None:
    """Return a customer's newest pending top-up for a payment, if any."""
    waited_for = TopUp.objects.waiting(now).filter(customer=customer, payment_id=payment.pk)
    return waited_for.order_by("-pk").first()


def top_ups_of(customer: Customer, *, are_payments_hidden: bool) -> list[TopUp]:
    """Return the newest top-ups of a customer, except canceled ones.

    With `are_payments_hidden`, also without those for a payment, which would reveal it.
    """
    shown = TopUp.objects.filter(customer=customer).exclude(status=S.CANCELED)
    if are_payments_hidden:
        shown = shown.filter(payment_id=None)
    return list(shown.order_by("-pk")[:TOP_UPS_SHOWN])


def top_up_view_of(top_up: TopUp, *, now: datetime) -> TopUpView:
    """Return a top-up as the pages show it."""
    status = top_up.status_at(now)
    state, look = _STATES[status]
    return TopUpView(
        id=top_up.pk,
        way=top_up.way,
        way_name=_(_NAMES[W(top_up.way)]),
        state=_(state),
        look=look,
        amount=top_up.amount_received or top_up.amount,
        currency=top_up.currency,
        reference=grouped(top_up.reference),
        created_at=top_up.created_at,
        expires_at=top_up.expires_at,
        arrived_at=top_up.succeeded_at if status == S.SUCCEEDED else None,
        transaction_id=top_up.transaction_id or "",
        is_pending=status == S.PENDING,
        version=top_up_version_of(top_up, now=now),
        ended=_end_of(top_up, status),
    )


def _end_of(top_up: TopUp, status: TopUpStatus) -> str:
    """Return what a page says of a top-up that has ended without its money, or ""."""
    if status not in _ENDS:
        return ""
    taken = top_up.amount_reversed
    said = _(_ENDS[status]) % {"amount": money_and_code(taken, top_up.currency) if taken else ""}
    return f"{said} {_(_LATE)}" if status in CREDITABLE and top_up.way == W.BANK_TRANSFER else said


def top_up_version_of(top_up: TopUp, *, now: datetime) -> str:
    """Return a token for the state of a top-up and of the payment that waits for it.

    A credited one counts as pending until its payment was followed up, so the page keeps waiting.
    """
    is_looked_at = top_up.payment_id is None or top_up.followed_up_at is not None
    status = top_up.status_at(now)
    shown = S.PENDING if status == S.SUCCEEDED and not is_looked_at else status
    payment = top_up.payment
    return f"{shown}-{version_of(payment.status_at(now))}" if payment else shown.value
