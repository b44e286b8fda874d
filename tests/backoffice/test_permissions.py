"""Role by model by action by direct POST, from the registry: what has no row here fails."""

import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from django.template.response import TemplateResponse
from django.test import Client
from django.urls import reverse

from backoffice.models import AuditEntry, AuditOutcome
from backoffice.registry import ADMINS
from backoffice.registry import office as site
from backoffice.roles import Role
from merchants.models import ApiKey, Merchant
from payouts.models import BankAccount, Payout
from tests.backoffice.acting import acts_of, address
from tests.backoffice.conftest import Office
from tests.nights import ITS_OWN, at_night

pytestmark = [pytest.mark.django_db, pytest.mark.slow]
Rows = dict[type[Model], Model]

V, S, F, D, A = Role.VIEWER, Role.SUPPORT, Role.FINANCE, Role.DEVELOPER, Role.ADMINISTRATOR
EVERYONE = {V, S, F, D, A}
OTHERS = "Django's own forms ask for no role: by day those who may do the least and the most try"

MAY_SEE: dict[str, set[Role]] = {
    "Account": {F, A},
    "AccountStatement": {V, S, F, A},
    "ApiKey": {S, D, A},
    "AuditEntry": {F, A},
    "BankAccount": {V, S, F, A},
    "BankEntry": {V, S, F, A},
    "BankHoliday": {V, S, F, A},
    "BankStatement": {V, S, F, A},
    "Customer": EVERYONE,
    "Delivery": EVERYONE,
    "Event": EVERYONE,
    "ExportRun": {F, A},
    "Inquiry": EVERYONE,
    "Instruction": EVERYONE,
    "Merchant": EVERYONE,
    "Message": EVERYONE,
    "Note": EVERYONE,
    "Passkey": EVERYONE,
    "Payment": EVERYONE,
    "PaymentLink": EVERYONE,
    "Payout": {V, S, F, A},
    "PayoutBatch": {V, S, F, A},
    "Refund": EVERYONE,
    "ResendRun": EVERYONE,
    "StatementLine": {V, S, F, A},
    "TopUp": EVERYONE,
    "Transfer": {F, A},
    "User": {A},
    "Webhook": EVERYONE,
}
MAY_EXPORT = {F, A}
# The row of another Administrator: others of the roles see the list, and no such row.
OWN_ONLY = {"ExportRun": {F}}

# Who gets past the page of an act. "Withdraw" is refused to others by the service: see below.
MAY_ACT: dict[tuple[str, str], set[Role]] = {
    ("Account", "fees"): {F, A},
    ("ApiKey", "revoke"): {D, A},
    ("ApiKey", "end-what-it-made"): {D, A},
    ("ApiKey", "roll"): {D, A},
    ("BankAccount", "approve"): {F, A},
    ("BankAccount", "close"): {F, A},
    ("BankAccount", "decline"): {F, A},
    ("BankEntry", "credit"): {F, A},
    ("BankEntry", "match"): {F, A},
    ("BankEntry", "other"): {F, A},
    ("BankEntry", "other-by-two"): {F, A},
    ("BankEntry", "undo-match"): {F, A},
    ("BankEntry", "wait-again"): {F, A},
    ("BankEntry", "wait-again-by-two"): {F, A},
    ("BankHoliday", "add"): {F, A},
    ("BankHoliday", "drop"): {F, A},
    ("Customer", "adjust"): {F, A},
    ("Customer", "erase"): {F, A},
    ("Customer", "export-data"): {F, A},
    ("Customer", "freeze"): {S, F, A},
    ("Customer", "note"): {S, F, D, A},
    ("Customer", "reveal"): {S, F, A},
    ("Customer", "stolen"): {S, F, A},
    ("Customer", "top-up"): {F, A},
    ("Customer", "unfreeze"): {F, A},
    ("Customer", "unlock-pin"): {S, A},
    ("Delivery", "resend"): {S, D, A},
    ("Event", "resend"): {S, D, A},
    ("Inquiry", "answer"): {S, F, A},
    ("Inquiry", "close"): {S, F, A},
    ("Inquiry", "refund"): {S, F, A},
    ("Instruction", "approve"): {F, A},
    ("Instruction", "break-glass"): {A},
    ("Instruction", "carry-out"): {A},
    ("Instruction", "collect"): {A},
    ("Instruction", "decline"): {F, A},
    ("Instruction", "withdraw"): EVERYONE,
    ("Merchant", "adjust"): {F, A},
    ("Merchant", "approve-change"): {F, A},
    ("Merchant", "bank-account"): {F, A},
    ("Merchant", "decline-change"): {F, A},
    ("Merchant", "fee"): {F, A},
    ("Merchant", "issue-key"): {D, A},
    ("Merchant", "note"): {S, F, D, A},
    ("Merchant", "pay-out"): {F, A},
    ("Merchant", "send-link"): {S, A},
    ("Merchant", "statement"): {F, A},
    ("Merchant", "suspend"): {F, A},
    ("Merchant", "verify"): {F, A},
    ("Message", "send-again"): {S, A},
    ("Passkey", "remove"): {S, F, A},
    ("Payment", "cancel"): {S, F, A},
    ("Payment", "note"): {S, F, D, A},
    ("Payment", "receipt"): {S, F, A},
    ("Payment", "refund"): {S, F, A},
    ("Payment", "resend"): {S, D, A},
    ("PaymentLink", "end"): {S, A},
    ("Payout", "cancel"): {F, A},
    ("Payout", "failed"): {F, A},
    ("Payout", "paid"): {F, A},
    ("Payout", "returned"): {F, A},
    ("PayoutBatch", "import"): {F, A},
    ("PayoutBatch", "run"): {F, A},
    ("Refund", "give-up"): {F, A},
    ("TopUp", "cash"): {F, A},
    ("TopUp", "cash-code"): {F, A},
    ("TopUp", "reverse"): {F, A},
    ("User", "add"): {A},
    ("User", "close"): {A},
    ("User", "lift-lockout"): {A},
    ("User", "reopen"): {A},
    ("User", "reset"): {A},
    ("User", "roles"): {A},
    ("Webhook", "resend"): {S, D, A},
    ("Webhook", "switch-off"): {D, A},
    ("Webhook", "switch-on"): {D, A},
}


@pytest.fixture
def unrendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spare the drawing of a thousand pages of which only the status is read, and their frames."""
    monkeypatch.setattr(TemplateResponse, "rendered_content", "")
    monkeypatch.setattr(site, "each_context", lambda request: {})


def test_every_model_and_act_of_the_registry_has_a_row() -> None:
    acts = {
        (model.__name__, act.name)
        for model, admin in ADMINS.items()
        for act in (*admin.row_actions, *admin.list_actions)
    }

    assert {model.__name__ for model in ADMINS} == set(MAY_SEE)
    assert acts == set(MAY_ACT)


@pytest.mark.parametrize("role", Role)
def test_a_role_sees_what_it_may_and_nothing_else(
    rows: Rows, office: Office, role: Role, unrendered: None
) -> None:
    browser = office(role)
    wrong = []
    for model, row in rows.items():
        expected = 200 if role in MAY_SEE[model.__name__] else 403
        of_row = 404 if role in OWN_ONLY.get(model.__name__, ()) else expected
        for page, answer in (
            (address(model, "changelist"), expected),
            (address(model, "change", row.pk), of_row),
        ):
            status = browser.get(page).status_code
            if status != answer:
                wrong.append((page, status, answer))

    assert wrong == []


@pytest.mark.parametrize("role", [V, A, *at_night(S, F, D, why=OTHERS)])
def test_no_one_adds_edits_or_deletes_by_a_form_of_django(
    rows: Rows, office: Office, role: Role, unrendered: None
) -> None:
    browser = office(role)
    wrong = []
    for model, row in rows.items():
        change = address(model, "change", row.pk)
        for page in (address(model, "changelist"), change):
            if browser.post(page, {"status": "completed", "amount": 1}).status_code != 403:
                wrong.append(page)
        for page in (f"{address(model, 'changelist')}add/", change.replace("change", "delete")):
            for status in (browser.get(page).status_code, browser.post(page).status_code):
                if status not in (403, 404):
                    wrong.append(page)
        assert type(row)._default_manager.filter(pk=row.pk).exists()

    assert wrong == []


@pytest.mark.parametrize("role", Role)
def test_a_role_acts_as_it_may_and_no_more(
    rows: Rows, office: Office, role: Role, unrendered: None
) -> None:
    browser = office(role)
    wrong = []
    for model, row in rows.items():
        for name, page in acts_of(model, row):
            allowed = role in MAY_ACT[model.__name__, name] & MAY_SEE[model.__name__]
            for status in (browser.get(page).status_code, browser.post(page).status_code):
                if (status != 403) != allowed:
                    wrong.append((page, status))

    assert wrong == []


def test_a_page_shows_no_rows_of_a_kind_that_the_role_does_not_see(
    rows: Rows, office: Office
) -> None:
    page = address(Merchant, "change", rows[Merchant].pk)
    links = {role: office(role).get(page).content.decode() for role in Role}

    for model in (ApiKey, BankAccount):
        link = address(model, "change", rows[model].pk)
        assert {role for role in Role if link in links[role]} == MAY_SEE[model.__name__]


def test_a_direct_post_without_the_right_is_written_down(rows: Rows, office: Office) -> None:
    browser = office(Role.VIEWER)
    payment = next(row for model, row in rows.items() if model.__name__ == "Payment")

    page = address(type(payment), "act", payment.pk, "refund")
    response = browser.post(page, {"amount": "1.00"})

    assert response.status_code == 403
    entry = AuditEntry.objects.latest("sequence")
    assert (entry.actor, entry.act, entry.outcome) == ("viewer", "refund", AuditOutcome.FORBIDDEN)
    assert (entry.subject_type, entry.subject_id) == ("payment", payment.pk)
    assert entry.address == "127.0.0.1"


@pytest.mark.each_on_postgres(ITS_OWN)
def test_a_post_where_the_role_sees_nothing_is_written_down(rows: Rows, office: Office) -> None:
    browser = office(Role.SUPPORT)
    payout = rows[Payout]
    for page in (address(Payout, "act", payout.pk, "paid"), address(User, "list_act", "add")):
        assert browser.post(page).status_code == 403
    assert browser.get(address(BankAccount, "export", "csv")).status_code == 403

    tried = AuditEntry.objects.filter(actor="support", outcome=AuditOutcome.FORBIDDEN)
    assert list(tried.order_by("sequence").values_list("act", "subject_type", "subject_id")) == [
        ("record payout as paid", "payout", payout.pk),
        ("add staff", "user", ""),
        ("export", "bankaccount", ""),
    ]


def _status_of_export(model: type[Model], role: Role) -> int:
    if role not in MAY_SEE[model.__name__] & MAY_EXPORT:
        return 403
    return 200 if ADMINS[model].exported else 404


@pytest.mark.parametrize("role", Role)
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_only_some_export(rows: Rows, office: Office, role: Role, form: str) -> None:
    browser = office(role)
    wrong = []
    for model in rows:
        status = browser.get(address(model, "export", form)).status_code
        if status != _status_of_export(model, role):
            wrong.append((model.__name__, status))

    assert wrong == []


def test_the_file_for_the_bank_is_for_finance(rows: Rows, office: Office) -> None:
    batch = next(row for model, row in rows.items() if model.__name__ == "PayoutBatch")
    page = reverse("admin:payouts_payoutbatch_file", args=[batch.pk, "csv"])

    statuses = {role: office(role).get(page).status_code for role in Role}

    assert statuses == {V: 403, S: 403, F: 200, D: 403, A: 200}


def test_anyone_not_signed_in_is_sent_to_do_so(rows: Rows, db: None) -> None:
    for model, row in rows.items():
        for page in (address(model, "changelist"), address(model, "change", row.pk)):
            assert Client().get(page).headers["Location"].startswith("/admin/login/")


def test_only_the_requester_withdraws(rows: Rows, office: Office) -> None:
    instruction = next(row for model, row in rows.items() if model.__name__ == "Instruction")
    page = reverse("admin:backoffice_instruction_act", args=[instruction.pk, "withdraw"])

    response = office(Role.SUPPORT, "another").post(page, {"form_key": "1", "note": "x"})

    assert response.status_code == 403
    instruction.refresh_from_db()
    assert instruction.status == "waiting"  # type: ignore[attr-defined]  # an Instruction
