"""What a member of staff has set going does not go on without them."""

from datetime import datetime
from functools import partial
from threading import Thread

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from backoffice.models import AuditEntry, ResendRun
from backoffice.resource.page_urls import page_of
from backoffice.roles import Right, Role
from backoffice.services.webhooks import (
    _next_of_run,
    continue_runs,
    start_run,
    stop_runs,
    was_stopped,
)
from core.clock import utc_now
from merchants.callers import Caller
from merchants.models import Merchant
from tests.backoffice.acting import fields_of
from tests.backoffice.colleagues import staff_named
from tests.backoffice.conftest import Office
from tests.backoffice.ended_accounts import End, close, reset
from tests.backoffice.rows import paid_payment
from tests.races import at_once
from webhooks.endpoints import create_webhook
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db
HOOK = "https://shop.example/hook"


def begin(office: Office, merchant: Merchant) -> None:
    """Let someone of Support resend all deliveries in test mode."""
    caller, now = Caller(merchant, livemode=False, actor="test"), utc_now()
    create_webhook(caller=caller, url=HOOK, events=["payment.completed"], description="", now=now)
    paid_payment(merchant)
    browser = office(Role.SUPPORT)
    page = f"{reverse('admin:webhooks_delivery_list_act', args=['resend'])}?mode=test"
    form = fields_of(browser.get(page).content.decode()) | {"reason": "To be a nuisance"}
    assert browser.post(page, form | {"delivered_too": "on"}).status_code == 302


def test_a_run_of_a_closed_account_sends_nothing(office: Office, merchant: Merchant) -> None:
    begin(office, merchant)
    before = Delivery.objects.values().get()
    User.objects.update(is_active=False)

    assert continue_runs(now=utc_now()) == continue_runs(now=utc_now()) == 0

    run = ResendRun.objects.get()
    assert (run.sent_count, run.finished_at is None) == (0, False)
    assert Delivery.objects.values().get() == before
    entry = AuditEntry.objects.get(outcome="forbidden")
    assert (entry.act, entry.request_id) == ("resend webhooks", run.pk)
    [said] = office(Role.SUPPORT, "another").get(page_of(run)).context["answer"].words
    assert said.startswith("It was stopped: ")


def test_a_run_that_has_ended_well_meanwhile_is_not_called_stopped(
    office: Office, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin(office, merchant)
    run, ended_at = ResendRun.objects.get(), utc_now()

    def end_meanwhile(user: User) -> frozenset[Right]:
        ResendRun.objects.update(finished_at=ended_at)
        return frozenset()

    monkeypatch.setattr("backoffice.services.webhooks.rights_of", end_meanwhile)

    assert continue_runs(now=utc_now()) == 0

    run.refresh_from_db()
    assert (run.finished_at, was_stopped(run)) == (ended_at, False)


@pytest.mark.parametrize("end", [close, reset])
def test_an_ended_account_resends_no_more(office: Office, merchant: Merchant, end: End) -> None:
    """A thief's run went on under the name of the one who had the account back."""
    begin(office, merchant)
    run = ResendRun.objects.get()
    delivery, now = Delivery.objects.get(), utc_now()

    end(staff_named(run.asked_by.get_username()))

    # As a worker that has read what is left of the run before it ended.
    assert _next_of_run(run.pk, delivery.pk, now) is False
    assert continue_runs(now=now) == 0
    assert ResendRun.objects.filter(finished_at=None).count() == 0
    assert Delivery.objects.values().get()["attempt_count"] == delivery.attempt_count
    noted = AuditEntry.objects.get(after__resending_stopped=run.pk)
    assert noted.actor == "admin"
    [said] = office(Role.SUPPORT, "another").get(page_of(run)).context["answer"].words
    assert said.startswith("It was stopped: the account that requested it was closed or reset")


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", [close, reset])
def test_what_an_account_sets_going_as_it_ends_stops(
    office: Office, merchant: Merchant, monkeypatch: pytest.MonkeyPatch, end: End
) -> None:
    """It began after the runs were looked for, and before the end was in the audit trail."""
    begin(office, merchant)
    ResendRun.objects.all().delete()
    thief = staff_named("support")
    start = partial(start_run, staff=thief, lookups={}, reason="Last chance", now=utc_now())
    begun: list[Thread] = []

    def meanwhile(user: User, *, now: datetime) -> list[str]:
        stopped = stop_runs(user, now=now)
        begun.append(Thread(target=lambda: at_once([start])))
        begun[0].start()
        begun[0].join(0.5)
        return stopped

    monkeypatch.setattr("backoffice.services.accounts.stop_runs", meanwhile)

    end(thief)
    begun[0].join()

    assert not ResendRun.objects.exists()
    assert AuditEntry.objects.get(outcome="refused").act == "resend webhooks"
