"""Send a customer a request to pay: a text or an e-mail with the URL of a payment or link.

Texts cost money and e-mails carry our name, so both are limited per recipient, object and
merchant, and texts per country too. In test mode e-mails go to the merchant, and no text is sent.
"""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction

from core.attempt_limits import AttemptLimit, count_or_refuse, forget_attempts
from core.errors import ValidationFailed
from core.formats import moment_of, money
from core.mailboxes import mailbox_of
from core.text import isolated
from customers.code_budgets import served_country
from links.models import PaymentLink
from links.statuses import LinkStatus
from merchants.callers import Caller
from merchants.standing import refuse_ended_key
from merchants.statuses import MerchantStatus
from messages import sms
from messages.content import Content
from messages.models import Channel, Message
from messages.planning import plan_message
from messages.redirection import Undeliverable
from payments.models import Payment
from payments.statuses import PAYABLE

KIND = "pay_request"
DAY = timedelta(days=1)
PER_OBJECT = AttemptLimit("pay-request-object", 3, DAY)
PER_RECIPIENT = AttemptLimit("pay-request-recipient", 5, DAY)
PER_MERCHANT = AttemptLimit("pay-request-merchant", 200, DAY)
MOST_SLUG_DIGITS = 6  # seven are a phone number
# Unless they are years, each by itself between words: bar-1492-est-1968.
_YEAR = re.compile(r"\b(?:1[4-9]|20)[0-9]{2}\b")
_SIDE_BY_SIDE = re.compile("[0-9]-+[0-9]")


@dataclass(frozen=True)
class Recipient:
    """Where a request is sent: an e-mail address, or a phone number in E.164."""

    channel: Channel
    address: str


@transaction.atomic
def send_payment(
    *, caller: Caller, payment_id: str, recipient: Recipient, now: datetime
) -> Payment:
    """Send a customer the checkout URL of a payment (`POST /v1/payments/:id/send`).

    Raises PaymentNotFound, the error of its current status or of its link's, CountryNotServed,
    RateLimited, and as `refuse_ended_key` if the key or the merchant has been stopped meanwhile.
    """
    payment = Payment.objects.visible_to(caller).select_related("merchant", "link").one(payment_id)
    if payment.status_at(now) not in PAYABLE:
        raise payment.refusal(now)
    payment.refuse_ended_link(now)
    _plan(payment, recipient, now)
    refuse_ended_key(caller)
    return payment


@transaction.atomic
def send_link(*, caller: Caller, link_id: str, recipient: Recipient, now: datetime) -> PaymentLink:
    """Send a customer the URL of a payment link (`POST /v1/payment-links/:id/send`).

    Raises PaymentLinkNotFound, the error of its current status, as `count_request`, and as
    `refuse_ended_key` if the key or the merchant has been stopped meanwhile.
    """
    link = PaymentLink.objects.visible_to(caller).select_related("merchant").one(link_id)
    link.refuse_ended(now)
    _plan(link, recipient, now)
    refuse_ended_key(caller)
    return link


def write(message: Message, now: datetime) -> Content:
    """Return a request as it was planned. Raises Undeliverable if it can no longer be paid.

    It may have waited for a mail server or for texts to resume; its merchant may be suspended now.
    """
    link = PaymentLink.objects.select_related("merchant").filter(pk=message.about).first()
    row = link or Payment.objects.select_related("merchant", "link").get(pk=message.about)
    if row.merchant.status == MerchantStatus.SUSPENDED:
        raise Undeliverable("The merchant is suspended.")
    status = row.status_at(now)
    if status != LinkStatus.ACTIVE and status not in PAYABLE:
        raise Undeliverable(f"It can be paid no more: it is {status.label.lower()}.")
    if isinstance(row, Payment) and row.link and row.link.status_at(now) != LinkStatus.ACTIVE:
        raise Undeliverable("It can be paid no more: its payment link has ended.")
    return Content(message.text, message.subject)


def _refuse_number_in_slug(slug: str) -> None:
    """Raise ValidationFailed if a link's URL reads as a phone number, as no name in a text may."""
    besides_years = slug if _SIDE_BY_SIDE.search(slug) else _YEAR.sub("", slug)
    has_others = any(map(str.isdecimal, besides_years))
    if has_others and sum(map(str.isdecimal, slug)) > MOST_SLUG_DIGITS:
        rule = f"cannot be sent this URL, as {slug} reads as a phone number: send it by e-mail"
        raise ValidationFailed(phone=rule)


def _plan(row: Payment | PaymentLink, recipient: Recipient, now: datetime) -> None:
    count_request(row, recipient, now)
    by_mail = recipient.channel == Channel.EMAIL
    merchant = row.merchant
    whole = " ".join(merchant.name.split())
    name = isolated(whole) if by_mail else sms.sanitized(whole)
    plan_message(
        channel=recipient.channel,
        kind=KIND,
        recipient=recipient.address,
        about=row.pk,
        merchant_id=merchant.pk,
        livemode=row.livemode,
        subject=f"Payment to {whole}"[:200],
        text=_text(row, name),
        now=now,
    )


def _text(row: Payment | PaymentLink, name: str) -> str:
    what = f"{money(row.amount, row.currency)} to {name}" if row.amount else f"to {name}"
    until = f", until {moment_of(row.expires_at, row.merchant.time_zone)}" if row.expires_at else ""
    return f"Pay {what} here{until}: {row.url} ({settings.SERVICE_NAME})"


def reset_request_count(merchant_id: str) -> None:
    """Begin a new count of a merchant's live requests, which a thief of its key has used up."""
    forget_attempts(PER_MERCHANT, _counted_as(merchant_id, livemode=True))


def count_request(row: Payment | PaymentLink, recipient: Recipient, now: datetime) -> None:
    """Count a request against every limit.

    Raises CountryNotServed, RateLimited above a limit, and ValidationFailed for a text with a link
    whose URL reads as a phone number. A test request reaches only its merchant, and uses up no one
    else's limit.
    """
    if recipient.channel == Channel.SMS and isinstance(row, PaymentLink):
        _refuse_number_in_slug(row.merchant.slug)
    mailbox = mailbox_of(recipient.address)
    counted = [
        (PER_OBJECT, row.pk),
        (PER_RECIPIENT, mailbox if row.livemode else f"{row.merchant_id} {mailbox}"),
        (PER_MERCHANT, _counted_as(row.merchant_id, livemode=row.livemode)),
    ]
    if recipient.channel == Channel.SMS and row.livemode:
        country = served_country(recipient.address)
        a_day = settings.SMS_PER_COUNTRY[-1]
        counted.append((AttemptLimit("pay-request-country", a_day, DAY), country))
    count_or_refuse(counted, now=now)


def _counted_as(merchant_id: str, *, livemode: bool) -> str:
    return f"{merchant_id} {livemode}"
