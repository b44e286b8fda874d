"""What staff meet at a request whose row was tampered with in the database."""

import logging

import pytest
from django.utils.html import escape

from backoffice.admin.instructions import ALTERED
from backoffice.errors import RowAltered
from backoffice.models import AuditEntry, AuditOutcome, Instruction
from backoffice.request_answer import ALTERED_ELSEWHERE
from backoffice.resource.page_urls import address_of, page_of
from backoffice.roles import Role
from backoffice.services.decisions import approve
from backoffice.services.instructions import instruct
from core.clock import utc_now
from ledger.models import WaitingEntry
from payments.models import Payment
from refunds.models import Refund
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import paid_payment, refund_request
from tests.factories import MerchantFactory
from tests.ledger.thief import all_rights
from tests.ledger.thief import change as altered

pytestmark = pytest.mark.django_db

CHANGES = (
    {"amount": 240_000},
    {"subject_id": "pay_of_no_one"},
    {"task": "no task"},
    {"asked_by": None},
    {"signature": None, "amount": 240_000},
    {"arguments": {"holder_name": "Thief & Sons"}},
)


@pytest.fixture
def asked() -> Instruction:
    request = refund_request(paid_payment(MerchantFactory(), 250_000), 200_000)
    return instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())


def tamper(asked: Instruction, change: dict[str, object]) -> None:
    colleague = staff_as(Role.FINANCE, "another.colleague").user_id
    change = {"asked_by_id": colleague} if "asked_by" in change else change
    altered(asked, **change)


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_an_altered_request_says_so_on_its_page(
    office: Office, asked: Instruction, change: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    tamper(asked, change)
    browser = office(Role.FINANCE)

    response = browser.get(page_of(asked))

    shown = response.content.decode()
    assert response.status_code == 200
    assert all(escape(words) in shown for words in ALTERED)
    assert not response.context["row_actions"]
    assert "Thief" not in shown
    assert (
        "altered in the database"
        in browser.get(address_of(Instruction, "changelist")).content.decode()
    )
    assert any(
        record.levelno == logging.ERROR and asked.pk in record.getMessage()
        for record in caplog.records
    )


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
@pytest.mark.parametrize("name", ["approve", "decline"])
def test_no_one_decides_on_an_altered_request(
    office: Office, asked: Instruction, change: dict[str, object], name: str
) -> None:
    browser = office(Role.FINANCE)
    tamper(asked, change)

    response = browser.post(page_of_act(asked, name), {"note": "Fine", "form_key": "of the test"})

    assert response.status_code == 409
    assert escape(ALTERED[1]) in response.content.decode()
    assert Instruction.objects.get().status == "waiting"
    assert not Refund.objects.exists()


@pytest.mark.parametrize("is_signed", [True, False])
def test_a_request_that_is_altered_while_it_is_approved_is_refused_and_recorded(
    asked: Instruction, caplog: pytest.LogCaptureFixture, *, is_signed: bool
) -> None:
    """Without its signature it passed for one from before rows were signed, and was carried out."""
    removed = {} if is_signed else {"signature": None}
    tamper(asked, {"reason": "Another reason", **removed})

    with pytest.raises(RowAltered):
        approve(
            staff=staff_as(Role.FINANCE),
            instruction_id=asked.pk,
            note="",
            now=utc_now(),
            expected_available=250_000,
        )

    assert not Refund.objects.exists()
    assert Instruction.objects.get().status == "waiting"
    entry = AuditEntry.objects.get(act="approve")
    assert (entry.outcome, entry.error.partition(":")[0]) == (AuditOutcome.REFUSED, "ROW_ALTERED")
    assert asked.pk in caplog.text


@pytest.mark.parametrize("status", ["waiting", "declined"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: next(iter(change)))
def test_the_page_of_a_payment_repeats_nothing_of_an_altered_request(
    office: Office, asked: Instruction, change: dict[str, object], status: str
) -> None:
    payment = Payment.objects.get(pk=asked.subject_id)
    if status == "declined":
        act(office(Role.FINANCE), asked, "decline", note="Not yet")
    tamper(asked, change)

    pages = [office(Role.SUPPORT).get(url) for url in (page_of(payment), "/admin/")]

    assert [page.status_code for page in pages] == [200, 200]
    words = pages[0].context["answer"].words
    assert not any("2,400.00" in str(each.title) for each in pages[0].context["timeline"])
    assert any(ALTERED_ELSEWHERE in each for each in words) is ("subject_id" not in change)
    assert not any("2,400.00" in each or "no task" in each for each in words)


@pytest.mark.parametrize("status", ["waiting", "declined"])
def test_a_request_without_any_signature_may_name_no_task(
    office: Office, asked: Instruction, status: str
) -> None:
    """One that was never signed is not judged, and still no page fails by it."""
    payment = Payment.objects.get(pk=asked.subject_id)
    if status == "declined":
        act(office(Role.FINANCE), asked, "decline", note="Not yet")
    altered(asked, task="no task", signature=None)
    with all_rights():
        WaitingEntry.objects.filter(subject=asked.pk).delete()
    browser = office(Role.FINANCE)

    pages = [browser.get(page_of(row)) for row in (payment, asked)]

    assert [page.status_code for page in pages] == [200, 200]
    assert all("no task" in page.content.decode() for page in pages)


def test_a_request_as_it_was_written_can_be_decided_on(office: Office, asked: Instruction) -> None:
    browser = office(Role.FINANCE)
    assert len(browser.get(page_of(asked)).context["row_actions"]) == 2

    act(browser, asked, "decline", note="Not yet")

    assert Instruction.objects.get().status == "declined"
