"""What resources declare holds together: fields, actions, and their place in the catalog."""

import inspect

import pytest
from django.contrib.auth.models import User
from django.db.models import Model
from django.urls import resolve

from backoffice.actions import FROM_CONTEXT, ROW_ID, Action, ActionContext, run
from backoffice.admin import accounts, customers
from backoffice.admin.bank_accounts import ACCOUNT_STATE
from backoffice.admin.payment_actions import CANCEL
from backoffice.admin.statements import LINES
from backoffice.admin.submission import submit
from backoffice.errors import Forbidden
from backoffice.models import AuditEntry, AuditOutcome
from backoffice.registry import ADMINS
from backoffice.resource.catalog import CATALOG
from backoffice.resource.page_urls import address_of, page_to_open
from backoffice.resource.shown import Badge
from backoffice.roles import Right, Role
from backoffice.services.instruction_kinds import SET_ROLES
from backoffice.statuses import InstructionStatus
from core.clock import utc_now
from core.errors import ApiError
from customers.models import Passkey
from funding.models import TopUp
from payments.errors import PaymentAlreadyCompleted
from payments.models import Payment
from payments.statuses import PaymentStatus
from payouts.models import AccountStatement, BankAccount, Payout
from refunds.models import Inquiry, Refund
from tests.backoffice.acting import act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import paid_payment
from tests.factories import PaymentFactory
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db

Rows = dict[type[Model], Model]
MODELS = sorted(ADMINS, key=lambda model: model.__name__)
DANGEROUS = {
    "ApiKey": {"end-what-it-made", "revoke"},
    "BankAccount": {"close", "decline"},
    "Customer": {"erase", "freeze", "stolen"},
    "Inquiry": {"close"},
    "Instruction": {"break-glass", "carry-out", "decline"},
    "Merchant": {"decline-change", "suspend"},
    "Passkey": {"remove"},
    "Payment": {"cancel"},
    "PaymentLink": {"end"},
    "Payout": {"cancel", "failed", "returned"},
    "Refund": {"give-up"},
    "TopUp": {"reverse"},
    "User": {"close"},
    "Webhook": {"switch-off"},
}
# Of the others, another amount, account or name can be requested while a request waits.
ASKED_ONCE = {
    "ApiKey": {"roll"},
    "BankEntry": {"other-by-two", "undo-match", "wait-again-by-two"},
    "Customer": {"erase", "unfreeze"},
    "Passkey": {"remove"},
    "Payout": {"failed", "returned"},
    "TopUp": {"reverse"},
    "User": {"reopen"},
}


def test_each_prefix_of_ids_leads_to_one_page() -> None:
    prefixes = [entry.prefix for entry in CATALOG.values() if entry.prefix]

    assert len(set(prefixes)) == len(prefixes)
    for prefix in prefixes:
        assert resolve(page_to_open(f"{prefix}_0123456789"))
    assert page_to_open("txn_0123456789") == ""


@pytest.mark.parametrize(
    ("status", "words"),
    [("requires_action", "requires action"), (InstructionStatus.EXPIRED, "expired")],
)
def test_an_export_has_the_words_of_the_list(status: str, words: str) -> None:
    field = Badge("Status", lambda row: status)

    assert field.exported(None) == (words,)
    assert f">{words}<" in field.cell(None)


def test_what_is_over_is_called_by_what_became_of_it() -> None:
    assert accounts.STATE.words(User(is_active=False)) == "closed"
    assert customers.STATE.words(Passkey(removed_at=utc_now())) == "removed"
    assert ACCOUNT_STATE.words(BankAccount(closed_at=utc_now())) == "closed"


def test_what_an_action_watches_is_known_of_its_row() -> None:
    wrong = [
        (model.__name__, action.name, name)
        for model, admin in ADMINS.items()
        for action in admin.row_actions
        for name in action.watches
        if not hasattr(model, name)
    ]

    assert wrong == []


def test_what_takes_something_away_is_shown_as_dangerous() -> None:
    found = {
        model.__name__: {it.name for it in (*admin.row_actions, *admin.list_actions) if it.danger}
        for model, admin in ADMINS.items()
    }

    assert {name: acts for name, acts in found.items() if acts} == DANGEROUS


def test_what_is_not_offered_while_it_is_requested() -> None:
    found = {
        model.__name__: {action.name for action in admin.row_actions if action.asked_once}
        for model, admin in ADMINS.items()
    }

    assert {name: acts for name, acts in found.items() if acts} == ASKED_ONCE


@pytest.mark.parametrize("model", MODELS)
def test_an_action_knows_all_that_its_service_asks_for(model: type[Model]) -> None:
    admin = ADMINS[model]

    unknown = [
        (action.name, name)
        for action in (*admin.row_actions, *admin.list_actions)
        for name in inspect.signature(action.service).parameters
        if name
        not in {
            *action.given,
            *action.form.base_fields,
            *FROM_CONTEXT,
        }
        and not (name.endswith(ROW_ID) and action in admin.row_actions)
    ]

    assert unknown == []


@pytest.mark.parametrize("model", MODELS)
def test_the_id_of_the_row_is_no_field_of_a_form(model: type[Model]) -> None:
    admin = ADMINS[model]
    wrong = [
        (action.name, name)
        for action in (*admin.row_actions, *admin.list_actions)
        for name in (*action.given, *action.form.base_fields)
        if name.endswith(ROW_ID)
    ]

    assert wrong == []


def test_no_field_of_a_form_replaces_who_acts() -> None:
    now, payment = utc_now(), PaymentFactory()
    typed = {"actor": "staff:another", "now": "yesterday", "payment_id": "pay_another"}
    context = ActionContext(staff_as(Role.SUPPORT), payment, typed, now)

    assert context.argument("actor") == "staff:support"
    assert context.argument("now") == now
    assert context.argument("payment_id") == payment.pk
    with pytest.raises(KeyError, match="reason"):
        context.argument("reason")


def test_no_mode_is_assumed_for_what_has_none() -> None:
    colleague = User(username="colleague")
    context = ActionContext(staff_as(Role.ADMINISTRATOR), colleague, {}, utc_now())

    with pytest.raises(AttributeError, match="livemode"):
        submit(context, SET_ROLES)


def test_what_takes_something_away_is_no_main_action() -> None:
    actions = [it for admin in ADMINS.values() for it in (*admin.row_actions, *admin.list_actions)]

    assert [action.title for action in actions if action.danger and action.main] == []
    assert [action.title for action in ADMINS[Inquiry].row_actions if action.main] == ["Answer"]


def test_an_action_says_what_it_has_done() -> None:
    with pytest.raises(TypeError, match="message"):
        Action(title="Forget", right=Right.NOTE, service=utc_now)  # type: ignore[call-arg]  # tested
    actions = [it for admin in ADMINS.values() for it in (*admin.row_actions, *admin.list_actions)]

    assert [action.title for action in actions if not action.message] == []


def test_an_action_on_a_list_has_no_row() -> None:
    lists = [action for admin in ADMINS.values() for action in admin.list_actions]

    assert lists
    assert [action.name for action in lists if action.audited_as] == []


def test_the_runner_keeps_what_an_action_watches(office: Office) -> None:
    payment = PaymentFactory()

    act(office(Role.SUPPORT), payment, "cancel", reason="Ordered twice")

    entry = AuditEntry.objects.latest("sequence")
    assert (entry.act, entry.outcome) == ("cancel payment", AuditOutcome.DONE)
    assert (entry.subject_type, entry.subject_id) == ("payment", payment.pk)
    assert (entry.before, entry.after) == ({"status": "created"}, {"status": "canceled"})
    assert (entry.actor, entry.reason) == ("support", "Ordered twice")


@pytest.mark.parametrize(
    ("role", "error", "outcome"),
    [
        (Role.SUPPORT, PaymentAlreadyCompleted, AuditOutcome.REFUSED),
        (Role.DEVELOPER, Forbidden, AuditOutcome.FORBIDDEN),
    ],
)
def test_the_runner_keeps_what_was_refused(
    role: Role, error: type[ApiError], outcome: AuditOutcome
) -> None:
    payment = paid_payment()
    context = ActionContext(staff_as(role), payment, {"reason": "Ordered twice"}, utc_now())

    with pytest.raises(error):
        run(CANCEL, context)

    entry = AuditEntry.objects.get(act="cancel payment")
    assert (entry.outcome, entry.before, entry.after) == (outcome, {}, {})
    assert Payment.objects.get(pk=payment.pk).status == PaymentStatus.COMPLETED


@pytest.mark.parametrize("model", [model for model in MODELS if ADMINS[model].exported])
def test_no_export_holds_markup(rows: Rows, office: Office, model: type[Model]) -> None:
    filters = {item.parameter_name for item in ADMINS[model].list_filter}
    query = {"mode": "both"} if "mode" in filters else {}

    response = office(Role.ADMINISTRATOR).get(address_of(model, "export", "csv"), query)

    text = response.content.decode()
    assert (response.status_code, "<" in text) == (200, False)
    assert len(text.splitlines()) > 1


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize(
    ("model", "titles"),
    [
        (Refund, {"Refunded at", "Fee refunded", "Transaction"}),
        (Payout, {"Paid", "Run", "Our reference", "Bank's reference"}),
        (TopUp, {"Came", "Came at", "Transaction"}),
    ],
)
def test_an_export_says_when_and_how_money_moved(
    rows: Rows, office: Office, model: type[Model], titles: set[str]
) -> None:
    response = office(Role.FINANCE).get(address_of(model, "export", "csv"), {"mode": "test"})

    assert titles <= set(response.content.decode().splitlines()[0].split(","))


def test_a_reference_leads_to_its_page(rows: Rows, office: Office) -> None:
    payment, refund = rows[Payment], rows[Refund]

    page = office(Role.VIEWER).get(page_to_open(str(refund.pk))).content.decode()

    assert f'href="/admin/payments/payment/{payment.pk}/change/"' in page
    assert '<span class="bo-badge bo-quiet">test</span>' in page


def test_a_number_is_a_number_in_an_export() -> None:
    assert LINES.exported(AccountStatement(lines_count=1_234)) == (1_234,)
