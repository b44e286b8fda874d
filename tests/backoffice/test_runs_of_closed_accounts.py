"""What a member of staff has set going does not go on without them."""

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from backoffice.models import AuditEntry, ResendRun
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.webhooks import continue_runs
from core.clock import utc_now
from merchants.callers import Caller
from merchants.models import Merchant
from tests.backoffice.acting import fields_of
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment
from webhooks.endpoints import create_webhook
from webhooks.models import Delivery

pytestmark = pytest.mark.django_db
HOOK = "https://shop.example/hook"


def test_a_run_of_a_closed_account_sends_nothing(office: Office, merchant: Merchant) -> None:
    caller, now = Caller(merchant, livemode=False, actor="test"), utc_now()
    create_webhook(caller=caller, url=HOOK, events=["payment.completed"], description="", now=now)
    paid_payment(merchant)
    browser = office(Role.SUPPORT)
    page = f"{reverse('admin:webhooks_delivery_list_act', args=['resend'])}?mode=test"
    form = fields_of(browser.get(page).content.decode()) | {"reason": "To be a nuisance"}
    assert browser.post(page, form | {"delivered_too": "on"}).status_code == 302
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
