"""Send a whole list of webhooks again, in the background."""

import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db.models import F, QuerySet
from django.urls import reverse

from backoffice.admin.delivery_filters import lookups_of
from backoffice.models import AuditEntry, ResendRun
from backoffice.registry import office as site
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services import webhooks
from backoffice.services.webhooks import continue_runs
from core.clock import utc_now
from core.ids import new_id
from merchants.models import Merchant
from tests.backoffice.acting import act, fields_of
from tests.backoffice.conftest import Office, make_user
from tests.backoffice.rows import caller_of, paid_payment
from tests.nights import ITS_OWN
from webhooks.endpoints import create_webhook
from webhooks.models import Delivery, Webhook
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.django_db

ENDED = {"next_attempt_at": None, "lease_token": ""}


@pytest.fixture
def endpoint(merchant: Merchant) -> Webhook:
    """An endpoint at which three deliveries failed and one arrived."""
    caller = caller_of(merchant)
    url = "https://shop.example/hook"
    made = create_webhook(
        caller=caller, url=url, events=["payment.completed"], description="", now=utc_now()
    )
    for _ in range(4):
        paid_payment(merchant)
    Delivery.objects.update(status=DeliveryStatus.FAILED, ended_at=utc_now(), **ENDED)
    last = Delivery.objects.latest("pk")
    Delivery.objects.filter(pk=last.pk).update(status=DeliveryStatus.DELIVERED)
    return made.webhook


def resend_list(office: Office, query: str, **values: str) -> None:
    browser = office(Role.SUPPORT)
    page = f"{reverse('admin:webhooks_delivery_list_act', args=['resend'])}?{query}"
    opened = browser.get(page).content.decode()
    assert "3 not delivered, 1 delivered." in opened or "3 not delivered, 0 delivered." in opened
    response = browser.post(page, fields_of(opened) | {"reason": "They were down"} | values)
    assert response.status_code == 302


def test_a_list_is_sent_again_with_its_count_first(office: Office, endpoint: Webhook) -> None:
    resend_list(office, "mode=test&status=failed")
    run = ResendRun.objects.get()
    assert (run.expected_count, run.sent_count) == (3, 0)

    assert continue_runs(now=utc_now()) == 3
    assert continue_runs(now=utc_now()) == 0

    run.refresh_from_db()
    assert (run.sent_count, run.skipped_count) == (3, 0)
    assert run.finished_at is not None
    assert Delivery.objects.filter(status=DeliveryStatus.PENDING).count() == 3
    lines = AuditEntry.objects.filter(act="resend webhook")
    assert [entry.actor for entry in lines] == ["support"] * 3
    assert set(lines.values_list("subject_id", flat=True)) == set(
        Delivery.objects.filter(status=DeliveryStatus.PENDING).values_list("pk", flat=True)
    )


@pytest.mark.each_on_postgres(ITS_OWN)
def test_those_that_arrived_are_sent_on_a_tick(office: Office, endpoint: Webhook) -> None:
    resend_list(office, "mode=test")
    assert ResendRun.objects.get().expected_count == 3

    resend_list(office, "mode=test", delivered_too="on")

    assert ResendRun.objects.latest("pk").expected_count == 4


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("mode=test&day_from=2026-01-01&day_to=2026-01-02", None),
        ("mode=test&day_from=2026-01-01&day_to=2099-01-01", 3),
        ("mode=test&status=no-such", None),
        ("mode=no-such", None),
        ("mode=test&endpoint={0},{1}", None),  # a list shows what has this for its id: nothing
        ("mode=test&event={2},{2}", None),
        # What a list does not know, it ignores, and says so: it shows more than was asked for.
        ("mode=test&day=2026-13-45", None),
        ("mode=test&day_from=yesterday", None),
        ("mode=test&day_to=2026-01-02", None),
        ("mode=test&ended=week", None),
        ("mode=test&queue=no-such", None),
        ("mode=test&status=failed,no-such", None),
        ("mode=test&stauts=failed", None),
    ],
)
def test_it_sends_what_the_list_shows_and_no_more(
    office: Office, endpoint: Webhook, query: str, expected: int | None
) -> None:
    caller, url = caller_of(endpoint.merchant), "https://shop.example/other"
    other = create_webhook(caller=caller, url=url, events=["*"], description="", now=utc_now())
    query = query.format(endpoint.pk, other.webhook.pk, Delivery.objects.latest("pk").event_id)
    browser = office(Role.SUPPORT)
    page = f"{reverse('admin:webhooks_delivery_list_act', args=['resend'])}?{query}"
    fields = fields_of(browser.get(page).content.decode())

    response = browser.post(page, fields | {"reason": "They were down"})

    assert response.status_code == (422 if expected is None else 302)
    assert list(ResendRun.objects.values_list("expected_count", flat=True)) == (
        [] if expected is None else [expected]
    )


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("ended=day", 1),
        ("queue=webhook-deliveries-failed", 2),
        ("queue=webhook-deliveries-failed&ended=day", 1),
    ],
)
def test_a_list_of_what_has_just_ended_sends_nothing_older(
    office: Office, endpoint: Webhook, query: str, expected: int
) -> None:
    failed = Delivery.objects.filter(status=DeliveryStatus.FAILED).order_by("pk")
    for row, days in zip(failed, (8, 2, 0), strict=True):
        Delivery.objects.filter(pk=row.pk).update(ended_at=utc_now() - timedelta(days=days))
    shown = f"mode=test&status=failed&{query}"
    browser, act = (
        office(Role.SUPPORT),
        reverse("admin:webhooks_delivery_list_act", args=["resend"]),
    )
    fields = fields_of(browser.get(f"{act}?{shown}").content.decode())

    browser.post(f"{act}?{shown}", fields | {"reason": "They were down"})

    assert ResendRun.objects.get().expected_count == expected
    listed = browser.get(f"{reverse('admin:webhooks_delivery_changelist')}?{shown}").context["cl"]
    assert listed.result_count == expected


def test_its_page_says_which_in_words(office: Office, endpoint: Webhook) -> None:
    chosen = f"mode=test&status=failed&endpoint={endpoint.pk}&day=today&ended=day"
    with time_machine.travel("2026-11-10T12:00Z", tick=False):
        lookups = lookups_of(chosen, utc_now(), delivered_too=True)
    run = ResendRun.objects.create(
        id=new_id("run", utc_now()),
        lookups=lookups,
        through_id="dlv_z",
        expected_count=1,
        asked_by=make_user(Role.SUPPORT),
        created_at=utc_now(),
    )

    response = office(Role.SUPPORT).get(page_of(run))
    sections = response.context["sections"]

    assert response.context["title"] == "Resending of 1 webhook"
    ResendRun.objects.update(expected_count=1_200)
    assert "Resending of 1,200 webhooks" in office(Role.SUPPORT).get(page_of(run)).content.decode()
    [which] = [section for section in sections if section.title == "Which"]
    said = [(label, re.sub("<[^>]+>", "", str(value))) for label, value in which.facts]
    assert said == [
        ("Mode", "test"),
        ("Endpoint", endpoint.pk),
        ("Status", "failed"),
        ("Created from", "10 Nov 2026, 00:00:00"),
        ("Created before", "11 Nov 2026, 00:00:00"),
        ("Ended from", "9 Nov 2026, 07:00:00"),
    ]


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize("name", ["endpoint", "event", "status"])
def test_what_no_database_can_hold_is_nothing(office: Office, endpoint: Webhook, name: str) -> None:
    """In the form's own field; in the URL it is refused for every page."""
    browser, page = (
        office(Role.SUPPORT),
        reverse("admin:webhooks_delivery_list_act", args=["resend"]),
    )
    fields = fields_of(browser.get(f"{page}?mode=test").content.decode())

    typed = {"filters": f"mode=test&{name}=%00", "reason": "They were down"}

    assert browser.post(page, fields | typed).status_code == 422


def test_a_queue_and_another_status_are_nothing(endpoint: Webhook) -> None:
    query = "mode=test&queue=webhook-deliveries-failed&status=delivered"

    lookups = lookups_of(query, utc_now(), delivered_too=True)

    assert not Delivery.objects.filter(**lookups).exists()


def test_each_filter_of_the_list_is_one_of_what_is_sent_again() -> None:
    """A filter that the list has and the sending has not would send more than is shown."""
    filters = {item.parameter_name for item in site.get_model_admin(Delivery).filters()}

    assert filters == {
        *("day", "status", "ended", "mode", "endpoint", "event", "queue"),
        "columns",  # changes no rows
    }


def test_what_cannot_be_sent_is_skipped_and_written_down(office: Office, endpoint: Webhook) -> None:
    resend_list(office, "mode=test&status=failed")
    Webhook.objects.update(is_active=False, disabled_reason="requested")

    assert continue_runs(now=utc_now()) == 0

    run = ResendRun.objects.get()
    assert (run.sent_count, run.skipped_count) == (0, 3)
    assert AuditEntry.objects.filter(outcome="refused").count() == 3


@pytest.mark.each_on_postgres(ITS_OWN)
def test_what_failed_at_an_endpoint_is_sent_again(office: Office, endpoint: Webhook) -> None:
    act(office(Role.DEVELOPER), endpoint, "resend")

    assert continue_runs(now=utc_now()) == 3


def test_an_endpoint_is_switched_off_and_on(office: Office, endpoint: Webhook) -> None:
    browser = office(Role.DEVELOPER)

    act(browser, endpoint, "switch-off", reason="They asked")
    endpoint.refresh_from_db()
    assert not endpoint.is_active
    act(browser, endpoint, "switch-on", reason="They asked")

    endpoint.refresh_from_db()
    assert endpoint.is_active


def test_a_run_goes_on_in_the_next_turn(
    office: Office, endpoint: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "BATCH", 2)
    resend_list(office, "mode=test&status=failed")

    assert [continue_runs(now=utc_now()) for _ in range(3)] == [2, 1, 0]

    run = ResendRun.objects.get()
    assert (run.sent_count, run.skipped_count, run.finished_at is None) == (3, 0, False)


def test_a_list_that_is_too_long_is_narrowed_first(
    office: Office, endpoint: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MOST_IN_A_RUN", 2)
    browser = office(Role.SUPPORT)
    page = f"{reverse('admin:webhooks_delivery_list_act', args=['resend'])}?mode=test"
    fields = fields_of(browser.get(page).content.decode())

    response = browser.post(page, fields | {"reason": "They were down"})

    assert response.status_code == 422
    assert "There are more than 2: narrow the list down." in response.content.decode()
    assert not ResendRun.objects.exists()


def test_what_another_worker_has_sent_meanwhile_is_not_sent_again(
    office: Office, endpoint: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    resend_list(office, "mode=test&status=failed")
    lock = QuerySet.select_for_update

    def lock_after(rows: Any, *args: Any, **how: Any) -> Any:
        if rows.model is ResendRun:
            ResendRun.objects.update(after_id=F("through_id"), sent_count=3)
        return lock(rows, *args, **how)

    monkeypatch.setattr(QuerySet, "select_for_update", lock_after)

    assert continue_runs(now=utc_now()) == 0

    run = ResendRun.objects.get()
    assert (run.sent_count, run.skipped_count) == (3, 0)
    assert not AuditEntry.objects.filter(act="resend webhook").exists()
