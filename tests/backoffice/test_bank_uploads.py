"""A bank file that staff upload: it says what it would do, and does it once two people agree"""

from datetime import timedelta
from xml.etree.ElementTree import Element

import pytest
from django.db import connection
from django.urls import reverse

from backoffice.errors import Forbidden
from backoffice.models import AuditEntry, Instruction, InstructionFile
from backoffice.roles import Role
from backoffice.services.bank_uploads import content_hash, seal_file
from backoffice.services.decisions import break_glass
from backoffice.tasks import expire_instructions
from core import clock_check
from core.clock import utc_now
from core.models import TurnMark
from ledger.models import Purpose
from payouts.bank import storage
from payouts.bank.safe_xml import parse_xml
from payouts.models import BankEntry, BankFile, Payout
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.uploading import upload, waiting
from tests.client import Api
from tests.funding.money_in import LIVE, customer_with, held, ordered, transfer
from tests.payouts.bank_files import entry, notification, order_of, read, statement, status_report
from tests.payouts.batching import batch_of, live_payout
from tests.payouts.merchant_balance import held as held_by

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]


@pytest.fixture
def sent(api: Api) -> Payout:
    payout = live_payout(api, amount=1250)
    batch_of()
    return Payout.objects.get(pk=payout.pk)


@pytest.fixture
def approve(office, django_capture_on_commit_callbacks):
    """Let another person of Finance approve what waits, up to what follows the commit."""

    def approve_waiting(name: str = "another"):
        with django_capture_on_commit_callbacks(execute=True):
            return act(office(Role.FINANCE, name), waiting(), "approve", note="It is the bank's")

    return approve_waiting


def page_of(office: Office, instruction: Instruction, name: str = "another") -> str:
    page = reverse("admin:backoffice_instruction_change", args=[instruction.pk])
    return office(Role.FINANCE, name).get(page).content.decode()


def test_it_is_imported_when_another_person_approves(office, sent, approve) -> None:
    content = statement(entry(1250, order_of(sent)), entry(9, reference="FEE"))
    answer = upload(office, content)
    assert "waiting for a colleague" in answer.content.decode()
    sent.refresh_from_db()
    assert (sent.status, BankFile.objects.count()) == ("in_transit", 0)

    assert approve().status_code == 302

    sent.refresh_from_db()
    assert sent.status == "paid"
    assert set(BankEntry.objects.values_list("state", flat=True)) == {"matched", "unmatched"}
    done = Instruction.objects.get(task="bank_file")
    assert (done.status, done.result_id) == ("carried_out", str(BankFile.objects.get().pk))
    assert "There is no order with this reference" in page_of(office, done)


def test_the_audit_trail_has_both_names_and_the_hash(office, sent, approve) -> None:
    content = statement(entry(9, reference="FEE"))
    upload(office, content)
    approve()

    asked, approved = AuditEntry.objects.order_by("sequence")
    assert (asked.actor, asked.outcome, asked.reason) == ("finance", "asked", "By SFTP")
    assert (asked.subject_type, asked.subject_id) == ("bankfile", content_hash(content.encode()))
    assert (approved.actor, approved.act, approved.outcome) == ("another", "approve", "done")
    assert approved.subject_id == Instruction.objects.get().pk
    assert BankFile.objects.get().created_by == "staff:finance"


def test_the_approver_sees_what_it_says(office, sent) -> None:
    customer = customer_with(0, LIVE, livemode=True)
    top_up, larger = ordered(customer), ordered(customer, 20_000)
    content = statement(
        transfer(2_000, top_up.reference),
        transfer(3_000, larger.reference, reference="IN 2"),
        entry(1250, order_of(sent)),
        entry(700, reference="FEE"),
    )
    upload(office, content)

    asked = waiting()
    page = page_of(office, asked)

    assert asked.arguments["file"] == "statement (camt.053) M-1"
    assert (asked.arguments["entries"], asked.arguments["known_already"]) == (4, 0)
    assert [asked.arguments[each] for each in ("came_in", "left")] == ["B$50.00 BSD", "B$19.50 BSD"]
    assert asked.arguments["says"] == [
        ["money that came in", "top-up", "2", "B$50.00 BSD"],
        ["money that left", "nothing of ours", "1", "B$7.00 BSD"],
        ["money that left", "payout", "1", "B$12.50 BSD"],
    ]
    assert sorted(asked.arguments["gives"]) == [
        ["money that came in", top_up.pk, "B$20.00 BSD"],
        ["money that came in; B$200.00 BSD was asked for", larger.pk, "B$30.00 BSD"],
    ]
    for words in ("What the file reports", "Money it credits", top_up.pk, "B$19.50 BSD"):
        assert words in page


def test_a_forged_credit_fills_no_wallet_alone(office, approve) -> None:
    customer = customer_with(0, LIVE, livemode=True)
    top_up = ordered(customer)

    upload(office, notification(transfer(2_000, top_up.reference)))

    assert (held(customer), BankFile.objects.count()) == (0, 0)
    assert approve("finance").status_code == 422
    assert (held(customer), waiting().status) == (0, "waiting")
    approve()
    assert held(customer) == 2_000


def test_a_forged_refusal_gives_back_no_payout_alone(office, sent, approve) -> None:
    report = status_report(sent.batch, (order_of(sent), "RJCT"))

    upload(office, report)

    sent.refresh_from_db()
    assert sent.status == "in_transit"
    assert waiting().arguments["gives"] == [["rejected", sent.pk, "B$12.50 BSD"]]
    approve()
    sent.refresh_from_db()
    assert sent.status == "failed"
    assert held_by(sent.merchant, Purpose.MERCHANT, livemode=True) == 1250


def test_no_glass_is_broken_for_it(office, sent) -> None:
    upload(office, statement(entry(1250, order_of(sent))), Role.ADMINISTRATOR)
    alone = staff_as(Role.ADMINISTRATOR)

    with pytest.raises(Forbidden):
        break_glass(staff=alone, instruction_id=waiting().pk, note="No one", now=utc_now())

    assert waiting().glass_broken_at is None
    sent.refresh_from_db()
    assert sent.status == "in_transit"


def test_a_file_that_cannot_be_read_is_refused_at_once(office) -> None:
    answer = upload(office, "<!DOCTYPE x><x/>")

    assert answer.status_code == 422
    assert "must not declare a document type" in answer.content.decode()
    assert (Instruction.objects.count(), InstructionFile.objects.count()) == (0, 0)
    assert AuditEntry.objects.latest("sequence").outcome == "refused"


@pytest.mark.django_db(transaction=True)
def test_it_is_read_while_no_transaction_waits_for_it(office, approve, monkeypatch) -> None:
    """Ten megabytes take seconds, in which a row of the requester would be locked."""
    inside: list[bool] = []

    def noting(content: bytes) -> tuple[str, Element]:
        inside.append(connection.in_atomic_block)
        return parse_xml(content)

    monkeypatch.setattr(storage, "parse_xml", noting)
    upload(office, statement(entry(700, reference="FEE")))
    approve()

    assert inside == [False, False]
    assert BankEntry.objects.get().amount == 700


@pytest.mark.parametrize("at", ["upload", "approval"])
def test_a_wrong_clock_refuses_it(office, sent, approve, monkeypatch, at) -> None:
    def late() -> None:
        monkeypatch.setattr(clock_check, "utc_now", lambda: utc_now() + timedelta(days=400))

    content = statement(entry(1250, order_of(sent)))
    if at == "upload":
        late()
    answer = upload(office, content)
    if at == "approval":
        late()
        answer = approve()

    assert answer.status_code == 422
    assert "The clock of" in answer.content.decode()
    assert not BankFile.objects.exists()
    assert TurnMark.objects.get().refusal


def test_a_file_that_contradicts_an_earlier_one_is_refused(office, sent) -> None:
    read(statement(entry(700, reference="FEE")))

    answer = upload(office, statement(entry(701, reference="FEE")))

    assert answer.status_code == 422
    assert "was in another file, with other contents" in answer.content.decode()
    assert not Instruction.objects.exists()


def test_what_is_known_already_is_counted_apart(office, sent, approve) -> None:
    content = statement(entry(1250, order_of(sent)), entry(700, reference="FEE"))
    read(content)

    upload(office, content)

    assert (waiting().arguments["entries"], waiting().arguments["known_already"]) == (1, 1)
    said = "This file was already imported on "
    assert said in page_of(office, waiting())
    assert said in office(Role.FINANCE, "another").get(page_of_act(waiting(), "approve")).text
    assert approve().status_code == 302
    assert BankEntry.objects.count() == 2


def test_its_content_is_encrypted_while_it_waits(office) -> None:
    upload(office, statement(entry(700, reference="FEE")))

    assert "Ntry" not in InstructionFile.objects.get(instruction=waiting()).sealed_content


@pytest.mark.parametrize("decision", ["approve", "decline", "withdraw", "expire"])
def test_its_content_goes_when_it_is_decided(office, approve, decision) -> None:
    upload(office, statement(entry(700, reference="FEE")))
    asked = waiting()

    if decision == "approve":
        approve()
    elif decision == "expire":
        earlier = asked.expires_at - timedelta(days=8)
        Instruction.objects.filter(pk=asked.pk).update(expires_at=earlier)
        assert expire_instructions() == 1
    else:
        name = "finance" if decision == "withdraw" else "another"
        act(office(Role.FINANCE, name), asked, decision, note="No")

    asked.refresh_from_db()
    assert asked.status != "waiting"
    assert not InstructionFile.objects.exists()
    assert BankFile.objects.exists() == (decision == "approve")


def test_another_content_than_the_uploaded_one_is_not_imported(office, approve, caplog) -> None:
    upload(office, statement(entry(700, reference="FEE")))
    other = statement(entry(701, reference="FEE")).encode()
    InstructionFile.objects.update(sealed_content=seal_file(other))

    answer = approve()

    assert answer.status_code == 422
    assert "secret refused: it is bound to another row" in caplog.text
    assert (waiting().status, BankFile.objects.count()) == ("waiting", 0)


def test_any_bytes_are_kept_as_they_are(office, approve) -> None:
    content = statement(transfer(700, "Café Zoë"))

    upload(office, content)
    approve()

    assert BankFile.objects.get().content_hash == content_hash(content.encode())
    assert BankEntry.objects.get().message == "Café Zoë"


def test_a_file_that_is_gone_is_not_imported(office, approve) -> None:
    upload(office, statement(entry(700, reference="FEE")))
    InstructionFile.objects.all().delete()

    assert "file: is no longer available" in approve().content.decode()
    assert (waiting().status, BankFile.objects.count()) == ("waiting", 0)


def test_an_answer_about_a_whole_run_says_what_the_run_comes_to(office, sent) -> None:
    upload(office, status_report(sent.batch, group="RJCT"))

    assert waiting().arguments["gives"] == [["rejected", sent.batch.pk, "B$12.50 BSD"]]
