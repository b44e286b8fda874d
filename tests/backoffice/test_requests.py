"""What waits for approval is seen on the payment, and the requester is told what came of it."""

from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import User
from django.db.models import Model

from backoffice.errors import RefundTooLarge
from backoffice.models import Instruction
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.decisions import approve, decline, expire_due
from backoffice.services.instruction_kinds import (
    PAY_OUT,
    PAYOUT_FAILURE,
    PAYOUT_RETURN,
    REFUND,
    moves_later,
    title_of,
)
from backoffice.services.instructions import LIFETIME, instruct
from core.clock import utc_now
from merchants.models import Merchant
from messages.models import Message
from payments.models import Payment
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, sign_in, staff_as
from tests.backoffice.rows import paid_payment, refund_request

pytestmark = pytest.mark.django_db


@pytest.fixture
def payment(merchant: Merchant) -> Payment:
    return paid_payment(merchant, 250_000)


@pytest.fixture
def waiting(payment: Payment) -> Instruction:
    support = staff_as(Role.SUPPORT)
    User.objects.update(email="support@office.example")
    return instruct(staff=support, request=refund_request(payment, 200_000), now=utc_now())


def words(row: Model) -> str:
    page = sign_in(Role.VIEWER).get(page_of(row))
    return unescape(" ".join(page.context["answer"].words))


def test_the_payment_says_that_a_refund_waits(payment: Payment, waiting: Instruction) -> None:
    assert "Refund of B$2,000.00 BSD, requested by support " in words(payment)
    assert "waits for a colleague's approval: nothing has moved yet." in words(payment)
    assert f'<a href="{page_of(waiting)}">Open</a>' in words(payment)


def test_what_was_declined_does_not_wait_any_more(
    office: Office, payment: Payment, waiting: Instruction
) -> None:
    act(office(Role.FINANCE), waiting, "decline", note="No proof")

    page = office(Role.SUPPORT).get(page_of(payment)).content.decode()
    assert "waits for approval" not in page
    assert "Staff: refund of B$2,000.00 BSD — approval requested" in page


def test_what_was_done_since_hides_nothing_that_waits(
    payment: Payment, waiting: Instruction
) -> None:
    for number in range(6):
        payment.refresh_from_db()
        request = refund_request(payment, 100 + number)
        instruct(staff=staff_as(Role.FINANCE), request=request, now=utc_now())

    assert "Refund of B$2,000.00 BSD, requested by support " in words(payment)


def test_what_waits_is_said_wherever_it_is_about(office: Office, merchant: Merchant) -> None:
    customer = paid_payment(merchant, 500_000).paying_customer
    money = {"currency": "BSD", "reason": "Paid at the desk", "note": "Receipt 7"}
    finance = office(Role.FINANCE)
    act(finance, customer, "top-up", amount="80.00", **money)
    act(finance, merchant, "adjust", amount="60.00", direction="give", mode="test", **money)

    assert "Top-up of B$80.00 BSD, requested by finance " in words(customer)
    into = "Adjustment of a balance: B$60.00 BSD into the balance"
    assert f"{into}, requested by finance " in words(merchant)
    [asked, adjustment] = Instruction.objects.order_by("pk")
    assert words(adjustment).startswith(f"{into} of {merchant.name}, requested by finance.")
    act(office(Role.ADMINISTRATOR), asked, "decline", note="It came by transfer")
    page = office(Role.SUPPORT).get(page_of(customer)).content.decode()
    assert "Top-up of B$80.00 BSD: declined" in page


def test_who_approves_reads_out_of_whose_wallet_it_goes(office: Office, payment: Payment) -> None:
    money = {"currency": "BSD", "reason": "Twice", "note": "Receipt 7", "amount": "60.00"}
    act(office(Role.FINANCE), payment.paying_customer, "adjust", direction="take", **money)

    out_of = (
        "Adjustment of a wallet: B$60.00 BSD out of the wallet of +1 242 ••• 0100, requested by"
    )
    asked = Instruction.objects.get()
    assert words(asked).startswith(out_of)
    page = office(Role.ADMINISTRATOR).get(page_of(asked)).content.decode()
    assert "Direction" not in page  # "take" is a word of ours, and the sentence says it


def test_what_waits_lowers_what_can_be_refunded(
    office: Office, payment: Payment, waiting: Instruction
) -> None:
    form = office(Role.SUPPORT).get(page_of_act(payment, "refund")).content.decode()
    assert "B$500.00 BSD can still be refunded." in form
    assert "B$2,000.00 BSD more waits for a colleague&#x27;s approval." in form

    with pytest.raises(RefundTooLarge, match=r"At most B\$500\.00 BSD .* B\$2,000\.00 BSD waits"):
        instruct(
            staff=staff_as(Role.FINANCE), request=refund_request(payment, 50_001), now=utc_now()
        )

    assert Instruction.objects.count() == 1


def test_what_has_expired_lowers_nothing(payment: Payment, waiting: Instruction) -> None:
    later = utc_now() + LIFETIME

    again = instruct(
        staff=staff_as(Role.FINANCE, "other"), request=refund_request(payment, 90_000), now=later
    )

    assert again.result_id


def test_the_requester_is_told_of_an_approval(
    office: Office, payment: Payment, waiting: Instruction
) -> None:
    approve(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="Seen", now=utc_now())

    message = Message.objects.get(kind="staff_decision")
    assert (message.recipient, message.about) == ("support@office.example", waiting.pk)
    assert message.livemode
    assert message.text.startswith(f"Refund of B$2,000.00 BSD ({waiting.subject_id}): ")
    assert message.subject.endswith("Refund: approved")
    assert ": approved by finance.\nNote: Seen" in message.text
    assert f"/admin/backoffice/instruction/{waiting.pk}/change/" in message.text
    shown = office(Role.SUPPORT).get(page_of(payment)).content.decode()
    assert "Refund of B$2,000.00 BSD: approved" in shown


def test_the_approval_itself_says_what_became_of_it(payment: Payment, waiting: Instruction) -> None:
    support = sign_in(Role.SUPPORT)
    act(sign_in(Role.FINANCE), waiting, "approve", note="Seen.")
    act(support, payment, "refund", amount="1.00", reason="Cold", note="Pat called")
    alone = Instruction.objects.get(amount=100)
    act(support, payment, "refund", amount="200.00", reason="Cold", note="Pat called")
    taken_back = Instruction.objects.get(status="waiting")
    act(support, taken_back, "withdraw", note="")

    assert "It was approved " in words(waiting)
    assert words(waiting).endswith(" by finance: Seen.")
    assert words(alone).endswith(" without a second person.")
    assert "It was withdrawn " in words(taken_back)


def test_what_is_declined_is_declined_everywhere(
    office: Office, payment: Payment, waiting: Instruction
) -> None:
    decline(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="Too much", now=utc_now())

    assert "was declined " in words(payment)
    assert "by finance: Too much" in words(payment)
    assert "waits for" not in words(payment)
    assert Message.objects.get(kind="staff_decision").subject.endswith("Refund: declined")
    support = office(Role.SUPPORT)
    assert "Refund of B$2,000.00 BSD: declined" in support.get(page_of(payment)).content.decode()
    dashboard = support.get("/admin/").content.decode()
    assert "Your requests" in dashboard
    assert payment.merchant.name in dashboard
    assert "Too much" in dashboard


def test_the_requester_is_told_that_no_one_has_decided(
    payment: Payment, waiting: Instruction
) -> None:
    Instruction.objects.update(expires_at=utc_now())
    page = sign_in(Role.VIEWER).get(page_of(payment)).content.decode()
    assert "Refund of B$2,000.00 BSD: expired</a>" in page

    assert expire_due(now=utc_now() + LIFETIME + timedelta(minutes=1)) == 1

    assert Message.objects.get(kind="staff_decision").subject.endswith("Refund: expired")


def test_without_an_address_no_one_is_written_to(waiting: Instruction) -> None:
    User.objects.update(email="")

    decline(staff=staff_as(Role.FINANCE), instruction_id=waiting.pk, note="No", now=utc_now())

    assert not Message.objects.filter(kind="staff_decision").exists()


def test_a_reversal_says_that_it_takes_the_money_out() -> None:
    asked = Instruction(task="reverse_top_up", amount=900, currency="BSD")

    assert title_of(asked) == "Reversal of a top-up: B$9.00 BSD out of the wallet"


def test_only_new_refunds_and_payouts_move_later() -> None:
    """A payout that was returned is the result of its request too, and that has been done."""
    made = {REFUND: "ref_1", PAY_OUT: "po_1", PAYOUT_RETURN: "po_1", PAYOUT_FAILURE: "po_1"}

    later = [task for task in made if moves_later(Instruction(task=task, result_id=made[task]))]

    assert later == [REFUND, PAY_OUT]
    assert not moves_later(Instruction(task=REFUND))
