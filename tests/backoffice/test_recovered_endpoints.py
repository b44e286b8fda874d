"""An endpoint that works again has failed before: three kinds of page keep saying so."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from backoffice.formats import clock
from backoffice.page_parts import TimelineEntry
from backoffice.payment_answer import answer_of
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.timeline import timeline_of, timeline_of_row
from backoffice.webhook_answer import failing_sentences
from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Payment
from tests.backoffice.conftest import Office
from tests.backoffice.rows import caller_of, paid_payment
from tests.nights import ITS_OWN
from webhooks.endpoint_outages import store_outage
from webhooks.endpoints import create_webhook, delete_webhook
from webhooks.models import Attempt, Delivery, EndpointOutage, Webhook
from webhooks.statuses import DeliveryStatus, OutageEnd

pytestmark = pytest.mark.django_db
HOST = "shop.example"
BEGAN, AGAIN = f"{HOST} began to fail", f"{HOST} accepts events again"
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def webhook(merchant: Merchant) -> Webhook:
    return create_webhook(
        caller=caller_of(merchant),
        url=f"https://{HOST}/hook",
        events=["payment.completed"],
        description="",
        now=utc_now(),
    ).webhook


@pytest.fixture
def failed(webhook: Webhook) -> Callable[..., EndpointOutage]:
    """Make an outage that ended a minute ago."""

    def make(
        lasted: timedelta = 9 * HOUR, ended_by: OutageEnd = OutageEnd.ACCEPTED
    ) -> EndpointOutage:
        until = utc_now() - MINUTE
        webhook.failing_since = until - lasted
        webhook.failures, webhook.last_error = 37, "Connection refused."
        store_outage(webhook, ended_by, now=until)
        webhook.refresh_from_db()
        return EndpointOutage.objects.latest("pk")

    return make


def late_payment(webhook: Webhook, *, since: datetime, until: datetime) -> Payment:
    """A payment whose event was on its way between these instants, by two attempts."""
    payment = paid_payment(webhook.merchant)
    Delivery.objects.update(
        status=DeliveryStatus.DELIVERED,
        next_attempt_at=None,
        created_at=since,
        ended_at=until,
        attempt_count=2,
    )
    return payment


def told(entries: list[TimelineEntry], *words: str) -> list[tuple[str, str]]:
    """Return the entries whose titles have one of these words, and their tones."""
    titles = [(str(entry.title), entry.tone) for entry in entries]
    return [(word, tone) for title, tone in titles for word in words if word in title]


def test_an_endpoint_that_works_again_still_says_when_it_failed(
    office: Office, webhook: Webhook, failed: Callable[..., EndpointOutage]
) -> None:
    outage = failed()

    entries = timeline_of_row(webhook)

    assert [(entry.title, entry.at, entry.tone) for entry in entries[1:3]] == [
        ("It accepts events again", outage.until, "good"),
        ("It began to fail", outage.since, "bad"),
    ]
    said = "37 attempts in a row had failed, for 9 hours. Connection refused."
    assert list(entries[1].details) == [said]
    page = office(Role.SUPPORT).get(page_of(webhook)).content.decode()
    assert page.count("It began to fail") == 1
    assert said in page


def test_one_attempt_is_not_said_to_be_in_a_row(
    webhook: Webhook, failed: Callable[..., EndpointOutage]
) -> None:
    failed()
    EndpointOutage.objects.update(failures=1)
    Webhook.objects.update(failures=1, failing_since=utc_now(), last_error="Connection refused.")
    webhook.refresh_from_db()

    ended = timeline_of_row(webhook)[2]

    assert ended.details == ("1 attempt had failed, for 9 hours. Connection refused.",)
    assert failing_sentences(webhook, utc_now())[0].endswith(": 1 attempt. Connection refused.")


def test_an_endpoint_that_fails_again_has_both_outages(
    webhook: Webhook, failed: Callable[..., EndpointOutage]
) -> None:
    failed()
    webhook.failing_since = utc_now()

    began, again = "It began to fail", "It accepts events again"
    assert told(timeline_of_row(webhook), began, again) == [
        *((began, "bad"), (again, "good"), (began, "bad")),
    ]


@pytest.mark.parametrize(
    ("ended_by", "words"),
    [
        (OutageEnd.MOVED, "It has a new URL"),
        (OutageEnd.SWITCHED_ON, "It was switched on again"),
    ],
)
def test_an_outage_that_no_success_has_ended_is_not_said_to_be_mended(
    webhook: Webhook, failed: Callable[..., EndpointOutage], ended_by: OutageEnd, words: str
) -> None:
    failed(ended_by=ended_by)

    assert told(timeline_of_row(webhook), words, "accepts") == [(words, "quiet")]


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize(("lasted", "times"), [(5 * MINUTE, 1), (4 * MINUTE, 0)])
def test_a_merchant_has_the_outages_of_which_it_was_told(
    webhook: Webhook, failed: Callable[..., EndpointOutage], lasted: timedelta, times: int
) -> None:
    failed(lasted)

    assert (
        told(timeline_of_row(webhook.merchant), AGAIN, BEGAN)
        == [
            *((AGAIN, "good"), (BEGAN, "bad")),
        ]
        * times
    )


def test_a_merchant_has_no_outage_of_another(
    stranger: Merchant, failed: Callable[..., EndpointOutage]
) -> None:
    failed()

    assert told(timeline_of_row(stranger), AGAIN, BEGAN) == []


def test_a_merchant_has_the_present_outage_of_its_own_endpoints(
    webhook: Webhook, stranger: Merchant
) -> None:
    Webhook.objects.update(failing_since=utc_now() - 4 * MINUTE)
    assert told(timeline_of_row(webhook.merchant), BEGAN) == []
    Webhook.objects.update(failing_since=utc_now() - 5 * MINUTE)
    assert told(timeline_of_row(webhook.merchant), BEGAN) == [(BEGAN, "bad")]
    assert told(timeline_of_row(stranger), BEGAN) == []

    delete_webhook(caller=caller_of(webhook.merchant), webhook_id=webhook.pk, now=utc_now())

    assert told(timeline_of_row(webhook.merchant), BEGAN) == []


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_payment_says_that_its_event_waited_for_the_endpoint(
    office: Office, webhook: Webhook, failed: Callable[..., EndpointOutage]
) -> None:
    outage = failed()
    payment = late_payment(webhook, since=outage.until - 2 * HOUR, until=outage.until)

    words = answer_of(payment, utc_now()).words[1]

    assert words.startswith("The shop was notified ")
    assert ", 2 hours late: its server had been failing since " in words
    assert told(timeline_of(payment), AGAIN, BEGAN) == [(AGAIN, "good"), (BEGAN, "bad")]
    page = office(Role.SUPPORT).get(page_of(payment)).content.decode()
    assert f'<a class="bo-link" href="{page_of(webhook)}">{AGAIN}</a>' in page


def test_an_event_that_met_two_outages_names_the_first(
    webhook: Webhook, failed: Callable[..., EndpointOutage]
) -> None:
    later = failed(HOUR)
    first = failed()
    first.until = later.since - HOUR
    first.save()
    payment = late_payment(webhook, since=first.since, until=later.until)

    words = answer_of(payment, utc_now()).words[1]

    assert words.endswith(f"failing since {clock(first.since, utc_now())}.")


def test_one_endpoint_was_late_and_the_other_was_not(
    webhook: Webhook, failed: Callable[..., EndpointOutage]
) -> None:
    outage = failed()
    create_webhook(
        caller=caller_of(webhook.merchant),
        url="https://till.example/",
        events=["*"],
        description="",
        now=utc_now(),
    )
    payment = late_payment(webhook, since=outage.since, until=outage.until)

    words = answer_of(payment, utc_now()).words

    assert [", 9 hours late:" in each for each in words if HOST in each] == [True]
    assert ["late" in each for each in words if "till.example" in each] == [False]


def test_a_payment_that_came_after_the_outage_does_not_mention_it(
    webhook: Webhook, failed: Callable[..., EndpointOutage]
) -> None:
    outage = failed()
    payment = late_payment(webhook, since=outage.until, until=outage.until + HOUR)

    assert "late" not in answer_of(payment, utc_now()).words[1]
    assert told(timeline_of(payment), AGAIN, BEGAN) == []


def test_an_event_that_waited_for_seconds_was_not_late(
    webhook: Webhook, failed: Callable[..., EndpointOutage]
) -> None:
    outage = failed()
    payment = late_payment(webhook, since=outage.until - MINUTE / 2, until=outage.until)

    assert "late" not in answer_of(payment, utc_now()).words[1]


def test_a_payment_whose_event_still_waits_says_when_its_endpoint_began_to_fail(
    webhook: Webhook,
) -> None:
    payment = paid_payment(webhook.merchant)
    assert told(timeline_of(payment), BEGAN) == []
    Webhook.objects.update(failing_since=utc_now())

    assert told(timeline_of(payment), BEGAN) == [(BEGAN, "bad")]


@pytest.mark.parametrize(("since", "times"), [(HOUR, 1), (MINUTE, 0)])
def test_a_payment_whose_event_was_given_up_says_when_its_endpoint_began_to_fail(
    webhook: Webhook, since: timedelta, times: int
) -> None:
    now = utc_now()
    payment = late_payment(webhook, since=now - 2 * HOUR, until=now - HOUR / 2)
    Delivery.objects.update(status=DeliveryStatus.FAILED)
    Webhook.objects.update(failing_since=now - since)

    assert told(timeline_of(payment), BEGAN) == [(BEGAN, "bad")] * times


def test_the_attempt_that_ended_an_outage_comes_before_its_end(
    webhook: Webhook, failed: Callable[..., EndpointOutage]
) -> None:
    outage = failed()
    payment = late_payment(webhook, since=outage.since, until=outage.until)
    Attempt.objects.create(
        delivery=Delivery.objects.get(), number=2, attempted_at=outage.until, ms=0, status=200
    )

    titles = [str(entry.title) for entry in timeline_of(payment)]

    arrived = next(title for title in titles if "arrived" in title)
    again = next(title for title in titles if AGAIN in title)
    assert titles.index(again) + 1 == titles.index(arrived)
