"""A problem reported on a receipt, as the customer who paid does it in the browser."""

import pytest

from tests.checkout.steps import open_signed_in, press, see_paid

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_report_is_confirmed_once_and_sent_once(open_page, payment_of, merchant):
    """Neither a reload nor Back repeats what was told, or sends it again."""
    page = open_signed_in(open_page, payment_of(150))
    press(page, "Pay B$1.50")
    see_paid(page)
    page.get_by_role("link", name="Report a problem").click()
    page.get_by_label("What is the problem?").select_option("I did not get what I paid for")
    page.get_by_label("Tell us what happened").fill("Two tickets\nare missing")
    press(page, "Send")

    told = page.get_by_role("status").get_by_text(
        f"We have received it and told {merchant.name}. The answer will"
    )
    told.wait_for()
    messages = page.get_by_role("region", name="Messages")
    assert messages.get_by_text("Two tickets").count() == 1
    assert page.get_by_label("Tell us what happened").input_value() == ""

    page.reload()
    page.get_by_role("heading", name="Write again").wait_for()
    assert told.count() == 0
    assert messages.get_by_text("Two tickets").count() == 1

    page.get_by_role("link", name="Back to the receipt").click()
    page.get_by_role("link", name="Messages about a problem").wait_for()
    page.go_back()
    page.get_by_role("heading", name="Write again").wait_for()
    assert told.count() == 0
    assert messages.get_by_text("Two tickets").count() == 1
