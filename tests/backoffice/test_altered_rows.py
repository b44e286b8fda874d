"""What staff meet at a row, other than a request, that was tampered with in the database."""

import logging
from typing import Any

import pytest
from django.db.models import Model

from backoffice.models import AuditEntry
from backoffice.resource.page_urls import address_of, page_of
from backoffice.roles import Role
from customers.models import Customer
from funding.models import TopUp
from merchants.models import Merchant
from payments.models import Payment
from payouts.models import BankAccount, Payout
from refunds.models import Refund
from tests.backoffice.conftest import Office
from tests.backoffice.rows import one_of_each
from tests.ledger.thief import all_rights
from webhooks.models import Event

pytestmark = pytest.mark.django_db

SAID = "was changed in the database by something other than this service"
CHANGES: dict[type[Model], dict[str, Any]] = {
    Customer: {"phone": "+12425559999"},
    Payment: {"amount": 499_999},
    Payout: {"amount": 1},
    BankAccount: {"holder_name": "A Thief"},
    Merchant: {"fee_basis_points": 1},
    Refund: {"reason": "Another one"},
    TopUp: {"reference": "RF001"},
    Event: {"resource_id": "pay_another"},
    AuditEntry: {"actor": "staff:someone.else"},
}


def test_the_page_of_an_altered_row_says_so_and_alarms(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    rows, browser = one_of_each(), office(Role.ADMINISTRATOR)
    before = [SAID in browser.get(page_of(rows[model])).content.decode() for model in CHANGES]
    with all_rights():
        for model, change in CHANGES.items():
            model._base_manager.filter(pk=rows[model].pk).update(**change)

    for model in CHANGES:
        caplog.clear()
        response = browser.get(page_of(rows[model]))

        assert response.status_code == 200
        assert SAID in response.context["answer"].words[0]
        assert not any(each["is_advised"] for each in response.context["row_actions"])
        [logged] = [each for each in caplog.records if each.levelno == logging.ERROR]
        assert str(rows[model].pk)[:12] in logged.getMessage()

    assert not any(before)


def test_a_removed_signature_is_looked_up_in_the_log(office: Office) -> None:
    rows, browser = one_of_each(), office(Role.ADMINISTRATOR)
    altered = rows[Customer]
    with all_rights():
        Customer._base_manager.filter(pk=altered.pk).update(phone="+12425559999", signature=None)

    response = browser.get(page_of(altered))

    assert SAID in response.context["answer"].words[0]


def test_nothing_is_promised_of_an_altered_row(office: Office) -> None:
    rows, browser = one_of_each(), office(Role.ADMINISTRATOR)
    altered, form = rows[Payment], address_of(Payment, "act", rows[Payment].pk, "refund")
    before = browser.get(page_of(altered)).context, browser.get(form).content.decode()
    with all_rights():
        Payment._base_manager.filter(pk=altered.pk).update(amount=9_999_999)

    shown, asked = browser.get(page_of(altered)).context, browser.get(form).content.decode()

    assert before[0]["answer"].words[0].startswith("Paid ")
    [altered_words, request_words] = shown["answer"].words
    assert SAID in altered_words
    assert "approval" in request_words  # a row of its own, as the service wrote it
    assert SAID in asked
    assert "After this refund" in before[1]
    for figures in ("After this refund", "The merchant&#x27;s balance does not cover"):
        assert figures not in asked


def test_a_form_that_comes_too_late_says_that_its_row_was_altered(office: Office) -> None:
    altered, browser = one_of_each()[Payment], office(Role.ADMINISTRATOR)
    with all_rights():
        Payment._base_manager.filter(pk=altered.pk).update(amount=499_999)

    response = browser.post(address_of(Payment, "act", altered.pk, "cancel"))

    assert response.status_code == 409
    [words] = response.context["state"]
    assert SAID in words
