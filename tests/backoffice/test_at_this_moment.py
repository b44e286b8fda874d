"""What a page says is true when it is read, whether or not a sweep has been there."""

import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.db.models import Model
from django.utils import timezone

from backoffice.formats import day_text
from backoffice.models import ExportRun, Instruction
from backoffice.payout_answer import answer_of
from backoffice.resource.page_urls import list_of, page_of
from backoffice.roles import Role
from core.clock import ClockRefused, utc_now
from core.clock_check import accept_clock, task_now
from funding.models import TopUp
from links.models import PaymentLink
from payments.models import Payment
from payouts.business_days import BusinessDays
from payouts.models import BankHoliday, Payout
from payouts.services import mark_sent
from tests.backoffice.conftest import Office
from tests.backoffice.rows import one_of_each, paid_payment, scheduled_payout
from tests.factories import MerchantFactory, PaymentFactory
from tests.nights import ITS_OWN
from tests.signed_changes import write_signed
from tests.wild_ticks import off_by

pytestmark = pytest.mark.django_db


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize(
    ("model", "due", "before", "after"),
    [
        (Payment, "expires_at", "created", "expired"),
        (PaymentLink, "expires_at", "active", "expired"),
        (TopUp, "expires_at", "pending", "expired"),
        (Instruction, "expires_at", "waiting", "lapsed"),
    ],
)
def test_a_list_shows_and_filters_what_has_just_ended(
    office: Office, model: type[Model], due: str, before: str, after: str
) -> None:
    one_of_each()
    row = PaymentFactory() if model is Payment else model._default_manager.latest("pk")
    browser = office(Role.ADMINISTRATOR)
    model._default_manager.filter(pk=row.pk).update(**{due: utc_now() - timedelta(seconds=1)})

    ended = browser.get(list_of(model, status=after, mode="both"))
    both = browser.get(list_of(model, status=f"{before},{after}", mode="both"))

    assert [each.pk for each in ended.context["cl"].result_list] == [row.pk]
    shown = "expired"  # of a request, too, whose status is stored as `lapsed`
    assert f">{shown}</span>" in ended.content.decode()
    assert row.pk in [each.pk for each in both.context["cl"].result_list]
    waiting = browser.get(list_of(model, status=before, mode="both")).context["cl"]
    assert row.pk not in [each.pk for each in waiting.result_list]


def test_an_instruction_that_has_expired_is_not_said_to_wait(office: Office) -> None:
    instruction = one_of_each()[Instruction]
    Instruction.objects.update(expires_at=utc_now() - timedelta(seconds=1))

    shown = office(Role.FINANCE).get(page_of(instruction))
    last, page = shown.context["timeline"][0], shown.content.decode()

    assert (last.title, last.actor) == ("Expired", "")
    assert "It expired, and nothing was done: no one had decided by" in page
    assert "must decide by" not in page
    assert "/acts/approve/" not in page


def test_a_payout_whose_day_has_passed_waits_for_a_run(office: Office) -> None:
    payout = one_of_each()[Payout]
    Payout.objects.update(send_date=utc_now().date() - timedelta(days=3))

    page = office(Role.FINANCE).get(page_of(payout)).content.decode()

    assert "It was due to leave on " in page
    assert "and leaves with the worker&#x27;s next turn." in page  # of test mode: no bank, no run
    payout = Payout.objects.get(pk=payout.pk)
    payout.livemode = True
    [live] = answer_of(payout, utc_now()).words
    assert live.endswith(", and waits for a payout run.")
    assert "It leaves on " not in page


@pytest.mark.each_on_postgres(ITS_OWN)
@pytest.mark.parametrize(("way", "is_said"), [("bank_transfer", True), ("agent", False)])
def test_only_a_transfer_comes_with_its_reference_after_all(
    office: Office, way: str, is_said: bool
) -> None:
    top_up = one_of_each()[TopUp]
    write_signed(top_up, way=way, expires_at=utc_now() - timedelta(seconds=1))

    page = office(Role.FINANCE).get(page_of(top_up)).content.decode()

    assert "Expired: the money is no longer expected." in page
    assert ("still arrives with its reference" in page) is is_said


def test_who_has_no_address_is_not_promised_an_e_mail(office: Office) -> None:
    run = one_of_each()[ExportRun]
    browser = office(Role.ADMINISTRATOR)

    assert "You are told by e-mail" not in browser.get(page_of(run)).content.decode()
    run.asked_by.email = "admin@example.com"  # type: ignore[attr-defined]  # an ExportRun
    run.asked_by.save()  # type: ignore[attr-defined]  # likewise
    assert "You are told by e-mail" in browser.get(page_of(run)).content.decode()


def test_a_merchant_that_need_not_be_verified_accepts_live_payments(
    office: Office, merchant, settings
) -> None:
    merchant.status = "unverified"
    merchant.save()
    for required, said in ((True, "accepts test payments only"), (False, "accepts live payments")):
        settings.REQUIRE_VERIFIED_MERCHANTS = required
        assert said in office(Role.VIEWER).get(page_of(merchant)).content.decode()


def test_a_payment_to_a_suspended_merchant_is_not_said_to_be_payable(
    office: Office, payment: Payment
) -> None:
    browser = office(Role.SUPPORT)
    assert "It can be paid until " in browser.get(page_of(payment)).content.decode()

    payment.merchant.status = "suspended"
    payment.merchant.save()

    page = browser.get(page_of(payment)).content.decode()
    assert "The merchant is suspended: it cannot be paid." in page
    assert "It can be paid until " not in page


def test_the_form_of_a_run_counts_what_is_due_by_the_day_it_names(office: Office) -> None:
    today = timezone.localtime(utc_now()).date()
    BankHoliday.objects.create(date=today, name="Today")
    day = BusinessDays.load().on_or_after(today)

    page = office(Role.FINANCE).get("/admin/payouts/payoutbatch/acts/run/").content.decode()

    assert f"Due by {day_text(day)}, live: 0 payouts" in page
    assert ", test: " not in page
    assert f'value="{day.isoformat()}"' in page
    assert day > today


@pytest.mark.each_on_postgres(ITS_OWN)
def test_what_leaves_on_a_day_is_what_is_scheduled_for_it(office: Office) -> None:
    paid_payment(seller := MerchantFactory(payout_schedule="weekly"), 5_000)
    payout = scheduled_payout(seller)
    leaves, finance = payout.send_date.isoformat(), office(Role.FINANCE)
    listed = f"/admin/payouts/payout/?mode=test&leaves={leaves}"

    assert payout.pk in finance.get(listed).content.decode()
    assert payout.pk not in finance.get(f"{listed}..2001-01-01").content.decode()
    form = finance.get("/admin/payouts/payoutbatch/acts/run/").content.decode()
    assert ", test: 1 payout, B$50.00 BSD." in form
    assert "nothing in BSD as things stand" in finance.get(page_of(seller)).content.decode()
    paid_payment(seller, 1_250)
    page = finance.get(page_of(seller)).content.decode()
    assert "B$12.50 BSD as things stand, expected at the bank on " in page
    assert "Next payout, live" not in page
    mark_sent(payout_id=payout.pk, actor="staff:x", now=utc_now())
    assert payout.pk not in finance.get(listed).content.decode()


def test_a_leap_of_time_is_told_until_a_person_accepts_it(office: Office) -> None:
    task_now()
    with off_by(timedelta(hours=3)):
        with pytest.raises(ClockRefused):
            task_now()
        told = office(Role.ADMINISTRATOR).get("/admin/").content.decode()
        assert re.search(r"The time has leapt from (yesterday )?\d\d:\d\d to \d\d:\d\d\.", told)
        accept_clock()
        cache.clear()

        assert "Background work" not in office(Role.ADMINISTRATOR).get("/admin/").content.decode()
