"""A customer's e-mail address: given on their own page, confirmed by a link that is sent there.

It still reaches an owner whose number someone else has, so changing it takes what a passkey takes,
and a PIN or passkey that is not new. Until the link is pressed, only its message holds it.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.conf import settings
from django.core.signing import BadSignature, TimestampSigner
from django.db import transaction
from django.db.models import Count, Max, QuerySet
from django.utils.translation import gettext, gettext_noop

from core.attempt_limits import AttemptLimit, count_or_refuse, count_within_all
from core.mailboxes import mailbox_of
from customers.account_changes import AccountChange, record_change
from customers.errors import NewProofLimitReached, ProofMethod, ProofNeeded
from customers.models import Customer, CustomerSession
from customers.new_proofs import doubtful_until, new_until
from customers.passkeys import refuse_unproven
from customers.security_alerts import SecurityChange, plan_notice
from customers.sessions import lock_customer_of
from customers.tokens import hash_of
from messages.content import Content
from messages.models import Channel, Message, MessageStatus
from messages.planning import plan_message

KIND = "confirm_address"
LIFETIME = timedelta(hours=24)
DAY = timedelta(days=1)
PER_CUSTOMER = AttemptLimit("address-customer", 5, DAY)
PER_NETWORK = AttemptLimit("address-network", 30, DAY)
PER_MAILBOX = AttemptLimit("address-mailbox", 5, DAY)
# From one customer to a mailbox, whatever others have requested.
OF_ONES_OWN = AttemptLimit("address-own", 1, DAY)
_SALT = "customers.own-email"
NUMBER_DIGITS = 8  # zero-padded, so that keys sort
SUBJECT = gettext_noop("%(service)s: confirm your e-mail address")
TEXT = gettext_noop(
    "This address was given for the notices and receipts of a %(service)s wallet. Confirm that it "
    "is yours:\n\n%(link)s\n\nThe link works for %(hours)d hours. If you have not asked for this, "
    "do nothing: no more is sent here."
)


@dataclass(frozen=True)
class EmailClaim:
    """The customer and the address that a link confirms, and whether it has done so."""

    customer: Customer
    email: str
    is_confirmed: bool


def named_from(customer: Customer, now: datetime) -> datetime | None:
    """Return from when a customer may give an address; None if that is now.

    A newcomer may give the first one at once; a thief of the number may not replace it.
    """
    return new_until(customer, now) if customer.email else doubtful_until(customer, now)


def has_only_phone(customer: Customer) -> bool:
    """Return whether nothing but the phone protects a customer: an address needs more."""
    return not customer.has_pin and not customer.passkeys.usable().exists()


@transaction.atomic
def name_email(*, session: CustomerSession, email: str, network: str, now: datetime) -> None:
    """Plan the e-mail whose link makes this the customer's address; it voids any earlier link.

    A mailbox gets few a day, whichever customers name it, and beyond these one from each customer,
    so that strangers cannot use up its owner's. Past that nothing is sent, and no one is told; an
    earlier link to another address is void all the same. Raises ProofNeeded, NewProofLimitReached,
    CustomerFrozen, RateLimited, and VerificationFailed if this session has ended meanwhile.
    """
    customer, leaves = _lock_proven(session, now), True
    if customer.livemode:
        count_or_refuse([(PER_CUSTOMER, customer.pk), (PER_NETWORK, network)], now=now)
        mailbox = mailbox_of(email)
        budgets = ((OF_ONES_OWN, f"{customer.pk}:{mailbox}"), (PER_MAILBOX, mailbox))
        leaves = any(count_within_all([budget], now=now) for budget in budgets)
    plan_message(
        channel=Channel.EMAIL,
        kind=KIND,
        recipient=email,
        about=customer.pk,
        merchant_id=customer.merchant_id or "",
        livemode=customer.livemode,
        language=customer.language,
        key=_next_key(customer),
        is_needed=leaves,
        now=now,
    )


@transaction.atomic
def remove_email(*, session: CustomerSession, now: datetime) -> None:
    """Remove the customer's address, and notify it. Raises what `name_email` raises."""
    customer = _lock_proven(session, now)
    if customer.email:
        _replace(customer, "", SecurityChange.EMAIL_REMOVED, now)


def write(message: Message, now: datetime) -> Content | None:
    """Write the e-mail, with a new link; None if something has overtaken it.

    It contains no words of the customer's: anyone who is signed in chooses where it goes.
    """
    if _is_overtaken(Customer.objects.get(pk=message.about), message):
        return None
    token = TimestampSigner(salt=_SALT).sign(message.pk)
    values = {
        "service": settings.SERVICE_NAME,
        "link": f"{settings.CHECKOUT_URL}/confirm-address/{token}",
        "hours": LIFETIME // timedelta(hours=1),
    }
    subject = gettext(SUBJECT) % values
    if not message.livemode:
        subject = gettext("[Test] %(subject)s") % {"subject": subject}
    return Content(subject=subject, text=gettext(TEXT) % values)


def read_claim(token: str) -> EmailClaim | None:
    """Return what a link confirms; None if it is not ours, is too old, or was overtaken."""
    message = _message_of(token)
    if message is None:
        return None
    return _claim(Customer.objects.get(pk=message.about), message)


@transaction.atomic
def confirm_address(*, token: str, now: datetime) -> EmailClaim | None:
    """Make a link's address the customer's; the phone and the previous address are notified.

    Returns None as `read_claim` does. Raises RateLimited.
    """
    message = _message_of(token)
    if message is None:
        return None
    customer = Customer.objects.locked(message.about)
    claim = _claim(customer, message)
    if claim is None or claim.is_confirmed:
        return claim
    change = SecurityChange.EMAIL_CHANGED if customer.email else SecurityChange.EMAIL_SET
    _replace(customer, claim.email, change, now)
    return replace(claim, is_confirmed=True)


def _lock_proven(session: CustomerSession, now: datetime) -> Customer:
    customer = lock_customer_of(session)
    refuse_unproven(session, now)
    if has_only_phone(customer):
        raise ProofNeeded(ProofMethod.PIN)
    if named_from(customer, now):
        raise NewProofLimitReached
    return customer


def _replace(customer: Customer, email: str, change: SecurityChange, now: datetime) -> None:
    """Change the address of a locked customer, after planning the notice to the previous one."""
    plan_notice(customer, change, now=now)
    customer.email, customer.updated_at = email, now
    customer.save(update_fields=["email", "updated_at"])
    kind = AccountChange.EMAIL_SET if email else AccountChange.EMAIL_REMOVED
    record_change(customer.pk, kind, actor=f"customer:{customer.pk}", now=now)


def _message_of(token: str) -> Message | None:
    """Return the message of a link; it is gone once the person was erased."""
    try:
        message_id = TimestampSigner(salt=_SALT).unsign(token, max_age=LIFETIME)
    except BadSignature:
        return None
    return Message.objects.filter(pk=message_id).first()


def _claim(customer: Customer, message: Message) -> EmailClaim | None:
    is_confirmed = customer.frozen_at is None and customer.email == message.recipient
    if not is_confirmed and _is_overtaken(customer, message):
        return None
    return EmailClaim(customer, message.recipient, is_confirmed)


def _is_overtaken(customer: Customer, message: Message) -> bool:
    """Return whether a link is void: a newer link, PIN, address or freeze has come since.

    Or a passkey was removed. The link may have been requested by the one whom that was to shut out.
    """
    newer = _links_of(customer).filter(key__gt=message.key)
    newer = newer.exclude(status=MessageStatus.NOT_NEEDED, recipient=message.recipient)
    is_shut_out = customer.frozen_at is not None or newer.exists()
    number = message.key.removeprefix(f"{customer.pk}:").partition(":")[0]
    return is_shut_out or message.key != _key_of(customer, number)


def _next_key(customer: Customer) -> str:
    """Return the key of the next link of a locked customer."""
    last: str | None = _links_of(customer).aggregate(key=Max("key"))["key"]
    number = int(last.split(":")[1]) + 1 if last else 1
    return _key_of(customer, f"{number:0{NUMBER_DIGITS}}")


def _links_of(customer: Customer) -> QuerySet[Message]:
    """Return the numbered messages; a link from an earlier release has no number, and is void."""
    return Message.objects.filter(about=customer.pk, key__startswith=f"{customer.pk}:")


def _key_of(customer: Customer, number: str) -> str:
    """Return the key of one of the customer's links: its number, and the state it relies on.

    That is the PIN, the removed passkeys and the changes of the account. No instants are compared,
    nor ids, which begin with one: each is from the start of a request, and a PIN may be hashed for
    seconds while a link is requested. Numbers are assigned under the customer's lock.
    """
    gone = customer.passkeys.aggregate(removed=Count("removed_at"), copied=Max("copied_at"))
    last = customer.changes.aggregate(pk=Max("pk"))["pk"]
    state = hash_of(f"{customer.pin_set_at} {gone['removed']} {gone['copied']} {last}")
    return f"{customer.pk}:{number}:{state}"
