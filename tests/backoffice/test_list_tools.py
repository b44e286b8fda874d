"""Lists as tools: a merchant by name, several values, an order, the sum, and the way back."""

import re

import pytest

from backoffice.admin.payments import PaymentAdmin
from backoffice.resource.list_filters import MERCHANTS_SHOWN
from backoffice.resource.page_urls import LIST_FILTERS, page_of
from backoffice.resource.paginator import CappedPaginator
from backoffice.roles import Role
from core.clock import utc_now
from merchants.models import Merchant
from payments.models import Payment
from payouts.models import Payout
from refunds.models import Refund
from refunds.services import RefundDraft, create_refund
from tests.backoffice.acting import fields_of
from tests.backoffice.conftest import Office
from tests.backoffice.invoices import open_invoice
from tests.backoffice.rows import caller_of, one_of_each, paid_payment
from tests.backoffice.searching import search
from tests.factories import MerchantFactory, PaymentFactory
from tests.nights import ITS_OWN

pytestmark = pytest.mark.django_db
PAYMENTS = "/admin/payments/payment/"


@pytest.fixture
def cafe() -> Merchant:
    return MerchantFactory(name="Island Coffee", slug="island-coffee")


def listed(office: Office, query: str) -> str:
    return office(Role.SUPPORT).get(f"{PAYMENTS}?mode=test&{query}").content.decode()


def ids_in(page: str) -> list[str]:
    return list(dict.fromkeys(re.findall(rf"{PAYMENTS}(pay_[0-9A-Za-z]+)/change/", page)))


@pytest.mark.parametrize("name", ["Coffee", "island-cof", "ISLAND"])
def test_a_merchant_is_picked_by_part_of_its_name(
    office: Office, cafe: Merchant, stranger: Merchant, name: str
) -> None:
    own, _ = PaymentFactory(merchant=cafe), PaymentFactory(merchant=stranger)

    assert ids_in(listed(office, f"merchant={name}")) == [own.pk]
    assert ids_in(listed(office, f"merchant={cafe.pk}")) == [own.pk]
    assert ids_in(listed(office, "merchant=nowhere")) == []


@pytest.mark.each_on_postgres(ITS_OWN)
def test_more_merchants_than_are_taken_are_said(office: Office) -> None:
    for _ in range(MERCHANTS_SHOWN + 1):
        MerchantFactory(name="Island Shop")

    assert "island, the first 10 of more" in listed(office, "merchant=island")


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("day_from=2026-11-09&day_to=2026-11-13", "9 Nov 2026 to 13 Nov 2026"),
        ("day_from=2026-11-09", "9 Nov 2026"),
        ("day=last_month", "last month"),
    ],
)
def test_chosen_days_are_said_as_dates(office: Office, query: str, words: str) -> None:
    assert f"Day: <strong>{words}</strong>" in listed(office, query)


@pytest.mark.each_on_postgres(ITS_OWN)
def test_several_statuses_are_chosen_at_once(office: Office, merchant: Merchant) -> None:
    created, paid = PaymentFactory(merchant=merchant), paid_payment(merchant)
    failed = PaymentFactory(merchant=merchant)
    Payment.objects.filter(pk=failed.pk).update(status="failed", failed_at=utc_now())

    page = listed(office, "status=completed,failed")

    assert set(ids_in(page)) == {paid.pk, failed.pk}
    assert "Completed, Failed" in page
    assert "status=completed" in page  # each choice takes its value away again
    assert ids_in(listed(office, "status=created")) == [created.pk]


def test_the_order_is_chosen_among_those_with_an_index(office: Office, merchant: Merchant) -> None:
    small, large, middle = (
        PaymentFactory(merchant=merchant, amount=amount) for amount in (100, 900, 500)
    )

    assert ids_in(listed(office, "")) == [middle.pk, large.pk, small.pk]
    assert ids_in(listed(office, "sort=oldest")) == [small.pk, large.pk, middle.pk]
    assert ids_in(listed(office, "sort=largest")) == [large.pk, middle.pk, small.pk]
    assert ids_in(listed(office, "sort=smallest")) == [small.pk, middle.pk, large.pk]
    assert ids_in(listed(office, "sort=status")) == [middle.pk, large.pk, small.pk]
    again, one = PaymentFactory(merchant=merchant, amount=900), f"merchant={merchant.pk}"
    assert ids_in(listed(office, f"{one}&sort=largest"))[:2] == [large.pk, again.pk]
    assert ids_in(listed(office, f"{one}&sort=smallest"))[-2:] == [again.pk, large.pk]


def test_what_a_list_does_not_know_is_ignored_and_said(office: Office, merchant: Merchant) -> None:
    paid, _ = paid_payment(merchant), PaymentFactory(merchant=merchant)

    page = listed(office, "sort=status&queue=none&columns=odd&status=odd,completed")

    told = re.findall("([A-Z][a-z]+ “[a-z]+”) is not known here, and was ignored", page)
    assert sorted(told) == [*("Columns “odd”", "Order “status”", "Status “odd”", "Waiting “none”")]
    assert re.findall("([A-Z][a-z]+): <strong>([^<]+)<", page) == [
        *(("Status", "Completed"), ("Mode", "test"))
    ]
    assert ids_in(page) == [paid.pk]


def test_the_sum_of_what_is_listed_stands_below(office: Office, merchant: Merchant) -> None:
    PaymentFactory(merchant=merchant, amount=1_250)
    PaymentFactory(merchant=merchant, amount=4_999)
    PaymentFactory(merchant=merchant, amount=500, currency="USD")

    page = listed(office, "")

    # A narrow page breaks the line between two sums.
    assert re.findall("<strong class=.bo-whole.>([^<]+)</strong>(?:, | in all)", page) == [
        *("B$62.49 BSD", "US$5.00 USD")
    ]


def test_there_is_no_sum_of_more_rows_than_the_pages_reach(merchant: Merchant, monkeypatch) -> None:
    monkeypatch.setattr("backoffice.resource.paginator.COUNTED", 1)
    for _ in range(2):
        PaymentFactory(merchant=merchant)

    pages = CappedPaginator(Payment.objects.order_by("-pk"), 50)

    assert pages.sums_of("amount") == []


def test_the_way_back_leads_to_the_list_as_it_was(
    office: Office, merchant: Merchant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PaymentAdmin, "list_per_page", 1)
    paid, newer = paid_payment(merchant), paid_payment(merchant)
    browser = office(Role.SUPPORT)
    page = browser.get(f"{PAYMENTS}?mode=test&status=completed&p=2").content.decode()
    found = re.search(rf'href="({PAYMENTS}{paid.pk}/change/[^"]*)"', page)
    assert found

    opened = browser.get(found[1].replace("&amp;", "&")).content.decode()

    assert f"{PAYMENTS}?mode=test&amp;p=2&amp;status=completed" in opened
    acts = re.findall(r'href="([^"]*/acts/note/[^"]*)"', opened)
    assert len(set(acts)) == 1
    form = acts[0].replace("&amp;", "&")
    sent = fields_of(browser.get(form).content.decode()) | {"text": "The shop called"}
    again = browser.get(browser.post(form, sent)["Location"]).content.decode()
    assert f"{PAYMENTS}?mode=test&amp;p=2&amp;status=completed" in again
    # A page is gone once its last row has left the list.
    for size, query, rows in ((1, "p=3", [newer.pk]), (2, "p=2", [newer.pk, paid.pk])):
        monkeypatch.setattr(PaymentAdmin, "list_per_page", size)
        shorter = browser.get(f"{PAYMENTS}?mode=test&status=completed&{query}")
        assert [row.pk for row in shorter.context["cl"].result_list] == rows


def test_a_question_keeps_the_way_back(office: Office) -> None:
    payout = one_of_each()[Payout]
    opened = office(Role.FINANCE).get(page_of(payout), {LIST_FILTERS: "mode=test&day=7"})

    assert 'name="_changelist_filters" value="mode=test&amp;day=7"' in opened.content.decode()


def test_amounts_stand_at_the_right_with_their_currency_once(
    office: Office, merchant: Merchant
) -> None:
    PaymentFactory(merchant=merchant, amount=123_456)

    assert headings_of(listed(office, ""))[1] == "Amount, BSD"
    assert '<span class="bo-amount">1,234.56</span>' in listed(office, "")
    PaymentFactory(merchant=merchant, currency="USD")
    assert headings_of(listed(office, ""))[1] == "Amount"
    assert '<span class="bo-amount">1,234.56 BSD</span>' in listed(office, "")


def test_the_search_finds_words_of_a_description(office: Office, merchant: Merchant) -> None:
    payment = PaymentFactory(merchant=merchant, description="Two flat whites and a guava duff")

    assert payment.pk in search(office, "guava")


def test_the_search_finds_the_middle_of_a_name(office: Office, cafe: Merchant) -> None:
    assert cafe.pk in search(office, "coffee")


@pytest.mark.parametrize("text", ["49.99", "49,99"])
def test_the_search_finds_refunds_of_an_amount(
    office: Office, merchant: Merchant, text: str
) -> None:
    payment = paid_payment(merchant, 10_000)
    create_refund(
        caller=caller_of(merchant),
        payment_id=payment.pk,
        draft=RefundDraft(amount=4_999),
        now=utc_now(),
    )

    assert Refund.objects.get().pk in search(office, text)


def headings_of(page: str) -> list[str]:
    return re.findall(r'<th[^>]*scope="col"[^>]*>.*?([A-Z][A-Za-z, ]+).*?</th>', page, re.DOTALL)


def test_the_columns_are_those_of_the_address(office: Office, merchant: Merchant) -> None:
    paid_payment(merchant, reference="T-77")

    page = listed(office, "columns=status,reference,no-such")

    assert headings_of(page) == ["Status", "Reference"]
    assert "T-77" in page
    assert "columns=status%2Creference%2Camount" in page  # each choice adds its column
    assert page.count("<td") == 1  # the first is the heading of its row
    assert headings_of(listed(office, "columns=no-such")) == headings_of(listed(office, ""))


def test_every_amount_of_a_payment_can_be_a_column(office: Office, merchant: Merchant) -> None:
    merchant.fee_basis_points = 0
    merchant.save()
    paid_payment(merchant)
    payment, now = paid_payment(MerchantFactory(fee_basis_points=250), 3_333), utc_now()
    for part in (500, 1_111):
        draft = RefundDraft(amount=part)
        create_refund(
            caller=caller_of(payment.merchant), payment_id=payment.pk, draft=draft, now=now
        )
    returned = sum(Refund.objects.values_list("fee_returned", flat=True))

    page = listed(office, "columns=fee,net_before_refunds,refunded,fee_refunded")

    assert headings_of(page) == [
        *("Fee, BSD", "Net before refunds, BSD", "Refunded, BSD", "Fee refunded, BSD")
    ]
    assert returned > 0
    for shown in ("0.00", "12.50", "16.11", f"{returned / 100:.2f}"):
        assert f">{shown}<" in page


def test_the_columns_of_a_list_are_no_question_to_the_database(
    office: Office, merchant: Merchant
) -> None:
    own = paid_payment(merchant)

    assert ids_in(listed(office, "columns=status")) == [own.pk]
    assert ids_in(listed(office, "columns=customer__phone")) == [own.pk]


@pytest.mark.each_on_postgres(ITS_OWN)
def test_open_invoices_are_found_and_those_due_within_a_week(
    office: Office, merchant: Merchant
) -> None:
    invoices = [
        open_invoice(merchant, due_in_days=days, number=f"2026-{days}").pk for days in (3, 30)
    ]
    PaymentFactory(merchant=merchant)

    assert set(ids_in(listed(office, "invoices=open"))) == set(invoices)
    assert "Due" in headings_of(listed(office, "invoices=open"))
    assert "Due" not in headings_of(listed(office, ""))
    assert ids_in(listed(office, "invoices=week")) == invoices[:1]
    Payment.objects.filter(pk__in=invoices).update(status="canceled", canceled_at=utc_now())
    assert ids_in(listed(office, "invoices=open")) == []


def test_the_mode_is_a_column_where_both_are_listed(office: Office, merchant: Merchant) -> None:
    paid_payment(merchant)

    both = office(Role.SUPPORT).get(f"{PAYMENTS}?mode=both").content.decode()
    assert "Mode" not in headings_of(listed(office, ""))
    assert "Mode" in headings_of(both)
    assert "Mode" in headings_of(listed(office, "columns=mode"))


def test_a_list_says_an_instant_to_the_minute(office: Office, merchant: Merchant) -> None:
    payment = paid_payment(merchant)

    [(whole, shown)] = re.findall(r'title="(.*:\d\d:\d\d)">(.*)</span>', listed(office, ""))
    assert re.fullmatch(r"\d+ [A-Z][a-z]{2} \d\d:\d\d", shown)
    assert f"{whole}</time>" in office(Role.SUPPORT).get(page_of(payment)).content.decode()
