"""Notify customers of refunds, and of answers to problems that they reported.

By e-mail if there is an address, else by SMS. The address of an invoice will do for a refund.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext

from core.attempt_limits import AttemptLimit, count_within_all
from core.formats import money_and_code
from core.mailboxes import mailbox_of
from messages import sms
from messages.content import Content
from messages.models import Channel, Message
from messages.planning import plan_message
from payments.emails import content_about, context_of
from payments.models import Payment
from refunds.inquiry_statuses import ANSWERS, InquiryStatus
from refunds.models import Inquiry, InquiryEntry, Refund

KIND, INQUIRY = "refund", "inquiry"
DAY = timedelta(days=1)
# For refunds and answers together: texts per customer, of which one merchant may use up half, so
# that what others refund is told; and e-mails per merchant and mailbox.
TEXTS = AttemptLimit("refund-text", 20, DAY)
TEXTS_OF_ONE_MERCHANT = AttemptLimit("refund-text-merchant", 10, DAY)
MAILS = AttemptLimit("refund-mail", 20, DAY)
# What ends reports of a customer's own, apart from the above, so that no merchant uses it up.
ENDS_OF_REPORTS = AttemptLimit("report-end", 20, DAY)


def plan_notice(refund: Refund, payment: Payment, *, now: datetime) -> None:
    """Plan the notice of a successful refund."""
    _plan(payment, KIND, refund.id, f"{refund.id}:{KIND}", now)


def plan_answer(answer: InquiryEntry, payment: Payment, *, now: datetime) -> None:
    """Plan the notice that a customer's inquiry was answered or closed."""
    about = answer.inquiry_id
    _plan(payment, INQUIRY, about, f"{about}:{answer.pk}", now)


def channel_to_payer(payment: Payment) -> Channel | None:
    """Return how the customer who paid is told of an answer; None if no message can be sent.

    In test mode no text message is sent. Customers whose data has been erased get nothing.
    """
    way = _way_to_payer(payment, INQUIRY)
    return way[0] if way else None


def _way_to_payer(payment: Payment, kind: str) -> tuple[Channel, str] | None:
    """Return the channel and the address by which the customer who paid is told, if any.

    A live answer never goes to the address of the payment: the merchant chose that, and could hide
    from the customer that a report against it was answered or closed.
    """
    customer = payment.paying_customer
    if customer.erased_at is not None:
        return None
    of_invoice = "" if kind == INQUIRY and payment.livemode else payment.customer_email
    if email := customer.email or of_invoice:
        return Channel.EMAIL, email
    return (Channel.SMS, customer.phone) if customer.livemode else None


def _plan(payment: Payment, kind: str, about: str, key: str, now: datetime) -> None:
    """Plan a message to the customer who paid, if there is a way."""
    if way := _way_to_payer(payment, kind):
        channel, recipient = way
        plan_message(
            channel=channel,
            kind=kind,
            recipient=recipient,
            about=about,
            merchant_id=payment.merchant_id,
            livemode=payment.livemode,
            language=payment.paying_customer.language,
            key=key,
            now=now,
        )


def write(message: Message, now: datetime) -> Content | None:
    """Write the notice of a refund for the message's channel.

    None above the daily limit of notices; what settles a report of the customer's has its own.
    """
    refund = Refund.objects.select_related("payment__merchant").get(pk=message.about)
    is_end = _settles_own_report(refund)
    if not _has_room(message, refund.payment, now, ends_own_report=is_end):
        return None
    amount = money_and_code(refund.amount, refund.currency)
    if message.channel == Channel.SMS:
        return Content(_text(refund.payment.merchant.name, amount))
    context = context_of(refund.payment) | {"amount": amount}
    subject = gettext("Refund: %(amount)s from %(merchant)s") % context
    return content_about(refund.payment, template=KIND, subject=subject, context=context)


@transaction.atomic
def _has_room(message: Message, payment: Payment, now: datetime, *, ends_own_report: bool) -> bool:
    """Count a message against its daily limit, at the first attempt; return whether it fits.

    Not in the transaction of its cause, where many would wait for the counter. The limit is needed
    as a merchant can put any address on an invoice. Test messages go to the merchant: no limit.
    """
    if message.attempts > 1 or not message.livemode:
        return True
    if ends_own_report and _reaches_payer(message, payment):
        subject = payment.customer_id or ""
        if count_within_all([(ENDS_OF_REPORTS, subject)], now=now):
            return True
    customer, merchant = payment.customer_id or "", payment.merchant_id
    counted = [(TEXTS, customer), (TEXTS_OF_ONE_MERCHANT, f"{merchant} {customer}")]
    if message.channel == Channel.EMAIL:
        counted = [(MAILS, mailbox_of(f"{merchant} {message.recipient}"))]
    return count_within_all(counted, now=now)


def _reaches_payer(message: Message, payment: Payment) -> bool:
    """Return whether a message goes to the payer's own phone or address, not to an invoice's."""
    return message.recipient in (payment.paying_customer.phone, payment.paying_customer.email)


def write_answer(message: Message, now: datetime) -> Content | None:
    """Write the answer to a customer's inquiry; a text message only links to it.

    None for a merchant's answer above the daily limit: on receipts of its own sales, a merchant
    could report and answer without end. What the customer who paid has reported has its own limit.
    """
    inquiry = Inquiry.objects.select_related("payment__merchant").get(pk=message.about)
    answer, payment = _answer_of(message, inquiry), inquiry.payment
    context = context_of(payment)
    merchant = sms.sanitized(payment.merchant.name)
    is_merchant = answer.author == "merchant"
    is_end = _answers_own_report(answer, payment)
    if is_merchant and not _has_room(message, payment, now, ends_own_report=is_end):
        return None
    context |= {"answer": answer.text, "problem_url": f"{context['receipt_url']}/problem"}
    if message.channel == Channel.SMS:
        context["who"] = merchant if is_merchant else settings.SERVICE_NAME
        return Content(gettext("%(who)s has answered what you reported: %(problem_url)s") % context)
    context["who"] = context["merchant"] if is_merchant else settings.SERVICE_NAME
    subject = gettext("Answer from %(who)s: your payment of %(amount)s") % context
    return content_about(payment, template=INQUIRY, subject=subject, context=context)


def _settles_own_report(refund: Refund) -> bool:
    """Return whether a refund has settled a report by the customer who paid: at its own instant."""
    at = refund.succeeded_at or refund.created_at
    settled = InquiryEntry.objects.filter(
        inquiry__payment=refund.payment_id, status=InquiryStatus.REFUNDED, at=at
    )
    return any(_answers_own_report(entry, refund.payment) for entry in settled)


def _answers_own_report(answer: InquiryEntry, payment: Payment) -> bool:
    """Return whether the customer who paid has reported the problem since the last answer.

    Such an answer has a limit of its own: the merchant whom the report is about could use up the
    other by refunds of a cent, then end the report unheard.
    """
    earlier = InquiryEntry.objects.filter(inquiry=answer.inquiry_id, pk__lt=answer.pk)
    ends = earlier.exclude(status=InquiryStatus.OPEN).order_by("-pk")
    last_end = ends.values_list("pk", flat=True).first() or 0
    payer = f"customer:{payment.customer_id}"
    return earlier.filter(pk__gt=last_end, actor=payer).exists()


def _answer_of(message: Message, inquiry: Inquiry) -> InquiryEntry:
    """Return the answer that a message was planned for.

    Earlier releases did not store its id: then find it by its instant, which two answers may
    share, as it is the start of their request. A visitor's entries are not answers.
    """
    answers, number = inquiry.entries.filter(status__in=ANSWERS), message.key.partition(":")[2]
    if number:
        return answers.get(pk=number)
    return answers.filter(at=message.created_at).order_by("-pk")[0]


def _text(merchant: str, amount: str) -> str:
    return gettext("%(merchant)s has refunded %(amount)s to your %(service)s wallet.") % {
        "merchant": sms.sanitized(merchant),
        "amount": amount,
        "service": settings.SERVICE_NAME,
    }
