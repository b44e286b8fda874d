"""A dead endpoint is seen as one everywhere, and sending again shows the answer at once."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache

from backoffice.admin.webhooks import LAST_SUCCESS, SUBSCRIBED_TO
from backoffice.models import AuditEntry
from backoffice.payment_answer import answer_of
from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from messages.models import Message, MessageStatus
from outbound.results import HttpResult
from payments.models import Payment
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of, paid_payment
from tests.nights import ITS_OWN
from webhooks.alerts import raise_alert
from webhooks.endpoints import create_webhook, delete_webhook
from webhooks.models import Delivery, Webhook
from webhooks.statuses import AlertKind, DeliveryStatus

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.real_clock("an attempt out of turn is claimed by the database's clock"),
]
WELL, DEAD = "https://shop.example/hook", "https://old.example/hook"


@pytest.fixture
def endpoints(merchant: Merchant) -> list[Webhook]:
    return [
        create_webhook(
            caller=caller_of(merchant),
            url=url,
            events=["payment.completed"],
            description="",
            now=utc_now(),
        ).webhook
        for url in (WELL, DEAD)
    ]


@pytest.fixture
def payment(merchant: Merchant, endpoints: list[Webhook]) -> Payment:
    """A payment that reached one endpoint, while the other has failed for hours."""
    payment = paid_payment(merchant)
    Delivery.objects.filter(webhook=endpoints[0]).update(
        status=DeliveryStatus.DELIVERED,
        next_attempt_at=None,
        ended_at=utc_now(),
        attempt_count=1,
    )
    Delivery.objects.filter(webhook=endpoints[1]).update(
        attempt_count=2, next_attempt_at=utc_now() - timedelta(minutes=1)
    )
    Webhook.objects.filter(url=DEAD).update(
        failures=7,
        failing_since=utc_now() - timedelta(hours=9),
        last_error="Connection refused.",
        alarmed_at=utc_now() - timedelta(hours=8),
    )
    return payment


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[HttpResult]:
    """What the endpoints answer from now on, one after the other."""
    results: list[HttpResult] = []
    monkeypatch.setattr("webhooks.delivery.attempts.post", lambda *_, **__: results.pop(0))
    return results


def urls_in(listed: Any) -> list[str]:
    """Return which of the two URLs stand in a list, where either may be wrapped."""
    shown = listed.content.decode().replace("<wbr>", "")
    return [url for url in (WELL, DEAD) if url in shown]


def page(office: Office, row: object, role: Role = Role.SUPPORT) -> str:
    return str(office(role).get(page_of(row)).content.decode())  # type: ignore[arg-type]


def listed(office: Office) -> str:
    return str(office(Role.SUPPORT).get(list_of(Webhook, mode="test")).content.decode())


def test_a_payment_tells_its_endpoints_apart(payment: Payment) -> None:
    answer = answer_of(payment, utc_now())

    assert answer.tone == "good"
    assert [word for word in answer.words if word.startswith("shop.example was notified ")]
    [trouble] = answer.troubles
    assert trouble.startswith("Webhook to old.example failed 2 times, next attempt at any moment;")
    assert "its server has been failing since " in trouble
    assert trouble.endswith(" (connection refused).")


@pytest.mark.each_on_postgres(ITS_OWN)
def test_the_dashboard_shows_it_at_once(office: Office, payment: Payment) -> None:
    cache.clear()
    browser, failing = office(Role.SUPPORT), Webhook.objects.failing()
    ids, since = [each.pk for each in failing], utc_now()
    failing.update(failing_since=None)
    assert "Webhooks, 24 hours" in browser.get("/admin/?mode=test").content.decode()  # is kept
    Webhook.objects.filter(pk__in=ids).update(failing_since=since)

    shown = browser.get("/admin/?mode=test").content.decode()

    assert "1 failing" in shown
    assert "Endpoints failing now" in shown
    assert "Connection refused." in shown
    assert "state=failing&amp;mode=test" in shown


@pytest.mark.each_on_postgres(ITS_OWN)
def test_its_list_its_page_and_its_merchant_say_so(
    office: Office, merchant: Merchant, payment: Payment, endpoints: list[Webhook]
) -> None:
    listed = office(Role.SUPPORT).get("/admin/webhooks/webhook/?state=failing&mode=test")
    assert urls_in(listed) == [DEAD]

    shown = page(office, endpoints[1])
    assert "7 attempts in a row. Connection refused." in shown
    assert "1 delivery waits for it. Next attempt: at any moment." in shown
    assert "The merchant was sent no e-mail." in shown
    [trouble] = office(Role.SUPPORT).get(page_of(merchant)).context["answer"].troubles
    assert trouble.startswith("old.example has been failing since ")
    assert trouble.endswith(
        ": 7 attempts in a row. Connection refused. 1 delivery waits for it."
        " Next attempt: at any moment. The merchant was sent no e-mail."
    )


def test_an_alarm_that_could_not_be_sent_has_told_no_one(
    office: Office, payment: Payment, endpoints: list[Webhook]
) -> None:
    raise_alert(AlertKind.UNHEALTHY, endpoints[1].pk, delivery=None, now=utc_now())
    assert "The merchant is being told by e-mail." in page(office, endpoints[1])
    Message.objects.update(status=MessageStatus.SENT, sent_at=utc_now())
    assert "The merchant was told by e-mail " in page(office, endpoints[1])
    Message.objects.update(status=MessageStatus.REFUSED, sent_at=None)

    shown = page(office, endpoints[1])
    assert "The e-mail to the merchant about it could not be sent." in shown
    assert "The merchant was told" not in shown


def test_a_delivery_says_if_it_has_arrived(office: Office, payment: Payment) -> None:
    def said(url: str) -> tuple[str, str]:
        row = Delivery.objects.get(webhook__url=url)
        answer = office(Role.SUPPORT).get(page_of(row)).context["answer"]
        return answer.words[0], answer.tone

    words, tone = said(WELL)
    assert (words.startswith("shop.example was notified "), tone) == (True, "good")
    words, tone = said(DEAD)
    assert words.startswith("Webhook to old.example failed 2 times, next attempt at any moment;")
    assert tone == "bad"
    Webhook.objects.update(failing_since=None)
    Delivery.objects.filter(webhook__url=DEAD).update(attempt_count=0)
    assert said(DEAD) == ("old.example is being notified.", "wait")
    ended = {"next_attempt_at": None, "ended_at": utc_now()}
    Delivery.objects.filter(webhook__url=DEAD).update(status=DeliveryStatus.CANCELED, **ended)
    assert said(DEAD) == ("old.example was not notified: it has deleted its webhook.", "quiet")


def test_an_endpoint_says_what_it_has_been_sent(office: Office, endpoints: list[Webhook]) -> None:
    assert "Nothing has arrived there yet." in page(office, endpoints[0])
    now = utc_now()
    Webhook.objects.update(last_success_at=now - timedelta(minutes=59))
    said = "It accepts events, most recently "
    assert f"{said}within the last hour." in page(office, endpoints[0])
    assert "within the last hour" in listed(office)
    assert LAST_SUCCESS.exported(Webhook.objects.first()) == (now - timedelta(minutes=59),)

    # A success is written down once in an hour; neither end of this one is yesterday, ever.
    Webhook.objects.update(last_success_at=now - timedelta(days=3))
    assert f"{said}between " in page(office, endpoints[0])
    instant = r"\d+ \w+( \d{4})? [\d:]+"
    assert re.search(f"between {instant} and {instant}</td>", listed(office))


def test_all_events_are_said_in_a_word_and_those_of_a_resource_by_their_pattern() -> None:
    everything, some = Webhook(events=["*"]), Webhook(events=["payment.*", "payout.paid"])

    assert SUBSCRIBED_TO.value(everything) == "everything"
    assert SUBSCRIBED_TO.value(some) == "payment.*, payout.paid"


def test_sending_a_payment_again_shows_what_was_answered(
    office: Office, payment: Payment, answers: list[HttpResult]
) -> None:
    answers.append(HttpResult(ms=31, status=200))
    browser = office(Role.SUPPORT)

    response = act(browser, payment, "resend")

    shown = browser.get(response["Location"]).content.decode()
    assert "old.example answered 200 in 31\u00a0ms." in shown
    assert "Attempt 3, answered 200 in 31\u00a0ms" in shown  # in the timeline, and who asked for it
    assert "Staff: resend webhook — done" in shown
    assert not Webhook.objects.failing().exists()


def test_sending_one_again_shows_that_it_still_fails(
    office: Office, payment: Payment, answers: list[HttpResult]
) -> None:
    answers.append(HttpResult(ms=3, error="Connection refused."))
    delivery = Delivery.objects.get(status=DeliveryStatus.PENDING)
    browser = office(Role.SUPPORT)

    response = act(browser, delivery, "resend")

    shown = browser.get(response["Location"]).content.decode()
    assert "old.example did not accept it: connection refused (3\u00a0ms)." in shown
    assert AuditEntry.objects.get(act="resend webhook").subject_id == delivery.pk


def test_one_that_is_switched_off_says_why_it_is_not_sent(
    office: Office, payment: Payment, answers: list[HttpResult]
) -> None:
    Webhook.objects.filter(url=DEAD).update(is_active=False, disabled_reason="requested")
    browser = office(Role.SUPPORT)

    response = act(browser, payment, "resend")

    shown = browser.get(response["Location"]).content.decode()
    assert "1 could not be sent: " in shown
    assert "the endpoint is switched off" in shown


@pytest.mark.each_on_postgres(ITS_OWN)
def test_two_at_one_host_are_told_apart_by_their_urls(
    office: Office, merchant: Merchant, payment: Payment, endpoints: list[Webhook]
) -> None:
    other = "https://old.example/refunds"
    Webhook.objects.filter(pk=endpoints[0].pk).update(url=other, failing_since=utc_now())

    troubles = office(Role.SUPPORT).get(page_of(merchant)).context["answer"].troubles

    assert [words.partition(" has ")[0] for words in troubles] == [DEAD, other]


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_deleted_one_is_shown_and_nothing_can_be_done_with_it(
    office: Office, payment: Payment, endpoints: list[Webhook]
) -> None:
    gone = endpoints[1]
    delete_webhook(caller=caller_of(payment.merchant), webhook_id=gone.id, now=utc_now())
    Delivery.objects.filter(webhook=gone).update(
        status=DeliveryStatus.FAILED, next_attempt_at=None, ended_at=utc_now()
    )

    assert page_of(gone) in page(office, Delivery.objects.filter(webhook=gone).first())
    shown = page(office, gone, Role.ADMINISTRATOR)
    assert "Deleted by its merchant, " in shown
    assert "Switch off" not in shown
    assert "Resend what failed" not in shown
    lists = [
        office(Role.SUPPORT).get(f"/admin/webhooks/webhook/?mode=test{state}")
        for state in ("", "&state=on", "&state=deleted")
    ]
    assert [urls_in(listed) for listed in lists] == [[WELL], [WELL], [DEAD]]
