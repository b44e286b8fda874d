"""A bank file gives what its request has shown, and nothing that its names have become since."""

import pytest
from django.urls import reverse

from backoffice.models import AuditEntry, InstructionFile
from backoffice.roles import Role
from core.crypto import encrypt
from funding.models import TopUp
from payouts.models import BankFile, Payout
from payouts.order_references import end_to_end_id
from tests.backoffice.acting import act, fields_of
from tests.backoffice.conftest import Office, sign_in
from tests.backoffice.uploading import PAYOUT_RUNS, upload, waiting
from tests.client import Api
from tests.funding.money_in import LIVE, customer_with, held, ordered, transfer
from tests.payouts.bank_files import entry, notification, status_report
from tests.payouts.batching import batch_of, live_payout, undo
from tests.payouts.merchant_balance import given_back

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("debtor_account")]
AMOUNT = 490_000
REFERENCE = "RF32C3W47TTR"


@pytest.fixture
def scheduled(api: Api) -> Payout:
    """A payout that no order exists of; the name that it will have follows from what staff see."""
    payout = live_payout(api, amount=AMOUNT)
    return Payout.objects.select_related("statement").get(pk=payout.pk)


def run_alone() -> None:
    """Send what is due, as one person of Finance may within the limit."""
    browser, page = sign_in(Role.FINANCE), reverse(PAYOUT_RUNS, args=["run"])
    values = {"mode": "live", "currency": "BSD", "reason": "The run of the day", "note": "-"}
    browser.post(page, fields_of(browser.get(page).content.decode()) | values)


def come_back(payout: Payout) -> str:
    return notification(entry(AMOUNT, end_to_end_id(payout), direction="CRDT", returned="AC04"))


def test_a_return_made_up_before_the_run_gives_nothing_after_it(
    office: Office, scheduled: Payout, approve
) -> None:
    upload(office, come_back(scheduled))
    asked = waiting()
    run_alone()

    answer = approve(asked)

    assert answer.status_code == 422
    assert "What the file says has changed since it was uploaded" in answer.content.decode()
    assert (given_back(scheduled), scheduled.status) == (0, "in_transit")
    assert (waiting().pk, waiting().arguments) == (asked.pk, asked.arguments)
    assert not BankFile.objects.exists()
    refused = AuditEntry.objects.latest("sequence")
    assert (refused.act, refused.actor, refused.outcome) == ("approve", "another", "refused")


def test_a_refusal_made_up_before_the_run_gives_nothing_after_it(
    office: Office, scheduled: Payout, approve
) -> None:
    """The name of a run is computed before it, too."""
    foreseen = batch_of(payout_ids=[scheduled.pk])
    report = status_report(foreseen, (end_to_end_id(scheduled), "RJCT"))
    undo(foreseen)
    upload(office, report)
    asked = waiting()
    assert batch_of(payout_ids=[scheduled.pk]).message_id == foreseen.message_id

    assert approve(asked).status_code == 422

    assert (given_back(scheduled), scheduled.status) == (0, "in_transit")


def test_a_credit_gives_nothing_to_a_top_up_ordered_since(office: Office, approve) -> None:
    customer = customer_with(0, LIVE, livemode=True)
    upload(office, notification(transfer(2_000, REFERENCE)))
    asked = waiting()
    assert asked.arguments["gives"] == []
    top_up = ordered(customer)
    TopUp.objects.filter(pk=top_up.pk).update(reference=REFERENCE)

    assert approve(asked).status_code == 422

    assert held(customer) == 0


def test_uploaded_again_it_says_what_it_gives(office: Office, scheduled: Payout, approve) -> None:
    upload(office, come_back(scheduled))
    act(sign_in(Role.FINANCE, "another"), waiting(), "decline", note="It has changed")
    run_alone()

    upload(office, come_back(scheduled))

    asked = waiting()
    assert asked.arguments["says"] == [["money sent back", "payout", "1", "B$4,900.00 BSD"]]
    assert asked.arguments["gives"] == [["money sent back", scheduled.pk, "B$4,900.00 BSD"]]
    assert approve(asked).status_code == 302
    assert (given_back(scheduled), scheduled.status) == (AMOUNT, "returned")


def test_what_gives_to_many_is_as_it_was_shown(office: Office, approve) -> None:
    """Its entries have other ids at each reading, and those of one instant are in no order."""
    phones = [f"+12424567{number}" for number in range(890, 895)]
    customers = [customer_with(0, phone, livemode=True) for phone in phones]
    words = [ordered(customer).reference for customer in customers]
    paid = [transfer(2_000, each, reference=f"IN {each}") for each in words]
    upload(office, notification(*paid))

    assert approve(waiting()).status_code == 302

    assert [held(customer) for customer in customers] == [2_000] * 5


@pytest.mark.parametrize(
    ("says", "how"),
    [
        ("money that left", {}),
        ("money sent back", {"direction": "CRDT", "returned": "AC04"}),
    ],
)
def test_what_has_not_left_yet_is_named_as_that(
    office: Office, scheduled: Payout, says: str, how: dict[str, str]
) -> None:
    """After a restore a debit marks it as paid: no one may take that for nothing of ours."""
    upload(office, notification(entry(AMOUNT, end_to_end_id(scheduled), **how)))

    asked = waiting()
    assert asked.arguments["says"] == [[says, "payout that has not left", "1", "B$4,900.00 BSD"]]
    gifts = [[says, scheduled.pk, "B$4,900.00 BSD"]] if how else []
    assert asked.arguments["gives"] == gifts


def test_what_would_leave_under_another_name_is_nothing_of_ours(
    office: Office, scheduled: Payout
) -> None:
    upload(office, notification(entry(AMOUNT, f"E-{'0' * 32}")))

    assert waiting().arguments["says"] == [
        ["money that left", "nothing of ours", "1", "B$4,900.00 BSD"]
    ]


def test_another_content_from_before_secrets_were_bound_is_not_imported(
    office: Office, approve, settings
) -> None:
    settings.BOUND_SECRETS_ONLY = False
    upload(office, notification(entry(700, reference="FEE")))
    InstructionFile.objects.update(sealed_content=encrypt(notification(entry(701))))

    answer = approve(waiting())

    assert answer.status_code == 422
    assert "is not the one that was uploaded" in answer.content.decode()
    assert not BankFile.objects.exists()
