"""A fee takes from all that a merchant is paid: two people set it, and the merchant is told."""

from typing import Any

import pytest

from backoffice.models import AuditEntry, Instruction
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from merchants.services import set_fee
from messages.models import Message
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office
from tests.backoffice.rows import paid_payment

pytestmark = pytest.mark.django_db


def ask(office: Office, merchant: Merchant, percent: str) -> Instruction:
    answer = act(office(Role.FINANCE), merchant, "fee", percent=percent, reason="Contract")
    assert answer.status_code == 302
    return Instruction.objects.get(status="waiting")


def approve(office: Office, asked: Instruction, name: str = "another") -> Any:
    return act(office(Role.FINANCE, name), asked, "approve", note="As agreed")


def test_two_people_set_it_for_payments_to_come(office: Office, merchant: Merchant) -> None:
    asked = ask(office, merchant, "2.5")

    assert approve(office, asked).status_code == 302

    assert paid_payment(merchant, 10_000).fee == 250
    page = office(Role.SUPPORT).get(page_of(merchant)).content.decode()
    assert "hange of a fee from 0.00\u00a0% to 2.50\u00a0%: carried out" in page
    asked_for, approved = AuditEntry.objects.order_by("sequence")
    assert (asked_for.act, asked_for.outcome, asked_for.subject_id) == (
        "change of a fee",
        "asked",
        merchant.pk,
    )
    assert (approved.actor, approved.outcome) == ("another", "done")


@pytest.mark.parametrize(
    ("percent", "basis_points"), [("3", 300), ("2.55", 255), ("0.01", 1), ("100", 10_000)]
)
def test_it_is_entered_in_percent(
    office: Office, merchant: Merchant, percent: str, basis_points: int
) -> None:
    assert ask(office, merchant, percent).arguments["fee_basis_points"] == basis_points


@pytest.mark.parametrize("percent", ["-1", "100.01", "2.555", "2,5", "many"])
def test_what_is_no_percentage_is_refused(office: Office, merchant: Merchant, percent: str) -> None:
    refused = act(office(Role.FINANCE), merchant, "fee", percent=percent, reason="Contract")

    assert refused.status_code == 422
    assert not Instruction.objects.exists()


def test_the_form_shows_the_present_fee(office: Office, merchant: Merchant) -> None:
    set_fee(merchant_id=merchant.pk, fee_basis_points=255, now=utc_now())

    form = office(Role.FINANCE).get(page_of_act(merchant, "fee")).content.decode()

    assert 'value="2.55"' in form


@pytest.mark.parametrize("percent", ["0", "0.01", "100"])
def test_one_person_sets_none(office: Office, merchant: Merchant, percent: str) -> None:
    """All that a merchant is paid would go to us, or all of our fees to a friend."""
    set_fee(merchant_id=merchant.pk, fee_basis_points=100, now=utc_now())
    asked = ask(office, merchant, percent)

    assert approve(office, asked, "finance").status_code == 422

    assert Merchant.objects.get().fee_basis_points == 100
    assert not Message.objects.exists()


def test_the_merchant_is_told(office: Office, merchant: Merchant) -> None:
    approve(office, ask(office, merchant, "100"))

    message = Message.objects.get(kind="fee")
    assert message.recipient == merchant.email
    assert "has changed from 0.00\u00a0% to 100.00\u00a0%" in message.text


def test_the_approver_reads_both_fees(office: Office, merchant: Merchant) -> None:
    asked = ask(office, merchant, "2.5")

    page = office(Role.FINANCE, "another").get(page_of(asked)).content.decode()

    assert (
        f"Change of a fee from 0.00\u00a0% to 2.50\u00a0% ({merchant.name}), requested by finance."
        in page
    )
    for words in ("Present fee", "0.00\u00a0%", "2.50\u00a0%"):
        assert words in page


def test_one_that_was_set_meanwhile_is_not_replaced_unseen(
    office: Office, merchant: Merchant
) -> None:
    asked = ask(office, merchant, "0")
    set_fee(merchant_id=merchant.pk, fee_basis_points=300, now=utc_now())

    answer = approve(office, asked)

    assert answer.status_code == 422
    assert "The fee has since become 3.00\u00a0%" in answer.content.decode()
    assert Merchant.objects.get().fee_basis_points == 300


def test_a_fee_never_breaks_on_a_page_and_is_plain_in_a_file(
    office: Office, merchant: Merchant
) -> None:
    set_fee(merchant_id=merchant.pk, fee_basis_points=255, now=utc_now())
    merchants = office(Role.FINANCE)

    assert "2.55\u00a0%" in merchants.get("/admin/merchants/merchant/").content.decode()
    file = merchants.get("/admin/merchants/merchant/export/csv/")
    assert "2.55 %" in file.content.decode()
