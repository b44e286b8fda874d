"""Webhooks of a payment are sent again: the newest at once, the others in the background."""

import pytest

from backoffice.errors import NothingToSend
from backoffice.roles import Role
from backoffice.services import webhooks
from backoffice.services.webhooks import resend_all
from core.clock import utc_now
from merchants.models import Merchant
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import act, fields_of, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import caller_of, paid_payment
from webhooks.endpoints import create_webhook
from webhooks.models import Delivery
from webhooks.statuses import DeliveryStatus

pytestmark = pytest.mark.django_db

ENDED = {"next_attempt_at": None, "lease_token": ""}


def test_the_newest_of_an_endpoint_is_sent_at_once_and_the_others_queued(
    office: Office, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    caller, url, sent = caller_of(merchant), "https://shop.example/hook", list[str]()
    create_webhook(caller=caller, url=url, events=["*"], description="", now=utc_now())
    payment = paid_payment(merchant)
    create_refund(caller=caller, payment_id=payment.pk, draft=RefundDraft(100), now=utc_now())
    Delivery.objects.update(status=DeliveryStatus.FAILED, ended_at=utc_now(), **ENDED)
    ids = list(Delivery.objects.order_by("pk").values_list("pk", flat=True))
    assert len(ids) > 2

    def attempt_now(delivery_id: str, *, after: int) -> Delivery:
        sent.append(delivery_id)
        return Delivery.objects.get(pk=delivery_id)

    monkeypatch.setattr(webhooks, "attempt_now", attempt_now)
    browser = office(Role.SUPPORT)

    answer = act(browser, payment, "resend")

    assert sent == ids[-1:]
    assert Delivery.objects.filter(status=DeliveryStatus.PENDING).count() == len(ids)
    page = browser.get(answer["Location"]).content.decode()
    assert f"{len(ids) - 1} queued to be sent again." in page


def test_where_all_were_delivered_the_form_asks_for_the_tick(
    office: Office, merchant: Merchant
) -> None:
    caller, url = caller_of(merchant), "https://shop.example/hook"
    create_webhook(caller=caller, url=url, events=["*"], description="", now=utc_now())
    payment = paid_payment(merchant)
    arrived = {"status": DeliveryStatus.DELIVERED, "ended_at": utc_now()}
    Delivery.objects.update(**arrived, **ENDED)
    browser, page = office(Role.SUPPORT), page_of_act(payment, "resend")

    refused = browser.post(page, fields_of(browser.get(page).content.decode()))

    assert refused.context["form"].errors == {
        "delivered_too": ["All were delivered: tick this to send them again."]
    }
    assert not Delivery.objects.filter(status=DeliveryStatus.PENDING).exists()


def test_where_all_have_arrived_since_the_form_was_sent_nothing_passes_for_resent(
    merchant: Merchant,
) -> None:
    caller, url = caller_of(merchant), "https://shop.example/hook"
    create_webhook(caller=caller, url=url, events=["*"], description="", now=utc_now())
    paid_payment(merchant)
    arrived = {"status": DeliveryStatus.DELIVERED, "ended_at": utc_now()}
    Delivery.objects.update(**arrived, **ENDED)

    with pytest.raises(NothingToSend):
        resend_all(
            staff=staff_as(Role.SUPPORT),
            rows=Delivery.objects.all(),
            delivered_too=False,
            now=utc_now(),
        )
