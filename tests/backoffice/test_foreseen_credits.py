"""What an uploaded bank file credits is what its approver reads: no more than an import does"""

import pytest

from backoffice.models import Instruction
from backoffice.roles import Role
from backoffice.services import bank_file_summary, instruction_kinds
from backoffice.services.bank_uploads import content_hash, seal_file
from backoffice.services.instructions import InstructionRequest, instruct
from core.clock import utc_now
from core.ids import new_id
from funding.models import TopUp
from tests.backoffice.conftest import staff_as
from tests.funding.money_in import LIVE, customer_with, erased, notified, ordered, transfer
from tests.payouts.bank_files import order_of, read, statement
from tests.payouts.batching import batch_of, live_payout

pytestmark = pytest.mark.django_db
CREDIT, NOT_CREDITED = "money that came in", "top-up, not credited"


@pytest.fixture(autouse=True)
def account(settings):
    settings.PAYOUT_DEBTOR_ACCOUNT, settings.PAYOUT_DEBTOR_BIC = "000 777", "BOTIBSNS"
    settings.FUNDING_DAY_AMOUNT = 3_000


@pytest.fixture
def customer():
    return customer_with(0, LIVE, livemode=True)


def upload(content) -> Instruction:
    request = InstructionRequest(
        task=instruction_kinds.BANK_FILE,
        subject_id=content_hash(content.encode()),
        livemode=True,
        amount=0,
        currency="",
        reason="By SFTP",
        note="",
        form_key=new_id("form", utc_now()),
        sealed_file=seal_file(content.encode()),
    )
    return instruct(staff=staff_as(Role.FINANCE), request=request, now=utc_now())


def came_back_with_its_words(api, customer):
    top_up = ordered(customer)
    live_payout(api, holder_name=top_up.reference)
    batch_of()
    return [transfer(2_000, top_up.reference)]


def came_back_with_its_name(api, customer):
    payout = live_payout(api)
    batch_of()
    return [transfer(2_000, ordered(customer).reference, end_to_end_id=order_of(payout))]


def of_one_who_is_gone(api, customer):
    reference = ordered(customer).reference
    erased(customer)
    return [transfer(2_000, reference)]


def told_before(api, customer):
    reference = ordered(customer).reference
    notified(transfer(2_000, reference))
    return [transfer(2_000, reference)]


def twice_in_one_file(api, customer):
    reference = ordered(customer).reference
    return [transfer(2_000, reference, reference=f"IN {number}") for number in (1, 2)]


def above_the_day(api, customer):
    """Both are less than a day's limit, and together more."""
    orders = [ordered(customer, amount) for amount in (1_000, 1_500)]
    paid = zip(orders, (1_900, 1_600), strict=True)
    return [transfer(amount, it.reference, reference=f"IN {amount}") for it, amount in paid]


def within_the_day(api, customer):
    orders = [ordered(customer, amount) for amount in (1_400, 1_500)]
    return [transfer(it.amount, it.reference, reference=f"IN {it.amount}") for it in orders]


@pytest.mark.parametrize(
    ("lines", "given"),
    [
        (came_back_with_its_words, 0),
        (came_back_with_its_name, 0),
        (of_one_who_is_gone, 0),
        (told_before, 0),
        (twice_in_one_file, 1),
        (above_the_day, 1),
        (within_the_day, 2),
    ],
)
def test_it_names_what_an_import_credits(api, customer, lines, given):
    content = statement(*lines(api, customer))
    credited = TopUp.objects.filter(status="succeeded")
    before = set(credited.values_list("pk", flat=True))

    asked = upload(content)

    named = [pk for says, pk, _ in asked.arguments["gives"] if says.partition("; ")[0] == CREDIT]
    assert TopUp.objects.filter(status="succeeded").count() == len(before)
    read(content)
    assert set(named) == set(credited.values_list("pk", flat=True)) - before
    assert len(named) == given


def test_what_is_named_and_not_credited_is_said_as_that(api, customer):
    top_up = ordered(customer)
    back = came_back_with_its_name(api, customer_with(0, f"{LIVE[:-1]}1", livemode=True))

    asked = upload(statement(*back, transfer(2_000, top_up.reference, reference="IN 2")))

    assert asked.arguments["says"] == [
        [CREDIT, "top-up", "1", "B$20.00 BSD"],
        [CREDIT, NOT_CREDITED, "1", "B$20.00 BSD"],
    ]


def test_what_is_not_looked_at_is_taken_to_give(api, customer, monkeypatch):
    """A file of thousands would take a minute; it may give less than its approver has read."""
    monkeypatch.setattr(bank_file_summary, "FORESEEN", 1)

    asked = upload(statement(*twice_in_one_file(api, customer)))

    assert len(asked.arguments["gives"]) == 2
