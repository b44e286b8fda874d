"""Customers who add money, and the bank that tells of it."""

from datetime import timedelta

from core.clock import utc_now
from customers.erasure import erase_customer
from customers.models import CustomerQuerySet
from customers.services import find_or_create, test_customer
from customers.services import top_up as put_into_wallet
from funding.models import TopUp
from funding.services import order_top_up
from funding.tasks import collect_top_ups
from ledger.models import Account, Purpose
from merchants.models import Merchant
from tests.checkout.shopper import signed_in_at
from tests.factories import MerchantFactory
from tests.payouts.bank_files import entry, notification, read, statement

POOR = "+12425550108"
LIVE = "+12424567890"
NO_TOP_UP = "It names none of our top-ups. If a customer sent it, credit their wallet."


def customer_with(amount, phone=POOR, *, livemode=False):
    if livemode:
        customer = find_or_create(phone=phone, now=utc_now())
    else:
        merchant = Merchant.objects.first() or MerchantFactory()
        customer = test_customer(phone, utc_now(), merchant_id=merchant.pk)
    if amount:
        put_into_wallet(customer=customer, amount=amount, currency="BSD", now=utc_now())
    return customer


def ordered(customer, amount=2_000, way="bank_transfer", payment=None):
    return order_top_up(
        customer_id=customer.pk,
        way=way,
        amount=amount,
        currency="BSD",
        payment=payment,
        now=utc_now(),
    )


def transfer(amount, words, reference="IN 1", end_to_end_id="NOTPROVIDED", **options):
    """An entry that brings money in, with what the payer wrote."""
    details = (
        f"<NtryDtls><TxDtls><Refs><EndToEndId>{end_to_end_id}</EndToEndId></Refs>"
        f"<RmtInf><Ustrd>{words}</Ustrd></RmtInf></TxDtls></NtryDtls>"
    )
    return entry(amount, direction="CRDT", reference=reference, details=details, **options)


def booked(*entries, livemode=True, message_id="M-1", number="2026-1"):
    content = statement(*entries, message_id=message_id, number=number)
    return read(content, livemode=livemode)


def notified(*entries, livemode=True, **names):
    return read(notification(*entries, **{"message_id": "N-1", **names}), livemode=livemode)


def held(customer):
    found = Account.objects.filter(owner=customer.pk, purpose=Purpose.WALLET).first()
    return found.balance if found else 0


def short_of_money(payment, phone=POOR):
    """Sign in with a wallet that holds too little, up to the page that says so."""
    return signed_in_at(payment, phone)


def added():
    """Let the money of a simulated top-up arrive, and the payment go on."""
    earlier = TopUp.objects.latest("created_at")
    TopUp.objects.filter(pk=earlier.pk).update(created_at=earlier.created_at - timedelta(seconds=3))
    return collect_top_ups()


def erased(customer):
    erase_customer(customer_id=customer.pk, actor="staff:ann", cause="ins_1", now=utc_now())


def erase_first(customer, monkeypatch):
    """Have a customer found erased by who locks the row, as one who has read it before would."""
    locked, waiting = CustomerQuerySet.locked, [customer]

    def erased_then(rows, pk):
        if waiting:
            erased(waiting.pop())
        return locked(rows, pk)

    monkeypatch.setattr(CustomerQuerySet, "locked", erased_then)
