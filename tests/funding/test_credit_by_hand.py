"""Money at the bank that names no order: credited by hand, by two people"""

import pytest

from backoffice.actions import ActionContext
from backoffice.admin.bank_entry_actions import _credit
from backoffice.models import Instruction
from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Role
from core.clock import utc_now
from core.money import MAX_AMOUNT
from customers.errors import CustomerErased
from funding.bank_transfers import credit_by_hand
from funding.models import TopUp
from funding.reconciliation import check_top_ups
from messages.models import Message
from payouts.errors import BankEntryUnfit
from payouts.models import BankEntry
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import sign_in, staff_as
from tests.funding.money_in import (
    NO_TOP_UP,
    booked,
    customer_with,
    erase_first,
    erased,
    held,
    notified,
    ordered,
    transfer,
)
from tests.payouts.bank_files import waiting_entries

pytestmark = pytest.mark.django_db


@pytest.fixture
def customer():
    return customer_with(0, "+12424567890", livemode=True)


def by_two(entry, **values):
    """Credit an entry by hand, as one person asks and another approves."""
    why = {"reason": "The customer called", "note": "Asked for the sender"}
    act(sign_in(Role.FINANCE), entry, "credit", **why, **values)
    asked = Instruction.objects.get(task="bank_credit")
    assert held(customer_with(0, "+12424567890", livemode=True)) == 0
    return act(sign_in(Role.FINANCE, "another"), asked, "approve", note="So it is")


def test_what_waits_is_credited_by_two_people(customer):
    booked(transfer(2_000, "no reference"))
    entry = BankEntry.objects.get()

    by_two(entry, whose=customer.pk)

    entry.refresh_from_db()
    top_up = TopUp.objects.get()
    assert (entry.state, entry.credited_to) == ("matched", top_up.pk)
    assert (held(customer), top_up.status) == (2_000, "succeeded")
    assert list(check_top_ups()) == []


def test_as_the_top_up_that_it_was_meant_for(customer):
    top_up = ordered(customer, 2_000)
    booked(transfer(2_000, "forgot it"))

    by_two(BankEntry.objects.get(), whose=top_up.reference)

    top_up.refresh_from_db()
    assert (held(customer), top_up.status) == (2_000, "succeeded")


def test_who_approves_reads_whose_wallet_is_credited_and_with_how_much(customer):
    top_up = ordered(customer, 2_000)
    booked(transfer(2_000, "forgot it"))
    entry, finance = BankEntry.objects.get(), sign_in(Role.FINANCE)
    act(finance, entry, "credit", whose=top_up.reference, reason="Called", note="Asked them")

    asked = Instruction.objects.get(task="bank_credit")
    credit = "Credit of a bank entry: B$20.00 BSD into the wallet of +1 242 ••• 7890, requested by"
    for page in (page_of(asked), page_of_act(asked, "approve"), page_of(entry)):
        assert credit in sign_in(Role.FINANCE, "another").get(page).content.decode()
    details = finance.get(page_of(asked)).content.decode()
    assert "make sure that it was meant" not in details
    assert f'href="{page_of(entry)}"' in details
    assert f'href="{page_of(top_up)}"' in details


def test_both_are_warned_where_another_amount_was_asked_for(customer):
    top_up = ordered(customer, 20_000)
    booked(transfer(3_000, "forgot it"))
    entry, finance = BankEntry.objects.get(), sign_in(Role.FINANCE)
    another = sign_in(Role.FINANCE, "another")
    act(finance, entry, "credit", whose=top_up.reference, reason="Called", note="Asked them")

    asked = Instruction.objects.get(task="bank_credit")
    warning = "The customer asked to add B$200.00 BSD, and B$30.00 BSD came in: make sure"
    for browser in (finance, another):
        assert warning in browser.get(page_of(asked)).content.decode()
    assert warning in another.get(page_of_act(asked, "approve")).content.decode()
    assert "Credit of a bank entry: B$30.00 BSD" in finance.get(page_of(top_up)).content.decode()
    act(another, asked, "approve", note="So it is")
    assert warning not in finance.get(page_of(asked)).content.decode()
    words = finance.get(page_of(top_up)).context["answer"].words
    assert words[0].startswith("B$30.00 BSD came ")
    assert words[1] == "B$200.00 BSD was asked for."


def test_a_top_up_says_that_its_money_may_have_come_without_a_reference(customer):
    other, mine = ordered(customer, 2_100), ordered(customer, 2_000)
    booked(transfer(2_000, "forgot it"))
    entry, finance = BankEntry.objects.get(), sign_in(Role.FINANCE)

    said = "B$20.00 BSD received at the bank"
    page = finance.get(page_of(mine)).content.decode()
    assert said in page
    assert page_of(entry) in page
    assert page_of(entry) not in sign_in(Role.DEVELOPER).get(page_of(mine)).content.decode()
    assert said not in finance.get(page_of(other)).content.decode()


def test_what_a_notification_tells_of_is_credited_from_the_statement():
    notified(transfer(2_000, "MRS ROLLE, MY WALLET"))
    finance = sign_in(Role.FINANCE)
    page = finance.get(page_of(BankEntry.objects.get())).content.decode()
    listed = finance.get(list_of(BankEntry)).content.decode()

    assert "A wallet can be credited once a statement reports it" in page
    assert "MRS ROLLE, MY WALLET" in listed


def by_hand(entry, customer, **named):
    return credit_by_hand(
        entry_id=entry.pk, customer_id=customer.pk, actor="staff:ann", now=utc_now(), **named
    )


def test_of_all_top_ups_only_one_that_waits_for_just_this_is_meant(customer, payment_of):
    booked(transfer(2_000, "forgot it"))
    near = [
        ordered(customer_with(0, "+12424567891", livemode=True)),
        ordered(customer, way="agent"),
        ordered(customer, 2_001),
        *(ordered(customer, payment=payment_of(2_000)) for _ in range(2)),
    ]
    near[3].transition_to("canceled", now=near[3].created_at, actor="customer:x")
    TopUp.objects.filter(pk=near[4].pk).update(currency="USD")
    meant = ordered(customer)
    ordered(customer, payment=payment_of(2_000))
    entry = BankEntry.objects.get()

    assert by_hand(entry, customer).pk == meant.pk

    with pytest.raises(BankEntryUnfit) as refusal:
        by_hand(entry, customer)
    assert refusal.value.details == "state: is matched"
    assert held(customer) == 2_000


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"customer": "+12424567891"}, "It is a different customer, or one of the other mode."),
        ({"livemode": False}, "It is a different customer, or one of the other mode."),
        ({"currency": "USD"}, "The currency is not that of the top-up."),
        ({"way": "agent"}, "The top-up is not waiting for a transfer."),
        ({"status": "failed"}, "A different amount has already come in"),
    ],
)
def test_it_is_not_credited_as_what_does_not_wait_for_it(customer, change, problem):
    booked(transfer(2_000, "forgot it"))
    if phone := change.get("customer"):
        change = {"customer": customer_with(0, phone, livemode=True)}
    top_up = ordered(customer)
    TopUp.objects.filter(pk=top_up.pk).update(**change)

    with pytest.raises(BankEntryUnfit, match=problem):
        by_hand(BankEntry.objects.get(), customer, top_up_id=top_up.pk)

    assert held(customer) == 0


def test_an_erased_customer_is_credited_by_no_one(customer):
    booked(transfer(2_000, "no reference"))
    erased(customer)
    entry = BankEntry.objects.get()

    why = {"reason": "The customer called", "note": "Asked for the sender"}
    response = act(sign_in(Role.FINANCE), entry, "credit", **why, whose=customer.pk)

    assert response.status_code == 422
    assert not Instruction.objects.exists()
    with pytest.raises(CustomerErased):
        credit_by_hand(entry_id=entry.pk, customer_id=customer.pk, actor="staff:ann", now=utc_now())
    assert waiting_entries() == [NO_TOP_UP]


def test_more_than_a_top_up_can_be_is_refused_in_words(customer):
    booked(transfer(MAX_AMOUNT + 1, "no reference"))
    why = {"reason": "The customer called", "note": "Asked for the sender"}

    response = act(
        sign_in(Role.FINANCE), BankEntry.objects.get(), "credit", **why, whose=customer.pk
    )

    assert (response.status_code, Instruction.objects.count()) == (422, 0)
    assert "It is more than a top-up can be." in response.content.decode()


def test_money_for_an_erased_customer_waits_for_a_person(customer):
    reference = ordered(customer).reference
    erased(customer)

    booked(transfer(2_000, reference))

    assert held(customer) == 0
    assert waiting_entries() == [CustomerErased.message]
    assert not Message.objects.filter(kind="top_up").exists()


@pytest.mark.parametrize("is_named", [True, False])
def test_a_customer_who_is_erased_meanwhile_is_not_credited(customer, monkeypatch, is_named):
    """The erasure commits after the customer was read, and before the row is locked."""
    reference = ordered(customer).reference if is_named else ""
    if not is_named:
        booked(transfer(2_000, "no reference"))
    erase_first(customer, monkeypatch)

    if is_named:
        booked(transfer(2_000, reference))
        assert waiting_entries() == [CustomerErased.message]
    else:
        with pytest.raises(CustomerErased):
            credit_by_hand(
                entry_id=BankEntry.objects.get().pk,
                customer_id=customer.pk,
                actor="staff:ann",
                now=utc_now(),
            )
    assert held(customer) == 0


def test_no_money_is_credited_by_no_one(customer):
    booked(transfer(0, "no reference"))

    why = {"reason": "The customer called", "note": "Asked for the sender"}
    response = act(
        sign_in(Role.FINANCE), BankEntry.objects.get(), "credit", **why, whose=customer.pk
    )

    assert response.status_code == 422
    assert not Instruction.objects.exists()


@pytest.mark.parametrize(
    ("amount", "shown"),
    [(0, 0), (None, 0), (1, 1), (MAX_AMOUNT, MAX_AMOUNT), (MAX_AMOUNT + 1, 0)],
)
def test_who_approves_is_shown_an_amount_that_can_be_moved(customer, amount, shown):
    entry = BankEntry(pk=7, amount=amount)
    asked = ActionContext(staff_as(Role.FINANCE), entry, {"whose": customer}, utc_now())

    assert _credit(asked) == {
        "subject_id": customer.pk,
        "amount": shown,
        "arguments": {"entry": 7, "top_up": ""},
    }


def test_a_notification_alone_is_not_credited_by_hand(customer):
    notified(transfer(2_000, "no reference"))

    with pytest.raises(BankEntryUnfit):
        credit_by_hand(
            entry_id=BankEntry.objects.get().pk,
            customer_id=customer.pk,
            actor="staff:ann",
            now=utc_now(),
        )
