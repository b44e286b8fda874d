"""The plain answer: what to tell a caller about a payment, in a sentence or two."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, Q
from django.utils.html import format_html, format_html_join

from backoffice.formats import age, clock, money, short_code
from backoffice.page_parts import SupportAnswer
from backoffice.resource.page_urls import page_of
from backoffice.resource.shown import actor_words, with_link
from backoffice.webhook_answer import webhook_answer_of
from funding.models import TopUp
from funding.statuses import EVER_CREDITED, TopUpStatus
from merchants.statuses import MerchantStatus
from payments.failures import failure_of
from payments.models import Payment
from payments.statuses import CANCELABLE, PaymentStatus
from refunds.failures import GIVE_UP_AFTER
from refunds.inquiry_statuses import InquiryReason, InquiryStatus
from refunds.models import Inquiry, Refund
from refunds.statuses import RefundStatus

SAME_WITHIN = timedelta(hours=1)
LONGEST_OPEN = timedelta(days=2)
DUPLICATES_SHOWN = 3
TOP_UPS_SHOWN = 3
S = PaymentStatus
_OF_INQUIRY = {
    InquiryStatus.ANSWERED: "was answered",
    InquiryStatus.REFUNDED: "was settled by a refund",
    InquiryStatus.CLOSED: "was closed without a refund",
}
_TONES = {S.COMPLETED: "good", S.FAILED: "bad", S.PROCESSING: "wait", S.REQUIRES_ACTION: "wait"}


def answer_of(payment: Payment, now: datetime) -> SupportAnswer:
    """Return what to say about a payment at this moment."""
    status = payment.status_at(now)
    words = [_state(payment, status, now)]
    if status == S.COMPLETED:
        words.extend(_refunds(payment, now))
    elif status != S.PROCESSING and not payment.is_counter:
        words.extend(_not_taken(payment, now))
    if inquiry := getattr(payment, "inquiry", None):
        words.append(with_link(inquiry_words(inquiry, now), inquiry))
    words.extend(_paid_elsewhere(payment, now))
    webhooks = webhook_answer_of(payment, now)
    words.extend(webhooks.words)
    sentences = [word for word in words if word]
    return SupportAnswer(sentences, _TONES.get(status, "quiet"), webhooks.troubles)


def _state(payment: Payment, status: PaymentStatus, now: datetime) -> str:
    if status == S.CREATED and payment.is_counter:
        return "This is a counter: each customer's payment is one of its own."
    until, cause = _until(payment, now), failure_of(payment.error_code).staff
    amount = money(payment.amount, payment.currency)
    words = {
        S.CREATED: f"No one has started to pay since {clock(payment.created_at, now)}.{until}",
        S.PENDING: f"The customer has signed in, and has not paid yet.{until}",
        S.REQUIRES_ACTION: f"The customer is asked for a PIN or a passkey.{until}",
        S.PROCESSING: f"Being processed for {age(payment.updated_at, now)}."
        " It will complete or fail by itself; do not pay again.",
        S.COMPLETED: f"Paid {clock(payment.completed_at, now)}{_by(payment)}: {amount}.",
        S.FAILED: f"Not paid: {cause} ({clock(payment.failed_at, now)}).",
        S.EXPIRED: f"Expired {clock(payment.expires_at, now)} without being paid."
        " The shop has to create a new payment.",
        S.CANCELED: f"Canceled {clock(payment.canceled_at, now)}{_canceled_by(payment)}.",
    }
    return words[status]


def _by(payment: Payment) -> str:
    if payment.customer is None:
        return ""
    if payment.customer.erased_at:
        return " by a customer whose data was erased since"
    return f" by {payment.customer.masked_phone}"


def _canceled_by(payment: Payment) -> str:
    last = payment.transitions.order_by("-pk").first() if payment.canceled_at else None
    return f" by {actor_words(last.actor)}" if last else ""


def remedy_of(payment: Any, now: datetime) -> str:
    """Return what can be done about a payment that its customer did not make.

    The payment must have `refund_asked`, from `with_refunds_asked`.
    """
    status = payment.status_at(now)
    if status in CANCELABLE:
        return "Cancel it: not paid yet"
    if status == S.PROCESSING:
        return "Too late to cancel: refund it once it is paid"
    if status != S.COMPLETED:
        return "Nothing: it was not paid"
    left, asked = payment.amount_refundable, payment.refund_asked
    beyond = "" if asked <= left else f", and only {money(left, payment.currency)} is left"
    parts = (
        ("Refund {}", left - asked),
        (f"{{}} waits for approval{beyond}", asked),
        ("{} waits for the shop's balance", payment.amount_refund_pending),
    )
    sentences = [words.format(money(part, payment.currency)) for words, part in parts if part > 0]
    return "; ".join(sentences) or "Nothing left: refunded in full"


def _until(payment: Payment, now: datetime) -> str:
    if payment.merchant.status == MerchantStatus.SUSPENDED:
        return " The merchant is suspended: it cannot be paid."
    return f" It can be paid until {clock(payment.expires_at, now)}." if payment.expires_at else ""


def _not_taken(payment: Payment, now: datetime) -> Iterator[str]:
    """Yield what was added to the customer's wallet for it, or that no money has been taken."""
    added = [_added(top_up, now) for top_up in payment.top_ups.order_by("-pk")[:TOP_UPS_SHOWN]]
    yield from filter(None, added)
    if not any(added):
        yield "No money has been taken."


def _added(top_up: TopUp, now: datetime) -> str:
    """Describe where the money of a top-up is; empty if none has come, and none will."""
    status = top_up.status_at(now)
    if status in EVER_CREDITED:
        amount = money(top_up.amount_received, top_up.currency)
        words = (
            f"{amount} was added to the customer's wallet for it"
            f" ({clock(top_up.succeeded_at, now)}); none of it went to the shop by this payment."
        )
        if top_up.amount_reversed:
            back = money(top_up.amount_reversed, top_up.currency)
            words += f" {back} was taken back ({clock(top_up.reversed_at, now)})."
    elif status == TopUpStatus.PENDING:
        amount = money(top_up.amount, top_up.currency)
        words = (
            f"The customer is adding {amount} to the wallet for it, by"
            f" {top_up.get_way_display()}: not here yet."
        )
    else:
        return ""
    return with_link(words, top_up)


def _refunds(payment: Payment, now: datetime) -> Iterator[str]:
    """Yield what was refunded, what waits to be, and a failure after which nothing followed."""
    refunds = Refund.objects.filter(payment=payment)
    last = newest = refunds.order_by("-updated_at", "-pk").first()
    if newest and newest.status != RefundStatus.SUCCEEDED and payment.amount_refunded:
        done = refunds.filter(status=RefundStatus.SUCCEEDED)
        last = done.order_by("-succeeded_at", "-pk").first()
    if last and last.status == RefundStatus.SUCCEEDED:
        part = (
            "The full amount"
            if payment.refund_status == "full"
            else f"{money(payment.amount_refunded, payment.currency)} of"
            f" {money(payment.amount, payment.currency)}"
        )
        yield f"{part} was refunded, most recently {clock(last.succeeded_at, now)}."
    if payment.amount_refund_pending and (oldest := refunds.pending().order_by("pk").first()):
        waiting = money(payment.amount_refund_pending, payment.currency)
        since = clock(oldest.created_at, now)
        yield (
            f"{waiting} has been waiting to be refunded since {since}: the merchant's balance does"
            f" not cover it. {time_left(oldest, now)}"
        )
    if newest and newest.status == RefundStatus.FAILED:
        amount, at = money(newest.amount, newest.currency), clock(newest.failed_at, now)
        yield (
            f"A refund of {amount} failed {at}: {newest.failure_reason.rstrip('.')}."
            " The amount can be refunded again."
        )


def time_left(refund: Refund, now: datetime) -> str:
    """Describe what happens to a refund that its merchant's balance does not cover."""
    until = refund.created_at + GIVE_UP_AFTER
    if until <= now:
        return "Its time is up: it fails at any moment, unless the balance covers it now."
    return f"If it still does not by {clock(until, now)}, the refund fails."


def inquiry_words(inquiry: Inquiry, now: datetime) -> str:
    """Return the state of an inquiry, in a sentence.

    It leaves out who reported it: the inquiry's page marks which entries a signed-in customer
    wrote.
    """
    reported = InquiryReason(inquiry.reason).label.lower()
    if inquiry.open_since is not None:
        since = clock(inquiry.open_since, now)
        return (
            f"“{reported}” was reported on the receipt and has waited for an answer since {since}."
        )
    outcome = _OF_INQUIRY[InquiryStatus(inquiry.status)]
    when = clock(inquiry.updated_at, now)
    return f"“{reported}” was reported on the receipt; it {outcome} {when}."


def _paid_elsewhere(payment: Payment, now: datetime) -> Iterator[str]:
    """Yield other payments that may have paid the same. None if either has been refunded."""
    if payment.refund_status == "full":
        return
    name, found = _same_order(payment)
    twice = "Possibly paid twice: the same customer paid the same amount here"
    told = [(f"{name} was paid with another payment{_by(other)}", [other]) for other in found]
    told += [(twice, [other for other in _same_amount(payment) if other not in found])]
    for words, others in told:
        links = [
            (clock(each.completed_at, now), page_of(each), short_code(each.pk)) for each in others
        ]
        if others:
            places = format_html_join("; ", '{}, <a href="{}">{}</a>', links)
            yield format_html("{} ({}).", words, places)


def _same_order(payment: Payment) -> tuple[str, Sequence[Payment]]:
    """Return the shop's name for what is paid, and what others have paid for it."""
    word, field = ("Order", "order_id") if payment.order_id else ("Invoice", "invoice_number")
    value = getattr(payment, field)
    if not value:
        return "", ()
    others = Payment.objects.filter(
        merchant_id=payment.merchant_id, livemode=payment.livemode, status=S.COMPLETED
    ).exclude(Q(pk=payment.pk) | Q(amount_refunded=F("amount")))
    paid = others.filter(**{field: value}).select_related("customer")
    return f"{word} {value}", list(paid.order_by("completed_at", "pk")[:DUPLICATES_SHOWN])


def _same_amount(payment: Payment) -> Sequence[Payment]:
    """Return other payments of the same customer, shop and amount within an hour."""
    if payment.completed_at is None or payment.customer_id is None:
        return ()
    around = (payment.completed_at - SAME_WITHIN, payment.completed_at + SAME_WITHIN)
    same = Payment.objects.filter(
        customer_id=payment.customer_id,
        merchant_id=payment.merchant_id,
        amount=payment.amount,
        currency=payment.currency,
        completed_at__range=around,
        created_at__gt=around[0] - LONGEST_OPEN,
    ).exclude(Q(pk=payment.pk) | Q(amount_refunded=payment.amount))
    return list(same.order_by("-created_at", "-id")[:DUPLICATES_SHOWN])
