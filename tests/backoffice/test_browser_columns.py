"""The cards of a page fill its columns without a gap worth a card; no table scrolls sideways."""

import pytest

from backoffice.resource.page_urls import page_of
from backoffice.roles import Role
from customers.models import Customer
from ledger.models import Account
from merchants.models import Merchant
from payments.models import Payment
from payouts.models import Payout
from tests.backoffice.desk import sign_in
from tests.backoffice.rows import one_of_each
from webhooks.models import Webhook

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("development"),
]
# How many columns there are, by how much their ends differ, and the height of the highest card.
COLUMNS = """
    () => {
        const ends = {};
        const heights = [...document.querySelectorAll(".bo-flow > *")].map((card) => {
            const place = card.getBoundingClientRect();
            ends[Math.round(place.left)] = place.bottom;
            return place.height;
        });
        const found = Object.values(ends);
        return [found.length, Math.max(...found) - Math.min(...found), Math.max(...heights)];
    }
"""
# The titles of the tables that are wider than their cards.
SIDEWAYS = """
    () => [...document.querySelectorAll(".bo-scroll")]
        .filter((table) => table.scrollWidth > table.clientWidth)
        .map((table) => table.ariaLabel)
"""


def test_the_cards_of_a_page_fill_its_columns(open_page, site):
    made = one_of_each()
    page = open_page("/admin/", width=1440, height=900)
    sign_in(page, Role.ADMINISTRATOR)

    for model in (Payment, Customer, Merchant, Payout, Webhook, Account):
        page.goto(f"{site}{page_of(made[model])}?ask=100.00")  # only a payout's page answers
        for width, expected in ((1600, 2), (1280, 2), (820, 1), (390, 1)):
            page.set_viewport_size({"width": width, "height": 900})
            columns, gap, highest = page.evaluate(COLUMNS)
            assert (columns, gap <= highest) == (expected, True), (model, width)
            assert page.evaluate(SIDEWAYS) == [], (model, width)
