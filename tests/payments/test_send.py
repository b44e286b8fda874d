"""A merchant sends a customer where to pay, by text or e-mail, within limits."""

from typing import Any

import pytest
from django.core import mail

from core.clock import utc_now
from links.models import PaymentLink
from merchants.services import set_status
from merchants.statuses import MerchantStatus
from messages.models import Channel, Message
from messages.tasks import send_messages
from payments.pay_requests import PER_MERCHANT, PER_OBJECT, PER_RECIPIENT
from payments.statuses import PaymentStatus
from tests.factories import MerchantFactory, PaymentFactory
from tests.links.conftest import new_link
from tests.payments.journeys import bring_to

EMAIL = {"email": "ana@example.com"}
PHONE = {"phone": "+1 242 357 0123"}


def live_payment(merchant):
    return PaymentFactory(merchant=merchant, livemode=True)


def test_it_plans_an_email_with_the_address(api, merchant):
    payment = live_payment(merchant)
    response = api(merchant, live=True).post(f"/v1/payments/{payment.id}/send", EMAIL)

    message = Message.objects.get()
    assert response.status_code == 200
    assert (response.json()["id"], response.json()["channel"]) == (payment.id, "email")
    assert response.json()["sent_to"] == "ana@example.com"
    assert (message.channel, message.recipient) == (Channel.EMAIL, "ana@example.com")
    assert response.json()["url"].endswith(payment.hosted_url)
    assert message.text == (
        f"Pay B$12.50 to {merchant.name} here, until 19\u00a0Mar\u00a02026, 11:04\u00a0am:"
        f" {response.json()['url']} (Payments)"
    )


def test_a_right_to_left_name_is_isolated_by_mail_and_not_in_a_text(api):
    """A text has no room for what is not seen, and its name no letters but its own."""
    merchant = MerchantFactory(name="\u05e9\u05dc\u05d5\u05dd 9")
    payment = live_payment(merchant)
    for recipient in (EMAIL, PHONE):
        api(merchant, live=True).post(f"/v1/payments/{payment.id}/send", recipient)

    by_mail, by_phone = (Message.objects.get(channel=each) for each in (Channel.EMAIL, Channel.SMS))
    assert f"B$12.50 to \u2068{merchant.name}\u2069 here" in by_mail.text
    assert f"B$12.50 to {merchant.name} here" in by_phone.text


def test_it_plans_a_text_in_which_the_name_is_harmless(api, settings):
    merchant = MerchantFactory(name="Call 919 242 now.example.com")
    payment = live_payment(merchant)
    api(merchant, live=True).post(f"/v1/payments/{payment.id}/send", PHONE)

    message = Message.objects.get()
    assert (message.channel, message.recipient) == (Channel.SMS, "+12423570123")
    assert "919" not in message.text.replace(payment.id, "")
    assert "now.example" not in message.text


@pytest.mark.parametrize("live", [True, False])
@pytest.mark.parametrize(
    "slug",
    [
        "fraud-desk-call-900-555-0100",
        "call-5550-or-1968",
        "call-1900--2026",
        "call1900-and-est2026",
        "call-1900th-and-2026",
        "call-1399-or-1968",
        "call-2100-or-1968",
    ],
)
def test_no_text_has_a_number_to_call_in_the_url_of_a_link(api, live, slug):
    """The name lost its digits; the slug, from the same name, stood in the URL with them."""
    merchant = MerchantFactory(slug=slug)
    key = api(merchant, live=live)
    link = key.post("/v1/payment-links", {"amount": 100}).json()["id"]

    refused = key.post(f"/v1/payment-links/{link}/send", PHONE)

    assert (refused.status_code, refused.json()["code"]) == (422, "VALIDATION_FAILED")
    assert refused.json()["details"].startswith("phone: cannot be sent this URL")
    assert Message.objects.count() == 0
    assert key.post(f"/v1/payment-links/{link}/send", EMAIL).status_code == 200


@pytest.mark.parametrize("slug", ["regatta-24-2026", "bar-1492-est-1968"])
def test_the_years_in_a_slug_keep_no_link_out_of_a_text(api, slug):
    merchant = MerchantFactory(slug=slug)
    link = api(merchant).post("/v1/payment-links", {"amount": 100}).json()["id"]

    assert api(merchant).post(f"/v1/payment-links/{link}/send", PHONE).status_code == 200


def test_a_text_without_an_amount_or_an_end_says_none(api, merchant):
    merchant.name = "M" * 200
    merchant.save(update_fields=["name"])
    link = api(merchant).post("/v1/payment-links", {}).json()["id"]
    url = api(merchant).post(f"/v1/payment-links/{link}/send", EMAIL).json()["url"]

    message = Message.objects.get()
    assert message.text == f"Pay to {'M' * 200} here: {url} (Payments)"
    assert message.subject == f"Payment to {'M' * 189}"


def test_it_sends_a_link(api, merchant):
    link = new_link(api, merchant)
    response = api(merchant).post(f"/v1/payment-links/{link.id}/send", EMAIL)

    assert response.json()["url"] == PaymentLink.objects.get().url
    assert PaymentLink.objects.get().url in Message.objects.get().text


def test_in_test_mode_only_the_merchant_gets_it(api, merchant, payment):
    api(merchant).post(f"/v1/payments/{payment.id}/send", EMAIL)
    api(merchant).post(f"/v1/payments/{payment.id}/send", PHONE)
    send_messages()

    assert [message.to for message in mail.outbox] == [[merchant.email]]
    assert set(Message.objects.values_list("channel", "status")) == {
        ("email", "sent"), ("sms", "not_needed"),
    }  # fmt: skip


def test_a_repeat_under_one_key_sends_once(api, merchant, payment):
    for _ in range(2):
        api(merchant).post(f"/v1/payments/{payment.id}/send", EMAIL, idempotency_key="a")

    assert Message.objects.count() == 1


def test_one_object_is_sent_a_few_times_a_day(api, merchant, payment):
    answers = [
        api(merchant).post(f"/v1/payments/{payment.id}/send", EMAIL)
        for _ in range(PER_OBJECT.times + 1)
    ]

    assert answers[-1].status_code == 429
    assert int(answers[-1]["Retry-After"]) > 0
    assert Message.objects.count() == PER_OBJECT.times


def test_one_recipient_gets_a_few_a_day_from_all_merchants_together(api):
    for number in range(PER_RECIPIENT.times + 1):
        merchant = MerchantFactory()
        payment = live_payment(merchant)
        tagged = {"email": f"Ana+{number}@example.com"}
        last = api(merchant, live=True).post(f"/v1/payments/{payment.id}/send", tagged).status_code
        assert last == (429 if number == PER_RECIPIENT.times else 200)


def test_tests_use_up_what_their_own_merchant_may_test(api, merchant):
    """A test key took the day's requests to an address from every live merchant."""
    for number in range(PER_RECIPIENT.times + 1):
        payment = PaymentFactory(merchant=merchant)
        last = api(merchant).post(f"/v1/payments/{payment.id}/send", EMAIL).status_code
        assert last == (429 if number == PER_RECIPIENT.times else 200)

    other = MerchantFactory()
    tested, sold = PaymentFactory(merchant=other), live_payment(other)
    assert api(other).post(f"/v1/payments/{tested.id}/send", EMAIL).status_code == 200
    assert api(other, live=True).post(f"/v1/payments/{sold.id}/send", EMAIL).status_code == 200


def test_one_merchant_sends_so_many_a_day(api, merchant, payment, monkeypatch):
    assert PER_MERCHANT.times == 200
    monkeypatch.setattr(
        "payments.pay_requests.PER_MERCHANT", type(PER_MERCHANT)("few", 1, PER_MERCHANT.within)
    )
    other = PaymentFactory(merchant=merchant)
    first = api(merchant).post(f"/v1/payments/{payment.id}/send", EMAIL)
    second = api(merchant).post(f"/v1/payments/{other.id}/send", {"email": "bo@example.com"})

    assert (first.status_code, second.status_code) == (200, 429)


@pytest.mark.parametrize("body", [{}, EMAIL | PHONE, {"phone": "12"}, {"email": "ana"}])
def test_it_takes_one_phone_or_one_address(api, merchant, payment, body):
    response = api(merchant).post(f"/v1/payments/{payment.id}/send", body)

    assert response.status_code == 422
    assert not Message.objects.exists()


def test_no_text_goes_to_a_country_that_is_not_served(api, merchant, settings):
    settings.SMS_COUNTRIES = ["US"]
    payment = live_payment(merchant)
    response = api(merchant, live=True).post(f"/v1/payments/{payment.id}/send", PHONE)

    assert response.status_code == 422
    assert not Message.objects.exists()


def test_a_country_gets_a_few_texts_a_day_and_tests_are_none_of_them(api, settings):
    settings.SMS_PER_COUNTRY = [99, 2]
    answers: list[Any] = []
    for livemode in (True, False, False, True, True):
        payment = PaymentFactory(livemode=livemode)
        client, phone = api(payment.merchant, live=livemode), f"+124235701{len(answers):02}"
        answers.append(client.post(f"/v1/payments/{payment.id}/send", {"phone": phone}))

    assert [answer.status_code for answer in answers] == [200] * 4 + [429]
    mail = api(payment.merchant, live=True).post(f"/v1/payments/{payment.id}/send", EMAIL)
    assert mail.status_code == 200


def test_what_can_no_longer_be_paid_is_not_sent(api, merchant, payment):
    bring_to(payment, PaymentStatus.COMPLETED)
    response = api(merchant).post(f"/v1/payments/{payment.id}/send", EMAIL)

    assert response.json()["code"] == "PAYMENT_ALREADY_COMPLETED"
    link = new_link(api, merchant)
    api(merchant).post(f"/v1/payment-links/{link.id}/deactivate")
    assert api(merchant).post(f"/v1/payment-links/{link.id}/send", EMAIL).status_code == 422
    assert not Message.objects.exists()


def plan_requests(api, merchant):
    """Have a live payment and a link sent, by mail and by text; return both."""
    shop, payment = api(merchant, live=True), live_payment(merchant)
    link = shop.post("/v1/payment-links", {"amount": 4_900}).json()["id"]
    for path in (f"/v1/payments/{payment.id}/send", f"/v1/payment-links/{link}/send"):
        for recipient in (EMAIL, PHONE):
            assert shop.post(path, recipient).status_code == 200
    return payment, link


def test_no_request_that_waits_leaves_for_a_suspended_merchant(api, merchant, texts, mailoutbox):
    """Its texts asked for money in our name minutes after staff had stopped it."""
    plan_requests(api, merchant)
    set_status(merchant_id=merchant.id, status=MerchantStatus.SUSPENDED, now=utc_now())

    send_messages()

    assert (texts.to, mailoutbox) == ([], [])
    ended = Message.objects.values_list("status", "last_error")
    assert set(ended) == {("not_needed", "The merchant is suspended.")}
    assert len(ended) == 4


def test_no_request_that_waits_leaves_for_what_has_ended(api, merchant, texts, mailoutbox):
    payment, link = plan_requests(api, merchant)
    shop = api(merchant, live=True)
    assert shop.post(f"/v1/payments/{payment.id}/cancel").status_code == 200
    assert shop.post(f"/v1/payment-links/{link}/deactivate").status_code == 200

    send_messages()

    assert (texts.to, mailoutbox) == ([], [])
    assert set(Message.objects.values_list("status", "last_error")) == {
        ("not_needed", "It can be paid no more: it is canceled."),
        ("not_needed", "It can be paid no more: it is deactivated."),
    }


def test_no_request_leaves_for_a_payment_whose_link_has_ended(api, merchant, texts, mailoutbox):
    """A payment opened through a link of a stolen key was sent to anyone after the link's end."""
    shop = api(merchant, live=True)
    link = shop.post("/v1/payment-links", {"amount": 99_900}).json()["id"]
    payment = PaymentFactory(merchant=merchant, livemode=True, link_id=link)
    path = f"/v1/payments/{payment.id}/send"
    assert shop.post(path, EMAIL).status_code == 200
    assert shop.post(f"/v1/payment-links/{link}/deactivate").status_code == 200

    late = shop.post(path, PHONE)
    send_messages()

    assert (late.status_code, late.json()["code"]) == (422, "PAYMENT_LINK_INACTIVE")
    assert (texts.to, mailoutbox) == ([], [])
    assert list(Message.objects.values_list("status", "last_error")) == [
        ("not_needed", "It can be paid no more: its payment link has ended."),
    ]


def test_a_request_that_waits_leaves_for_what_can_be_paid(api, merchant, texts, mailoutbox):
    plan_requests(api, merchant)

    send_messages()

    assert (len(texts.to), len(mailoutbox)) == (2, 2)


def test_a_stranger_sends_nothing(api, merchant, payment):
    response = api(MerchantFactory()).post(f"/v1/payments/{payment.id}/send", EMAIL)

    assert response.status_code == 404
    assert not Message.objects.exists()
