"""What scripts and styles promise: a form is sent once, what is left is right, an id is whole."""

import pytest
from django.contrib.auth.models import User

from backoffice.models import ExportRun
from backoffice.resource.page_urls import list_of
from backoffice.roles import Role
from core.clock import utc_now
from core.ids import new_id
from payments.models import Payment
from refunds.models import Refund
from tests.backoffice.acting import page_of_act
from tests.backoffice.desk import Desk, open_desk
from tests.backoffice.rows import paid_payment
from tests.chromium import wait_until
from tests.factories import MerchantFactory, PaymentFactory
from tests.nights import at_night

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("development"),
]

PRESS_TWICE = """
    (button) => {
        button.click();
        setTimeout(() => button.click(), 200);
        return new Promise((done) => setTimeout(done, 400));
    }
"""
WITHIN = """
    (list) => {
        const { left, right } = list.getBoundingClientRect();
        return left >= 0 && right <= document.documentElement.clientWidth;
    }
"""
COPIED = """
    (text) => {
        getSelection().selectAllChildren(text);
        return getSelection().toString();
    }
"""


@pytest.fixture
def refunding(open_page):
    """A member of staff at the refund form of a payment of B$12.50."""
    payment = paid_payment(MerchantFactory(name="Island Coffee"))
    return Desk(open_desk(open_page, Role.SUPPORT, page_of_act(payment, "refund")))


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        ("1.05", "11.45"),
        *at_night(
            ("1.5", "11.00"),
            ("1", "11.50"),
            ("12.50", "0.00"),
            ("1,50", "11.00"),
            why="by day the way to write a sum that was once read wrong",
        ),
    ],
)
def test_it_shows_what_is_left_after_a_refund(refunding, typed, left):
    refunding.fill(amount=typed)

    refunding.sees(f"After this refund: B${left}")


def test_what_is_typed_at_once_replaces_the_amount(refunding):
    refunding.page.locator("[name=amount]:focus").wait_for()

    refunding.page.keyboard.type("1.05")

    refunding.sees("After this refund: B$11.45")


def is_post(route) -> bool:
    return route.request.method == "POST"


def test_a_second_press_sends_nothing(refunding):
    page = refunding.page
    refunding.fill(amount="6.25", reason="Cold coffee", note="Pat called at noon")
    held = []
    page.route("**", lambda route: held.append(route) if is_post(route) else route.continue_())

    page.get_by_role("button", name="Refund", exact=True).evaluate(PRESS_TWICE)

    wait_until(page, lambda: held)
    assert len(held) == 1
    held[0].continue_()
    page.unroute_all()
    refunding.sees("The refund has been made.")
    assert [refund.amount for refund in Refund.objects.all()] == [625]


def test_the_page_of_a_file_that_is_being_made_says_when_it_is_ready(desk):
    caller = desk(Role.FINANCE)
    run = ExportRun.objects.create(
        id=new_id("exp", utc_now()),
        resource="payments.payment",
        form="csv",
        name="payments.csv",
        asked_by=User.objects.get(username="finance"),
        created_at=utc_now(),
    )
    caller.page.clock.install()
    caller.choose("Exports")
    caller.open_row("payments.csv")
    caller.sees("It waits for its turn")
    ExportRun.objects.filter(pk=run.pk).update(finished_at=utc_now())

    caller.page.clock.run_for(3_000)

    caller.sees("It is ready.")


@pytest.fixture
def looking(open_page):
    """A member of staff at the list of three payments."""
    for amount in (100, 200, 300):
        PaymentFactory(amount=amount)
    return Desk(open_desk(open_page, Role.SUPPORT, list_of(Payment)))


def test_keys_go_from_row_to_row_and_open_one(looking):
    page, keyboard = looking.page, looking.page.keyboard
    rows = page.locator("#result_list tbody th a")

    for key in ("j", "j", "ArrowDown", "ArrowDown", "k"):
        keyboard.press(key)

    assert rows.nth(1).evaluate("(row) => row === document.activeElement")
    keyboard.press("Enter")
    looking.sees("Payment of B$2.00")


def test_a_key_begins_with_the_first_row_from_what_stands_above_the_list(looking):
    page = looking.page
    first = page.locator("#result_list tbody th a").first

    page.locator(".bo-filters summary").first.focus()
    for key in ("ArrowDown", "j"):
        assert not first.evaluate("(row) => row === document.activeElement")
        page.keyboard.press(key)

    assert first.evaluate("(row) => row === document.activeElement")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<button id=below>')")
    page.locator("#below").focus()
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.id") == "below"


def test_keys_go_from_row_to_row_of_what_was_found(desk):
    for reference in ("HB-1", "HB-2"):
        PaymentFactory(amount=777, reference=reference)
    caller = desk(Role.SUPPORT)
    caller.search("7.77")

    for key in ("j", "ArrowDown", "Enter"):
        caller.page.keyboard.press(key)

    caller.sees("Payment of B$7.77")
    caller.sees("HB-1")


def test_keys_that_are_typed_move_nothing(looking):
    box = looking.page.get_by_role("searchbox").first

    box.fill("")
    box.press("j")

    assert box.input_value() == "j"
    assert box.evaluate("(box) => box === document.activeElement")


def test_no_menu_leaves_the_page(looking):
    page = looking.page
    page.set_viewport_size({"width": 1280, "height": 800})
    menus = page.locator(".bo-filters details.bo-menu")

    for menu in menus.all():
        menu.locator("summary").click()
        # Which way it opens is decided when the page is told of it, a moment after the press.
        page.wait_for_function(WITHIN, arg=menu.locator("ul").element_handle())
        page.keyboard.press("Escape")

    assert menus.count() > 8


def test_an_id_is_copied_whole_from_a_list_that_shows_its_end(looking):
    ids = looking.page.locator("#result_list tbody code")

    assert sorted(each.evaluate(COPIED) for each in ids.all()) == sorted(
        Payment.objects.values_list("pk", flat=True)
    )


def test_a_list_that_one_comes_back_to_has_the_focus_on_the_row(desk):
    rows = [PaymentFactory(merchant=MerchantFactory()) for _ in range(3)]
    caller = desk(Role.SUPPORT)
    page = caller.page
    caller.choose("Payments")
    to_list = page.locator(".bo-header-title .bo-link")
    for row, go_back in ((rows[0], page.go_back), (rows[1], to_list.click)):
        page.locator(f"#result_list th a[href*={row.pk}]").click()
        to_list.wait_for()

        go_back()

        page.wait_for_function(f"document.activeElement?.pathname?.includes('{row.pk}')")
