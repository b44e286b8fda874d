"""Money that comes in at the bank, by the reference on it; what names none waits for a person"""

import pytest

from core.clock import utc_now
from core.creditor_references import grouped, new_reference, references_in
from funding.bank_transfers import Foresight, refuse_no_credit
from funding.models import TopUp
from funding.services import cancel_top_up
from funding.tasks import collect_top_ups
from ledger.models import Transfer, TransferKind
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry
from tests.funding.money_in import (
    NO_TOP_UP,
    booked,
    customer_with,
    held,
    notified,
    ordered,
    short_of_money,
    transfer,
)
from tests.payouts.bank_files import entry, read, statement, waiting_entries

pytestmark = pytest.mark.django_db


@pytest.fixture
def customer():
    return customer_with(0, "+12424567890", livemode=True)


@pytest.mark.parametrize(
    "written",
    [
        lambda reference: reference,
        lambda reference: f"deposit {grouped(reference)} thank you",
        lambda reference: reference.lower().replace("rf", "RF-"),
    ],
)
def test_it_credits_the_wallet_that_the_reference_names(customer, written):
    top_up = ordered(customer, 2_000)

    done = booked(transfer(2_000, written(top_up.reference)))

    assert (done.matched, done.unmatched) == (1, 0)
    assert held(customer) == 2_000
    top_up.refresh_from_db()
    assert (top_up.status, top_up.amount_received) == ("succeeded", 2_000)
    moved = Transfer.objects.get(kind=TransferKind.TOP_UP)
    assert (moved.reference, moved.amount) == (top_up.pk, 2_000)
    assert BankEntry.objects.get().credited_to == top_up.pk


def test_as_a_structured_reference_too(customer):
    top_up = ordered(customer)
    details = (
        "<NtryDtls><TxDtls><RmtInf><Strd><CdtrRefInf>"
        f"<Ref>{top_up.reference}</Ref></CdtrRefInf></Strd><Ustrd>rent</Ustrd></RmtInf>"
        "</TxDtls></NtryDtls>"
    )

    booked(entry(2_000, direction="CRDT", details=details))

    assert held(customer) == 2_000


def test_the_notification_and_the_statement_credit_once(customer):
    top_up = ordered(customer)

    notified(transfer(2_000, top_up.reference))
    booked(transfer(2_000, top_up.reference))

    assert held(customer) == 2_000
    assert waiting_entries() == []


def test_the_same_file_twice_credits_once(customer):
    top_up = ordered(customer)

    for _ in range(2):
        booked(transfer(2_000, top_up.reference))

    assert held(customer) == 2_000


def test_a_second_transfer_with_the_reference_waits(customer):
    top_up = ordered(customer)

    booked(transfer(2_000, top_up.reference), transfer(2_000, top_up.reference, "IN 2"))

    assert held(customer) == 2_000
    assert waiting_entries() == ["Money with this reference has already come in."]


def test_what_comes_is_what_is_credited(customer):
    top_up = ordered(customer, 2_000)

    booked(transfer(1_999, top_up.reference))

    assert held(customer) == 1_999


def test_money_for_a_canceled_top_up_is_the_customers_all_the_same(customer):
    top_up = ordered(customer)
    top_up.transition_to("canceled", now=top_up.created_at, actor="customer:x")

    booked(transfer(2_000, top_up.reference))

    assert held(customer) == 2_000


@pytest.mark.parametrize("words", ["", "for my wallet", "RF00 2222 2222"])
def test_what_names_no_reference_waits(customer, words):
    ordered(customer)

    booked(transfer(2_000, words))

    assert held(customer) == 0
    assert waiting_entries() == [NO_TOP_UP]


def test_no_money_with_a_reference_says_so(customer):
    booked(transfer(0, ordered(customer).reference))

    assert waiting_entries() == ["It has no amount: there is nothing to credit."]


def test_a_mistyped_reference_is_no_ones(customer):
    top_up = ordered(customer)
    last = "3" if top_up.reference[-1] == "2" else "2"

    booked(transfer(2_000, top_up.reference[:-1] + last))

    assert waiting_entries() == [NO_TOP_UP]


def test_two_references_wait(customer):
    both = [ordered(customer, amount).reference for amount in (500, 600)]

    booked(transfer(1_100, " ".join(both)))

    assert waiting_entries() == ["It names more than one top-up."]


def test_more_than_the_limit_of_a_day_waits(customer, settings):
    settings.FUNDING_DAY_AMOUNT = 3_000
    top_up = ordered(customer, 2_000)

    booked(transfer(3_001, top_up.reference))

    assert waiting_entries() == ["It is more than the customer may add in a day."]
    assert TopUp.objects.get().status == "pending"


def test_what_was_given_up_counts_when_it_comes(customer, settings):
    settings.FUNDING_DAY_AMOUNT = 3_000
    references = []
    for _ in range(2):
        top_up = ordered(customer, 2_000)
        references.append(top_up.reference)
        cancel_top_up(top_up_id=top_up.pk, customer_id=customer.pk, now=utc_now())

    booked(*(transfer(2_000, words, f"IN {words}") for words in references))

    assert held(customer) == 2_000
    assert waiting_entries() == ["It is more than the customer may add in a day."]


def test_what_was_ordered_up_to_the_limit_is_credited(customer, settings):
    settings.FUNDING_DAY_AMOUNT = 3_000
    references = [ordered(customer, amount).reference for amount in (1_000, 2_000)]

    booked(*(transfer(1_000 * n, words, f"IN {n}") for n, words in enumerate(references, 1)))

    assert held(customer) == 3_000


def test_another_currency_or_mode_waits(customer):
    top_up = ordered(customer)

    booked(transfer(2_000, top_up.reference), livemode=False)

    assert held(customer) == 0


def test_a_transfer_in_another_currency_waits(customer):
    row = transfer(2_000, ordered(customer).reference, currency="USD")
    read(statement(row, currency="USD"))

    assert held(customer) == 0
    assert waiting_entries() == ["The currency is not that of the top-up."]


def test_cash_that_is_transferred_waits(customer):
    booked(transfer(2_000, ordered(customer, way="agent").reference))

    assert held(customer) == 0
    assert waiting_entries() == [NO_TOP_UP]


def test_a_payment_is_paid_after_the_customer_has_left(payment_of):
    payment = payment_of(150)
    customer_with(40)
    shopper = short_of_money(payment)
    shopper.send(to="/pay")
    shopper.send(way="bank_transfer")
    top_up = TopUp.objects.get()

    booked(transfer(110, top_up.reference), livemode=False)
    collect_top_ups()

    payment.refresh_from_db()
    assert payment.status == "completed"


def test_money_for_a_canceled_top_up_does_not_pay_what_it_was_for(payment_of):
    payment = payment_of(150)
    customer = customer_with(40)
    shopper = short_of_money(payment)
    shopper.send(to="/pay")
    shopper.send(way="bank_transfer")
    top_up = TopUp.objects.get()
    cancel_top_up(top_up_id=top_up.pk, customer_id=customer.pk, now=utc_now())

    booked(transfer(110, top_up.reference), livemode=False)
    collect_top_ups()

    payment.refresh_from_db()
    assert payment.status != "completed"
    assert held(customer) == 150
    assert TopUp.objects.get().followed_up_at is not None


def test_references_have_check_digits_of_iso_11649():
    assert references_in("RF18 5390 0754 7034") == set()  # another length than ours
    made = new_reference()
    assert references_in(grouped(made)) == {made}
    assert int("".join(str(int(c, 36)) for c in made[4:] + made[:4])) % 97 == 1


def test_money_that_names_an_order_of_ours_fills_no_wallet(customer):
    """A merchant may write a reference as a payout's description, and the payout comes back."""
    order = f"E-{'0' * 32}"

    booked(transfer(2_000, ordered(customer).reference, end_to_end_id=order))

    assert held(customer) == 0
    [problem] = waiting_entries()
    assert problem.startswith("It names one of our orders")
    with pytest.raises(BankEntryUnfit, match="names one of our orders"):
        refuse_no_credit(BankEntry.objects.get())


@pytest.mark.parametrize(
    ("stated", "credited"), [("20.00", 0), ("1000.00", 100_000), ("1005.00", 100_000)]
)
def test_one_detail_of_many_payments_is_not_all_that_came_in(customer, stated, credited):
    """A charge may have made less of what was sent; more than it is other customers' money."""
    top_up = ordered(customer, 2_000)
    details = (
        f'<NtryDtls><TxDtls><Amt Ccy="BSD">{stated}</Amt>'
        f"<RmtInf><Ustrd>{top_up.reference}</Ustrd></RmtInf></TxDtls></NtryDtls>"
    )

    booked(entry(100_000, direction="CRDT", reference="IN 1", details=details))

    assert held(customer) == credited
    assert waiting_entries() == ([] if credited else [NO_TOP_UP])


def test_of_two_transfers_for_one_top_up_the_first_is_foreseen_to_be_credited(customer):
    top_up = ordered(customer)
    booked(transfer(2_000, "rent"), transfer(2_000, "rent", reference="IN 2"))
    foresight = Foresight(utc_now())
    first, second = BankEntry.objects.order_by("pk")

    assert foresight.foresee_credit(first, top_up)
    assert not foresight.foresee_credit(second, top_up)
