"""What customers are told of money that has come in, or that was taken back"""

from datetime import timedelta

import pytest

from core.clock import utc_now
from customers.erasure import erase_customer
from customers.models import Customer, CustomerSession
from funding.continuing import follow_up, store_verification, stored_verification
from funding.models import PaymentProof, TopUp
from funding.notices import plan_receipt, plan_reversal
from funding.reversal import reverse_top_up
from funding.services import credit_top_up
from messages.models import Message
from payments.verification import Verification
from tests.funding.money_in import LIVE, customer_with, held, ordered

pytestmark = pytest.mark.django_db
TOLD = (
    *("channel", "recipient", "subject", "text", "language", "merchant_id", "livemode"),
    *("about", "key"),
)


def told():
    return list(Message.objects.order_by("channel").values_list(*TOLD))


def received(customer, payment=None):
    top_up = ordered(customer, 2_000, "bank_transfer", payment)
    credit_top_up(top_up_id=top_up.pk, amount=2_000, actor="staff:ann", now=utc_now())
    top_up.refresh_from_db()
    return top_up


def test_on_every_channel_in_the_customers_language(settings):
    customer = customer_with(0, LIVE, livemode=True)
    Customer.objects.update(email="ann@example.com", language="fr")
    top_up = received(customer)

    page = f"{settings.CHECKOUT_URL}/top-ups/{top_up.pk}"
    both = ("fr", "", True, top_up.pk)
    text = f"20,00\u00a0B$ BSD ont été ajoutés à votre portefeuille Payments. Reçu : {page}"
    subject = "20,00\u00a0B$ BSD ajoutés à votre portefeuille Payments"
    assert told() == [
        ("email", "ann@example.com", subject, text, *both, f"{top_up.pk}:email"),
        ("sms", LIVE, "", text, *both, f"{top_up.pk}:sms"),
    ]


def test_of_a_reversal_once_more():
    top_up = received(customer_with(0, LIVE, livemode=True))
    Message.objects.all().delete()
    top_up.amount_reversed = 900

    plan_reversal(top_up, now=utc_now())

    [(_, recipient, _, text, *_, key)] = told()
    assert (recipient, key) == (LIVE, f"{top_up.pk}:reversed:sms")
    why = "it did not reach us, or was not for you. See: "
    assert text.startswith(f"B$9.00 BSD was taken back from your Payments wallet: {why}")


def test_no_one_whose_data_was_erased():
    customer = customer_with(0, LIVE, livemode=True)
    top_up = received(customer)
    erase_customer(customer_id=customer.pk, actor="staff:ann", cause="ins_1", now=utc_now())
    Message.objects.all().delete()

    reverse_top_up(
        top_up_id=top_up.pk, amount=900, cause="Sent twice", actor="staff:ann", now=utc_now()
    )

    top_up.refresh_from_db()
    assert (held(customer), top_up.status, told()) == (1_100, "reversed", [])


def test_of_money_for_a_payment_its_merchant_in_test_mode(payment_of, settings):
    payment = payment_of(150)
    top_up = received(customer_with(0), payment)
    assert told() == []

    plan_receipt(top_up, now=utc_now(), says="%(price)s %(payee)s %(pay)s")

    [(_, _, _, text, _, merchant_id, livemode, *_)] = told()
    assert (merchant_id, livemode) == (payment.merchant_id, False)
    address = f"{settings.CHECKOUT_URL}/checkout/{payment.pk}"
    assert text == f"B$1.50 BSD {payment.merchant.name} {address}"


def test_a_payment_is_followed_up_once(payment_of):
    customer = customer_with(0)
    first, second = (received(customer, payment_of(amount)) for amount in (150, 160))
    received(customer)  # for no payment

    done = [follow_up(top_up_id=first.pk, now=utc_now()) for _ in range(2)]

    assert done == [True, False]
    assert list(TopUp.objects.to_follow_up()) == [second]
    first.refresh_from_db()
    assert first.followed_up_at == first.updated_at > first.succeeded_at


def test_a_proof_counts_for_one_payment_and_customer_until_the_session_ends(payment_of):
    customer, payment, other = customer_with(0), payment_of(150), payment_of(160)
    session = CustomerSession.objects.create(
        customer=customer, livemode=False, token_hash="x", created_at=utc_now(),
        last_seen_at=utc_now(), expires_at=utc_now() + timedelta(hours=1),
    )  # fmt: skip
    for verified in (Verification.PASSKEY, Verification.PIN):
        store_verification(payment=payment, session=session, verified=verified, now=utc_now())

    assert stored_verification(payment, customer.pk) is Verification.PIN
    assert stored_verification(other, customer.pk) is stored_verification(payment, "cus_x") is None
    payment.description = "Something else"
    assert stored_verification(payment, customer.pk) is None
    payment.refresh_from_db()
    PaymentProof.objects.update(description=None)  # a row from before it was kept
    assert stored_verification(payment, customer.pk) is None
    PaymentProof.objects.update(description=payment.description)
    assert stored_verification(payment, customer.pk) is Verification.PIN
    CustomerSession.objects.update(ended_at=utc_now())
    assert stored_verification(payment, customer.pk) is None
