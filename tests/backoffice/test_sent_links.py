"""Links to pay that staff send for a merchant, and end."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMessage

from backoffice.admin.links import USES
from backoffice.models import AuditEntry, AuditOutcome
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.support import send_link
from backoffice.timeline import timeline_of_row
from core.clock import utc_now
from core.errors import RateLimited
from customers.errors import CountryNotServed
from links.models import PaymentLink
from links.services import deactivate_link
from merchants.errors import MerchantNotVerified
from merchants.models import Merchant
from merchants.statuses import MerchantStatus
from messages.models import Message
from messages.send_loop import send_due_messages
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import caller_of
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db


def test_a_link_is_sent_by_mail(office: Office, merchant: Merchant) -> None:
    response = act(
        office(Role.SUPPORT),
        merchant,
        "send-link",
        mode="test",
        amount="12.50",
        description="Two coffees",
        recipient="pat@example.com",
    )

    link = PaymentLink.objects.get()
    assert (link.amount, link.max_uses, link.livemode) == (1_250, 1, False)
    assert response.headers["Location"].endswith(f"/{link.pk}/change/")
    assert send_due_messages(now=utc_now()) == 1
    assert send_due_messages(now=utc_now()) == 0
    assert mail.outbox[0].to == [merchant.email]
    assert "would have gone to pat@example.com" in mail.outbox[0].body
    assert link.url in mail.outbox[0].body
    assert AuditEntry.objects.get().after["sent_to"] == "p•••@example.com"
    shown = office(Role.SUPPORT).get(page_of(link)).content.decode()
    assert "<dt>Created by</dt><dd>support (staff), for p•••@example.com</dd>" in shown


def test_a_mailed_link_isolates_a_right_to_left_name(office: Office, merchant: Merchant) -> None:
    Merchant.objects.filter(pk=merchant.pk).update(name="\u05e9\u05dc\u05d5\u05dd 9")
    form = {"mode": "test", "amount": "12.50", "description": "Two coffees"}
    act(office(Role.SUPPORT), merchant, "send-link", **form, recipient="pat@example.com")

    text = Message.objects.get().text
    assert "B$12.50 to \u2068\u05e9\u05dc\u05d5\u05dd 9\u2069 here" in text


def test_staff_read_why_a_pile_of_marks_is_refused(office: Office, merchant: Merchant) -> None:
    """It read as if the database could not hold it: no one could tell what to change."""
    form = {"mode": "test", "amount": "12.50", "recipient": "pat@example.com"}
    page = act(
        office(Role.SUPPORT), merchant, "send-link", **form, description="Cake" + "\u0323" * 9
    )

    assert "more than 8 combining marks in a row" in page.content.decode()
    assert not PaymentLink.objects.exists()


def test_no_link_is_sent_to_another_spelling_of_an_address(
    office: Office, merchant: Merchant
) -> None:
    form = {"mode": "test", "amount": "12.50", "recipient": "=?utf-8?q?pat?=@example.com"}

    page = act(office(Role.SUPPORT), merchant, "send-link", **form)

    assert "This is not an e-mail address." in page.content.decode()
    assert not PaymentLink.objects.exists()


def test_a_link_is_sent_by_text(office: Office, merchant: Merchant, capsys) -> None:
    act(
        office(Role.SUPPORT),
        merchant,
        "send-link",
        mode="test",
        recipient="242 555 0100",
    )

    message = Message.objects.get()
    assert (message.channel, message.recipient) == ("sms", "+12425550100")
    assert AuditEntry.objects.get().after["sent_to"] == "+1 242 ••• 0100"


def test_no_link_that_waits_is_sent_for_a_suspended_merchant(
    office: Office, merchant: Merchant, mailoutbox: list[EmailMessage]
) -> None:
    values = {"mode": "live", "amount": "49.00", "recipient": "pat@example.com"}
    act(office(Role.SUPPORT), merchant, "send-link", **values)
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    send_due_messages(now=utc_now())

    message = Message.objects.get(kind="payment_link")
    assert (message.status, message.last_error) == ("not_needed", "The merchant is suspended.")
    assert mailoutbox == []


@pytest.mark.slow
def test_no_one_sends_a_hundred_links(office: Office, merchant: Merchant) -> None:
    browser = office(Role.SUPPORT)
    for number in range(30):
        act(browser, merchant, "send-link", mode="test", recipient=f"pat{number}@example.com")

    response = act(browser, merchant, "send-link", mode="test", recipient="pat@example.com")

    assert response.status_code == 422
    assert PaymentLink.objects.count() == 30


def test_no_link_for_a_suspended_merchant(office: Office, merchant: Merchant) -> None:
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    response = office(Role.SUPPORT).get(page_of_act(merchant, "send-link"))

    assert response.status_code == 302
    assert not PaymentLink.objects.exists()


@pytest.mark.parametrize("mode", ["live", "test"])
def test_a_merchant_that_is_not_verified_is_paid_by_test_links_only(
    office: Office, merchant: Merchant, settings, mode: str
) -> None:
    """Anyone registers as anyone: staff would send a shop's name in our own messages."""
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)
    browser = office(Role.SUPPORT)

    act(browser, merchant, "send-link", mode=mode, recipient="pat@example.com")

    sent = PaymentLink.objects.count(), Message.objects.filter(kind="payment_link").count()
    assert sent == ((0, 0) if mode == "live" else (1, 1))
    assert 'value="live"' not in browser.get(page_of_act(merchant, "send-link")).content.decode()


def test_no_live_link_is_sent_past_the_form(merchant: Merchant, settings) -> None:
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    Merchant.objects.update(status=MerchantStatus.UNVERIFIED)

    with pytest.raises(MerchantNotVerified):
        send_link(
            staff=staff_as(Role.SUPPORT),
            merchant_id=merchant.id,
            livemode=True,
            amount=None,
            description="",
            recipient="pat@example.com",
            now=utc_now(),
        )

    assert not PaymentLink.objects.exists()
    assert AuditEntry.objects.get().outcome == AuditOutcome.REFUSED


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_link_is_ended(office: Office, merchant: Merchant) -> None:
    act(office(Role.SUPPORT), merchant, "send-link", mode="test", recipient="pat@example.com")
    link = PaymentLink.objects.get()

    act(office(Role.SUPPORT), link, "end", reason="Sent to the wrong person")

    link.refresh_from_db()
    assert (link.status, link.ended_by) == ("deactivated", "staff:support")
    [said] = office(Role.VIEWER).get(page_of(link)).context["answer"].words
    assert said.startswith("It was ended ")
    assert said.endswith(" by support (staff). It takes a new link.")
    titles = {each.title: each.actor for each in timeline_of_row(link)}
    assert titles["Ended"] == "support (staff)"
    with pytest.raises(Exception, match="PAYMENT_LINK_INACTIVE"):
        deactivate_link(caller=caller_of(merchant), link_id=link.pk, now=utc_now())


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({}, "It can be paid until "),
        ({"expires_at": datetime(2026, 1, 1, tzinfo=UTC)}, "It expired "),
        (
            {"max_uses": 1, "uses_count": 1, "amount_collected": 9, "status": "used_up"},
            "Paid as often as it may be (1 of 1), most recently ",
        ),
    ],
)
def test_a_link_is_shown_as_payable_or_not(
    office: Office, merchant: Merchant, changed: dict[str, Any], says: str
) -> None:
    link = send(merchant, "pat@example.com")
    ended = {"ended_at": utc_now()} if "status" in changed else {}
    PaymentLink.objects.filter(pk=link.pk).update(**changed, **ended)

    [said] = office(Role.SUPPORT).get(page_of(link)).context["answer"].words

    assert said.startswith(says)


def test_a_link_without_a_limit_shows_how_often_it_was_paid(merchant: Merchant) -> None:
    link = send(merchant, "pat@example.com")
    assert USES.fact(link) == "0 of 1"

    link.max_uses = None

    assert USES.fact(link) == "0, no limit"


def test_a_link_of_a_suspended_merchant_cannot_be_paid(office: Office, merchant: Merchant) -> None:
    link = send(merchant, "pat@example.com")
    Merchant.objects.update(status=MerchantStatus.SUSPENDED)

    answer = office(Role.SUPPORT).get(page_of(link)).context["answer"]

    assert (answer.tone, answer.words) == ("bad", ["The merchant is suspended: it cannot be paid."])


def send(merchant: Merchant, recipient: str) -> PaymentLink:
    return send_link(
        staff=staff_as(Role.SUPPORT),
        merchant_id=merchant.pk,
        livemode=True,
        amount=100,
        description="",
        recipient=recipient,
        now=utc_now(),
    )


def test_no_text_goes_to_a_country_that_is_not_served(merchant: Merchant) -> None:
    with pytest.raises(CountryNotServed):
        send(merchant, "+7 916 123-45-67")

    assert not Message.objects.exists()
    assert not PaymentLink.objects.exists()


def test_staff_text_no_link_whose_url_reads_as_a_number_to_call(
    office: Office, merchant: Merchant
) -> None:
    """A merchant, to whom this is refused by API, had staff send it on the phone."""
    Merchant.objects.filter(pk=merchant.pk).update(slug="fraud-desk-call-900-555-0100")
    form = {"mode": "live", "amount": "12.50", "description": "Two coffees"}

    refused = act(office(Role.SUPPORT), merchant, "send-link", **form, recipient="+1 242 456 7890")

    assert "reads as a phone number: send it by e-mail" in refused.content.decode()
    assert not Message.objects.exists()
    assert not PaymentLink.objects.exists()
    sent = act(office(Role.SUPPORT), merchant, "send-link", **form, recipient="pat@example.com")
    assert sent.status_code == 302


@pytest.mark.parametrize("recipient", ["+1 242 456 7890", "pat@example.com"])
def test_one_recipient_is_sent_five_a_day(merchant: Merchant, recipient: str) -> None:
    for _ in range(5):
        send(merchant, recipient)

    with pytest.raises(RateLimited):
        send(merchant, recipient)

    assert (Message.objects.count(), PaymentLink.objects.count()) == (5, 5)
