"""A person who may hold a merchant's live key is not the second one for what it asks for."""

from collections.abc import Callable

import pytest
from django.test import Client

from backoffice.audit import AuditAction, AuditRecord, append_entry
from backoffice.models import AuditEntry, Instruction
from backoffice.roles import Right, Role
from backoffice.services.merchants import VERIFIED, verification_of
from core.clock import utc_now
from merchants.models import Merchant
from payouts.models import BankAccount
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.colleagues import FIRST, SECOND, at_desk, decide, let_in, two_administrators
from tests.backoffice.conftest import sign_in, staff_as
from tests.client import Api, ApiClient
from tests.ledger.thief import all_rights

pytestmark = pytest.mark.django_db
MULE = {"holder_name": "A Mule", "bank_name": "Reef Bank", "number": "555 000 111"}
MALLORY = "mallory"
Request = Callable[[ApiClient, Merchant], None]


def name_account(caller: ApiClient, merchant: Merchant) -> None:
    named = caller.post("/v1/bank-accounts", MULE | {"clearing_code": "77005"})
    assert named.status_code == 201


def take_over_mail(caller: ApiClient, merchant: Merchant) -> None:
    changed = caller.patch(f"/v1/merchants/{merchant.id}", {"email": "mule@example.com"})
    assert changed.status_code == 200


def approve_all(name: str, merchant: Merchant, role: Role = Role.ADMINISTRATOR) -> list[int]:
    """Try to approve what waits of the merchant; return the statuses."""
    browser = sign_in(role, name)
    answers = [
        act(browser, account, "approve", reason="Known to me")
        for account in BankAccount.objects.pending()
    ]
    merchant.refresh_from_db()
    if merchant.pending_changes:
        answers.append(act(browser, merchant, "approve-change", reason="Known to me"))
    return [answer.status_code for answer in answers]


@pytest.fixture
def stolen(merchant: Merchant) -> ApiClient:
    """A caller with a live key that an Administrator has asked for, and keeps."""
    two_administrators()
    act(at_desk(), merchant, "issue-key", mode="live", name="Spare", reason="They lost theirs")
    asked = decide(SECOND)
    assert asked.status_code == 302
    page = page_of_act(Instruction.objects.get(), "collect")
    shown = at_desk(FIRST).post(page, {"form_key": "1"}).content.decode()
    return ApiClient(shown.split('id="bo-secret">')[1].split("<")[0])


@pytest.mark.parametrize("ask", [name_account, take_over_mail])
def test_they_do_not_approve_it_themselves(
    stolen: ApiClient, merchant: Merchant, ask: Request
) -> None:
    ask(stolen, merchant)

    assert approve_all(FIRST, merchant) == [422]
    assert not BankAccount.objects.open().exists()
    assert Merchant.objects.get(pk=merchant.pk).email == merchant.email

    assert approve_all(SECOND, merchant) == [302]


def test_someone_whom_they_let_in_does_not_approve_it(
    stolen: ApiClient, merchant: Merchant
) -> None:
    name_account(stolen, merchant)
    let_in("new.one", Role.FINANCE)

    assert approve_all("new.one", merchant, Role.FINANCE) == [422]


def test_those_of_another_merchant_are_as_any_other(
    stolen: ApiClient, api: Api, merchant: Merchant, stranger: Merchant
) -> None:
    name_account(api(stranger, live=True), stranger)

    assert approve_all(FIRST, stranger) == [302]


@pytest.mark.parametrize(
    "change", [{"kind": "refund"}, {"status": "declined"}, {"merchant_id": "x"}]
)
def test_only_who_was_given_a_live_key_of_this_merchant_holds_one(
    stolen: ApiClient, merchant: Merchant, change: dict[str, str]
) -> None:
    name_account(stolen, merchant)
    Instruction.objects.update(**change)

    assert approve_all(FIRST, merchant) == [302]


@pytest.fixture
def made_up(settings) -> tuple[ApiClient, Merchant]:
    """A merchant that someone of Finance has registered from home, and verified at work."""
    settings.REQUIRE_VERIFIED_MERCHANTS = True
    wanted = {"name": "Reef Rentals", "email": "mallory@example.com"}
    made = ApiClient().post("/v1/merchants", wanted).json()
    merchant = Merchant.objects.get(pk=made["id"])
    verified = act(sign_in(Role.FINANCE, MALLORY), merchant, "verify", reason="Papers seen")
    assert verified.status_code == 302
    return ApiClient(made["api_keys"]["live"]), merchant


def verify_anew(browser: Client, merchant: Merchant) -> None:
    act(browser, merchant, "suspend", reason="To look again")
    merchant.refresh_from_db()
    assert act(browser, merchant, "verify", reason="Visited").status_code == 302


@pytest.mark.parametrize("ask", [name_account, take_over_mail])
def test_who_verified_a_merchant_is_no_second_person_for_it(
    made_up: tuple[ApiClient, Merchant], ask: Request
) -> None:
    caller, merchant = made_up
    ask(caller, merchant)

    assert approve_all(MALLORY, merchant, Role.FINANCE) == [422]
    assert not BankAccount.objects.open().exists()
    assert Merchant.objects.get(pk=merchant.pk).email == "mallory@example.com"

    assert approve_all("another", merchant, Role.FINANCE) == [302]


def test_whom_the_verifier_let_in_is_no_second_person(made_up: tuple[ApiClient, Merchant]) -> None:
    caller, merchant = made_up
    two_administrators()
    verify_anew(at_desk(FIRST), merchant)
    name_account(caller, merchant)
    let_in("new.one", Role.FINANCE)

    assert approve_all("new.one", merchant, Role.FINANCE) == [422]


def test_they_may_decline_it(made_up: tuple[ApiClient, Merchant]) -> None:
    name_account(*made_up)

    account, browser = BankAccount.objects.get(), sign_in(Role.FINANCE, MALLORY)
    assert act(browser, account, "decline", reason="A mule's").status_code == 302
    assert not BankAccount.objects.pending().exists()


def test_a_merchant_verified_anew_by_another_stands_on_that(
    made_up: tuple[ApiClient, Merchant],
) -> None:
    caller, merchant = made_up
    verify_anew(sign_in(Role.FINANCE, "another"), merchant)
    name_account(caller, merchant)

    assert approve_all("another", merchant, Role.FINANCE) == [422]
    assert approve_all(MALLORY, merchant, Role.FINANCE) == [302]


def test_only_a_verification_that_was_done_counts(made_up: tuple[ApiClient, Merchant]) -> None:
    name_account(*made_up)
    with all_rights():
        AuditEntry.objects.filter(act="verify merchant").update(outcome="refused")

    assert approve_all(MALLORY, made_up[1], Role.FINANCE) == [302]


def test_a_verification_is_of_this_merchant_and_no_other_act(
    merchant: Merchant, stranger: Merchant
) -> None:
    staff, now = staff_as(Role.ADMINISTRATOR), utc_now()

    def note(act: str, about: Merchant) -> AuditEntry:
        action = AuditAction(act, Right.VERIFY_MERCHANT, "merchant", about.pk)
        return append_entry(staff=staff, action=action, record=AuditRecord(), now=now)

    verified = note(VERIFIED, merchant)
    note("suspend merchant", merchant)
    note(VERIFIED, stranger)

    assert verification_of(merchant.pk) == verified


def test_a_member_of_staff_approves_nothing_of_a_merchant_of_their_own(
    merchant: Merchant, api: Api
) -> None:
    """A colleague has verified it; the key and the approval were one person's."""
    two_administrators()
    Merchant.objects.update(email="Second+shop@example.com")
    name_account(api(merchant, live=True), merchant)

    assert approve_all(SECOND, merchant) == [422]
    assert approve_all(FIRST, merchant) == [302]
