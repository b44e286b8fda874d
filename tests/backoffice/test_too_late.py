"""An action that is no longer possible when its form arrives: nothing is done, nothing is lost."""

from dataclasses import replace

import pytest
from django.db.models import Model

from backoffice.pages.action import EVENTS_SHOWN
from backoffice.registry import ADMINS
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from refunds.inquiries import ProblemReport, report_problem
from refunds.inquiry_statuses import InquiryReason
from refunds.models import Inquiry
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import act, fields_of, page_of_act
from tests.backoffice.conftest import Office, sign_in
from tests.backoffice.rows import caller_of, paid_payment
from tests.factories import MerchantFactory

pytestmark = pytest.mark.django_db
TYPED = {"text": "Paid back at the bar", "reason": "As agreed", "note": "Pat called at noon"}


@pytest.fixture
def inquiry() -> Inquiry:
    payment = paid_payment(MerchantFactory(), 5_000)
    report = ProblemReport(InquiryReason.DUPLICATE, "I paid twice")
    actor = f"customer:{payment.customer_id}"
    return report_problem(payment_id=payment.pk, report=report, actor=actor, now=utc_now())


def test_what_was_typed_stands_beside_what_happened_meanwhile(
    office: Office, inquiry: Inquiry
) -> None:
    mine, address = office(Role.SUPPORT, "ann"), page_of_act(inquiry, "answer")
    form = fields_of(mine.get(address).content.decode())
    act(office(Role.SUPPORT, "bob"), inquiry, "close", text="Closed by bob")

    response = mine.post(address, form | TYPED)

    page = response.content.decode()
    assert response.status_code == 409
    assert "“Answer” is no longer possible, and nothing was done." in page
    assert TYPED["text"] in page
    assert ("Inquiry: closed" in page, "bob (staff)" in page) == (True, True)
    assert 'type="submit">Answer' not in page
    assert inquiry.entries.count() == 2


def test_a_form_sent_twice_says_so(office: Office, inquiry: Inquiry) -> None:
    mine, address = office(Role.SUPPORT), page_of_act(inquiry, "close")
    form = fields_of(mine.get(address).content.decode()) | TYPED
    assert mine.post(address, form).status_code == 302

    response = mine.post(address, form)

    assert response.status_code == 409
    assert "This form has already been submitted." in response.content.decode()


def test_a_form_that_comes_too_late_says_what_is_so_now_and_nothing_else(
    office: Office, inquiry: Inquiry
) -> None:
    mine, address = office(Role.SUPPORT), page_of_act(inquiry, "answer")
    act(mine, inquiry, "answer", text="We will look into it")
    act(mine, inquiry, "close", text="Closed")

    late, whole = mine.post(address), mine.get(page_of(inquiry)).content.decode()

    page = late.content.decode()
    assert "“duplicate” was reported on the receipt; it was closed" in page
    assert page.count("<time") == EVENTS_SHOWN < whole.count("<time")
    assert "This field is required." not in page


def test_what_is_said_before_an_action_is_not_said_when_it_comes_too_late(
    office: Office, inquiry: Inquiry
) -> None:
    mine, address = office(Role.SUPPORT), page_of_act(inquiry, "refund")
    assert "A refund settles the inquiry." in mine.get(address).content.decode()
    rest = RefundDraft(amount=inquiry.payment.amount)
    caller = caller_of(inquiry.payment.merchant)
    create_refund(caller=caller, payment_id=inquiry.payment_id, draft=rest, now=utc_now())

    response = mine.post(address, TYPED)

    assert response.status_code == 409
    assert "A refund settles the inquiry." not in response.content.decode()


def test_a_page_opened_too_late_leads_to_the_object(office: Office, inquiry: Inquiry) -> None:
    mine = office(Role.SUPPORT)
    act(mine, inquiry, "close", text="Closed")

    response = mine.get(page_of_act(inquiry, "answer"))

    assert response.headers["Location"] == page_of(inquiry)


def test_every_form_that_comes_too_late_gives_back_what_was_typed(
    rows: dict[type[Model], Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    browsers = [sign_in(role) for role in (Role.ADMINISTRATOR, Role.FINANCE)]
    lost = []
    for model, row in rows.items():
        late = [replace(each, available=lambda *_: False) for each in ADMINS[model].row_actions]
        monkeypatch.setattr(ADMINS[model], "row_actions", late)
        for action in late:
            pages = [browser.post(page_of_act(row, action.name), TYPED) for browser in browsers]
            fields = {"text", "reason", "note"} & action.form.base_fields.keys()
            shown = [page.content.decode() for page in pages if page.status_code == 409]
            if not shown or any(TYPED[name] not in page for page in shown for name in fields):
                lost.append((model, action.name))

    assert lost == []
