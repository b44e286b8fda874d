"""Who approves or makes a refund reads before the press that the balance does not cover it."""

from typing import Any

import pytest

from backoffice.models import Instruction
from backoffice.request_answer import warnings_of
from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from backoffice.services.instructions import instruct
from core.clock import utc_now
from ledger.models import Purpose
from merchants.models import Merchant
from payments.models import Payment
from refunds.models import Refund
from refunds.reserve import missing_for
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import act, page_of_act
from tests.backoffice.conftest import Office, staff_as
from tests.backoffice.rows import caller_of, paid_payment, refund_request
from tests.factories import MerchantFactory, PaymentFactory
from tests.payouts.merchant_balance import credit, held

pytestmark = pytest.mark.django_db
LACKS = (
    "The merchant's balance does not cover B$2,000.00 BSD now: {} is missing. Refunded now, it"
    " waits until the balance covers it, and fails if that takes longer than 30 days."
)


def refund_asked_of(payment: Payment) -> Instruction:
    request = refund_request(payment, 200_000)
    return instruct(staff=staff_as(Role.SUPPORT), request=request, now=utc_now())


def leave(merchant: Merchant, amount: int) -> None:
    credit(merchant, amount - held(merchant, Purpose.MERCHANT))


def test_an_approver_reads_before_the_press_how_much_the_balance_lacks(office: Office) -> None:
    payment = paid_payment(MerchantFactory(fee_basis_points=0), 250_000)
    asked, browser = refund_asked_of(payment), office(Role.FINANCE)
    leave(payment.merchant, 199_950)
    said = LACKS.format("B$0.50 BSD")

    page = browser.get(page_of(asked))

    assert page.context["answer"].troubles == [said]
    assert (
        said.replace("'", "&#x27;") in browser.get(page_of_act(asked, "approve")).content.decode()
    )
    assert act(browser, asked, "approve", note="Saw the photo").status_code == 302
    assert Refund.objects.get().status == "pending"
    assert said not in browser.get(page_of(asked)).content.decode()


@pytest.mark.parametrize(("left", "missing"), [(195_000, 0), (194_999, 1), (0, 195_000)])
def test_the_fee_that_is_returned_counts_towards_what_the_balance_covers(
    left: int, missing: int
) -> None:
    payment = paid_payment(MerchantFactory(fee_basis_points=250), 250_000)
    asked = refund_asked_of(payment)
    leave(payment.merchant, left)

    lacks = LACKS.format(f"B${missing // 100:,}.{missing % 100:02d} BSD")
    assert warnings_of(asked) == ([lacks] if missing else [])

    made = create_refund(
        caller=caller_of(payment.merchant),
        payment_id=payment.pk,
        draft=RefundDraft(amount=200_000),
        now=utc_now(),
    )
    assert made.status == ("pending" if missing else "succeeded")


@pytest.mark.parametrize("kind", [{"livemode": True}, {"currency": "USD"}])
def test_no_other_balance_of_the_merchant_covers_it(kind: dict[str, Any]) -> None:
    sale: Payment = PaymentFactory(amount=500, **kind)
    credit(sale.merchant, 500)
    assert missing_for(sale, 500) == 500

    credit(sale.merchant, 400, **kind)

    assert missing_for(sale, 500) == 100


def test_a_refund_that_cannot_be_approved_is_not_said_to_be_uncovered_too() -> None:
    payment = paid_payment(MerchantFactory(), 250_000)
    asked = refund_asked_of(payment)
    draft, caller = RefundDraft(amount=100_000), caller_of(payment.merchant)
    create_refund(caller=caller, payment_id=payment.pk, draft=draft, now=utc_now())
    leave(payment.merchant, 0)

    [said] = warnings_of(asked)
    assert "decline or withdraw it" in said


def test_who_makes_a_refund_reads_how_much_the_balance_lacks(office: Office) -> None:
    payment = paid_payment(MerchantFactory(fee_basis_points=0), 1_250)
    leave(payment.merchant, 750)
    browser = office(Role.SUPPORT)

    def warned(page: Any) -> list[str]:
        return [words.split(". ")[0] for words in page.context["form"].warnings()]

    of_all = ["The merchant's balance does not cover B$12.50 BSD now: B$5.00 BSD is missing"]
    assert warned(browser.get(page_of_act(payment, "refund"))) == of_all
    too_much = act(browser, payment, "refund", amount="20.00", reason="", note="Called")
    assert warned(too_much) == of_all
    refused = act(browser, payment, "refund", amount="8.00", reason="", note="Called")
    assert warned(refused) == [
        "The merchant's balance does not cover B$8.00 BSD now: B$0.50 BSD is missing"
    ]
    for asked in ("7.50", "all of it"):  # which is no amount
        assert warned(act(browser, payment, "refund", amount=asked, reason="", note="Called")) == []
