"""Payments through a link, from the start to the ledger's proof"""

from datetime import timedelta

import pytest
import time_machine

from checkout.new_payments import form_key, start_through_link
from core.clock import iso, utc_now
from links.models import LinkUse
from links.statistics import write_counts
from payments.models import Payment
from payments.reconciliation import check_payments
from payments.tasks import settle_payments
from tests.events import event_types
from tests.links.conftest import new_link

SLOW_PHONE, LACKING_PHONE = "+1 242 555 0104", "+1 242 555 0101"


def start(link):
    """Begin to pay as a customer does on the page of the link."""
    payment_id = start_through_link(link_id=link.id, key="", amount=None, now=utc_now())
    return Payment.objects.get(pk=payment_id)


def confirm(api, payment, phone=None):
    body = {} if phone is None else {"customer_phone": phone}
    return api(payment.merchant).post(f"/v1/payments/{payment.id}/confirm", body)


def test_a_payment_counts_as_a_use_when_it_completes(api, link):
    payment = start(link)
    assert not LinkUse.objects.exists()

    assert confirm(api, payment).status_code == 200

    assert LinkUse.objects.get().payment_id == payment.id
    assert event_types("payment_link.p") == ["payment_link.payment.completed"]
    assert list(check_payments()) == []


def test_a_form_sent_twice_starts_one_payment_and_counts_once(link, settings):
    settings.GATHER_SECONDS = 3600
    key = form_key(link.id, now=utc_now())

    first, second = (
        start_through_link(link_id=link.id, key=key, amount=None, now=utc_now()) for _ in range(2)
    )

    assert first == second
    write_counts()
    link.refresh_from_db()
    assert link.started_count == 1


def test_a_payment_expires_with_its_link(api, merchant, link):
    ends = utc_now() + timedelta(hours=1)
    ending = new_link(api, merchant, expires_at=iso(ends))

    assert start(ending).expires_at == ends
    assert start(link).expires_at > utc_now() + timedelta(hours=23)


def test_only_as_many_payments_complete_as_the_link_allows(api, merchant):
    link = new_link(api, merchant, max_uses=1)
    first, second = start(link), start(link)

    answers = [confirm(api, first), confirm(api, second)]

    assert [answer.status_code for answer in answers] == [200, 422]
    assert answers[1].json()["code"] == "PAYMENT_LINK_INACTIVE"
    assert Payment.objects.get(pk=second.pk).status == "created"


def test_a_payment_through_a_link_that_was_deactivated_is_refused(api, merchant, link):
    payment = start(link)
    api(merchant).post(f"/v1/payment-links/{link.id}/deactivate")

    answer = confirm(api, payment)

    assert (answer.status_code, answer.json()["code"]) == (422, "PAYMENT_LINK_INACTIVE")
    assert not LinkUse.objects.exists()


def test_a_failed_payment_is_no_use(api, link):
    confirm(api, start(link), LACKING_PHONE)

    assert not LinkUse.objects.exists()
    assert list(check_payments()) == []


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda api, link: None, None),
        (
            lambda api, link: api(link.merchant).post(f"/v1/payment-links/{link.id}/deactivate"),
            "PAYMENT_LINK_INACTIVE",
        ),
    ],
)
def test_a_slow_payment_completes_or_fails_with_its_link(api, link, end, code):
    payment = start(link)
    assert confirm(api, payment, SLOW_PHONE).json()["status"] == "processing"
    end(api, link)

    with time_machine.travel(utc_now() + timedelta(seconds=31), tick=False):
        settle_payments()

    payment.refresh_from_db()
    assert (payment.status, payment.error_code) == ("failed" if code else "completed", code)
    assert LinkUse.objects.count() == (0 if code else 1)
    assert list(check_payments()) == []


def test_the_proof_names_a_payment_without_its_use_and_a_use_without_its_payment(api, link):
    payment = start(link)
    confirm(api, payment)
    LinkUse.objects.update(payment_id="pay_x")
    use = LinkUse.objects.get()

    assert list(check_payments()) == [
        f"Payment {payment.id} is completed without the use of its link.",
        f"Use {use.pk} of link {link.id} is of no completed pay_x.",
    ]


def test_the_proof_names_a_use_of_another_link_or_amount(api, merchant, link):
    payments = [start(each) for each in (link, link, new_link(api, merchant))]
    for payment in payments:
        confirm(api, payment)
    assert list(check_payments()) == []
    missing = f"Payment {payments[0].id} is completed without the use of its link."
    use = LinkUse.objects.filter(payment_id=payments[0].id)

    use.update(amount=use.get().amount + 1)
    assert list(check_payments()) == [missing]
    use.update(amount=use.get().amount - 1, link=payments[2].link_id)
    assert list(check_payments()) == [
        missing,
        f"Use {use.get().pk} of link {payments[2].link_id} is of no completed {payments[0].id}.",
    ]
